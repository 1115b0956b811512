// npm run bench -- --code: programs through run_code, with the whole pipeline around it: our runtimes against each other and
// against dsh's. Contenders take turns within a round, in one process; each waits until nobody works before it is measured, so that
// the thread for the next run is ready ("warm"). dsh strips types with Node.js itself, so ../../run.mjs starts this on Node.js 22
// where the one at hand cannot do that.
import { performance } from 'node:perf_hooks';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median, ratio } from '../stats.mjs';
import { duration, table, times } from '../table.mjs';
import { load as dsh } from './dsh.mjs';
import { load as ours } from './sluice.mjs';

const loaders = {
  'worker-thread': () => ours('worker-thread', 1),
  quickjs: () => ours('quickjs', 1),
  ...(process.argv.includes('--no-peers') ? {} : { dsh }),
};

const THOUSAND = 1_000;
const LOOP = 'let sum = 0; for (let i = 0; i < 3e7; i += 1) sum = (sum + i * 7) % 1_000_003; return sum;';
const programs = [
  { id: 'warm', title: 'trivial program, a spare ready', code: 'return 1 + 1;', right: 2, rounds: 15 },
  { id: 'calls', title: '1,000 calls, one after the other', code: `let sum = 0; for (let n = 0; n < ${THOUSAND}; n += 1) sum += (await tools.echo({ message: "hello", n })).n; return sum;`, right: 499_500, rounds: 9 },
  { id: 'all', title: '1,000 calls with Promise.all', code: `const all = await Promise.all(Array.from({ length: ${THOUSAND} }, (_, n) => tools.echo({ message: "hello", n }))); return all.length;`, right: THOUSAND, rounds: 9 },
  { id: 'big', title: 'result of 10 MB, one string', code: 'return "x".repeat(10_000_000);', right: 'x'.repeat(10_000_000), rounds: 7 },
  { id: 'rows', title: 'result of 10 MB, 100,000 rows', code: 'return Array.from({ length: 100_000 }, (_, id) => ({ id, name: `row number ${id}`, score: id / 8, active: id % 2 === 0, tags: ["a", "b"] }));', rounds: 2 },
  { id: 'loop', title: 'a loop of 3e7 steps', code: LOOP, rounds: 3 },
];

/** Milliseconds of a pause in which hardly anybody worked. */
const QUIET_MS = 60;

/** Waits until the process has nothing left to do, threads that get ready for the next run included. */
async function quiet() {
  for (;;) {
    const before = process.cpuUsage();
    await new Promise((done) => setTimeout(done, QUIET_MS));
    const { user, system } = process.cpuUsage(before);
    if (user + system < 100 * QUIET_MS) return;
  }
}

/** @returns nanoseconds: on the clock until the result is there, worked until then, and worked in all, what comes after it too */
async function measured({ run }, { code, right }) {
  await quiet();
  const before = process.cpuUsage();
  const start = performance.now();
  const result = await run(code);
  const wall = (performance.now() - start) * 1e6;
  const worked = process.cpuUsage(before);
  if (right !== undefined && result !== right) throw new Error(`a wrong result: ${String(result).slice(0, 80)}`);
  await quiet();
  const all = process.cpuUsage(before);
  return { wall, cpu: (worked.user + worked.system) * 1e3, all: (all.user + all.system) * 1e3 };
}

/** In a process of its own: importing, mounting, and the first program. */
async function cold(name) {
  const start = performance.now();
  const { run, close } = await loaders[name]();
  await run('return 1 + 1;');
  process.stdout.write(String((performance.now() - start) * 1e6));
  await close();
}

const only = process.argv.find((word) => word.startsWith('--only='))?.slice('--only='.length).split(',');
const [first] = process.argv.filter((word) => word.startsWith('--cold=')).map((word) => word.slice('--cold='.length));
if (first !== undefined) await cold(first);
else {
  const names = Object.keys(loaders);
  const samples = {};
  const keep = (id, name, value) => ((samples[id] ??= {})[name] ??= []).push(value);
  /** Everybody's turn, another one first each round. */
  const eachRound = async (rounds, work) => {
    for (let round = 0; round < rounds; round += 1) for (let turn = 0; turn < names.length; turn += 1) await work(names[(turn + round) % names.length], round);
  };

  console.error('… import, mount and first program');
  await eachRound(5, (name) => {
    const child = spawnSync(process.execPath, ['--no-warnings', fileURLToPath(import.meta.url), `--cold=${name}`], { encoding: 'utf8' });
    if (child.status !== 0) throw new Error(`${name}: ${child.stderr}`);
    keep('first', name, { wall: Number(child.stdout) });
  });

  const made = {};
  for (const name of names) made[name] = await loaders[name]();
  const without = { 'worker-thread': await ours('worker-thread', 0), quickjs: await ours('quickjs', 0) };
  for (const program of programs.filter(({ id }) => id === 'warm' || (only?.includes(id) ?? true))) {
    console.error(`… ${program.title}`);
    // The first two rounds warm up.
    await eachRound(program.rounds + 2, async (name, round) => {
      const one = await measured(made[name], program);
      if (round >= 2) keep(program.id, name, one);
    });
  }
  console.error('… trivial program, no spare');
  await eachRound(7, async (name, round) => {
    const one = await measured(without[name] ?? made[name], programs[0]);
    if (round >= 2) keep('cold', name, one);
  });

  const of = (id, name, what) => samples[id][name].map((one) => one[what]);
  const hasDsh = names.includes('dsh');
  const rowsOf = (id, title, what) => [
    title,
    ...names.map((name) => duration(median(of(id, name, what)))),
    times(ratio(of(id, 'quickjs', what), of(id, 'worker-thread', what))),
    ...(hasDsh ? names.slice(0, 2).map((name) => times(ratio(of(id, name, what), of(id, 'dsh', what)))) : []),
  ];
  const header = ['', ...names, 'quickjs to worker-thread', ...(hasDsh ? ['worker-thread to dsh', 'quickjs to dsh'] : [])];
  const ids = [['cold', 'trivial program, no spare'], ...programs.map(({ id, title }) => [id, title])].filter(([id]) => samples[id] !== undefined);
  console.log(`### Programs, time on the clock until the result is there\n\nNode.js ${process.version}, ${process.platform} ${process.arch}\n`);
  console.log(`${table(header, [rowsOf('first', 'import, mount, first program', 'wall'), ...ids.map(([id, title]) => rowsOf(id, title, 'wall'))])}\n`);
  console.log(`### Programs, work (CPU time of the process) until the result is there\n\n${table(header, ids.map(([id, title]) => rowsOf(id, title, 'cpu')))}\n`);
  console.log(`### Programs, work in all, the thread for the next run included\n\n${table(header, ids.map(([id, title]) => rowsOf(id, title, 'all')))}\n`);
  if (hasDsh && samples.calls !== undefined && samples.all !== undefined) {
    const roundTrip = (name) => of('calls', name, 'cpu').map((value, round) => value - (of('warm', name, 'cpu')[round] ?? 0));
    const roundTripWall = (name) => of('calls', name, 'wall').map((value, round) => value - (of('warm', name, 'wall')[round] ?? 0));
    const target = (title, value, most) => [title, times(value), `<= ${most}x`, value <= most ? 'met' : 'MISSED'];
    console.log(
      `### Targets: worker-thread to dsh\n\n${table(
        ['', 'measured', 'target', 'verdict'],
        [
          target('warm run, time', ratio(of('warm', 'worker-thread', 'wall'), of('warm', 'dsh', 'wall')), 0.25),
          target('warm run, work', ratio(of('warm', 'worker-thread', 'cpu'), of('warm', 'dsh', 'cpu')), 0.25),
          target('1,000 calls in turn, time', ratio(of('calls', 'worker-thread', 'wall'), of('calls', 'dsh', 'wall')), 0.2),
          target('1,000 calls in turn, work', ratio(of('calls', 'worker-thread', 'cpu'), of('calls', 'dsh', 'cpu')), 0.2),
          target('the same without the program around them, time', ratio(roundTripWall('worker-thread'), roundTripWall('dsh')), 0.2),
          target('the same without the program around them, work', ratio(roundTrip('worker-thread'), roundTrip('dsh')), 0.2),
          target('1,000 calls at once, time', ratio(of('all', 'worker-thread', 'wall'), of('all', 'dsh', 'wall')), 0.2),
          target('1,000 calls at once, work', ratio(of('all', 'worker-thread', 'cpu'), of('all', 'dsh', 'cpu')), 0.2),
        ],
      )}\n`,
    );
  }
  for (const { close } of [...Object.values(made), ...Object.values(without)]) await close();
}
