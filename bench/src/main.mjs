// The benchmark itself; started by ../run.mjs. Tables or JSON go to stdout, progress to stderr.
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { contenders as all } from './contenders/index.mjs';
import { json, tables } from './report.mjs';
import { runWorkload } from './rounds.mjs';
import { gatedWorkloads, judge } from './targets.mjs';
import { workloads } from './workloads/calls.mjs';
import { run as runImport } from './workloads/import.mjs';
import { run as runSize } from './workloads/size.mjs';

const help = `npm run bench -- [options]
  --no-peers         only Sluice and the floor; nothing of other people's is installed
  --gate             only what has a bound, and the counts; exit 1 when one is beyond it
  --only a,b         only these: ${[...workloads.map(({ id }) => id), 'import', 'size'].join(', ')}
  --rounds n         rounds per workload (default 15)
  --json             one JSON document instead of tables
  --heap             instead: one million calls, and 10,000 mounts, without heap growth
  --counts           instead: promises, controllers, timers and listeners that one call makes
  --files            instead: file tools against node:fs, dsh and ripgrep
  --code             instead: programs on both code runtimes, against dsh's`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean' },
    json: { type: 'boolean' },
    gate: { type: 'boolean' },
    'no-peers': { type: 'boolean' },
    only: { type: 'string' },
    rounds: { type: 'string', default: '15' },
  },
});
if (options.help) {
  console.log(help);
  process.exit(0);
}
const rounds = Number(options.rounds);
const say = (what) => console.error(`… ${what}`);

/** The installed version of somebody else's package; undefined when it is not installed. */
function versionOf(peer) {
  const manifest = new URL(`../node_modules/${peer}/package.json`, import.meta.url);
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : undefined;
}

const contenders = all
  .filter(({ peer }) => peer === undefined || !options['no-peers'])
  .map((one) => ({ ...one, version: one.peer && versionOf(one.peer) }));

const only = options.only?.split(',') ?? (options.gate ? gatedWorkloads(contenders.map(({ name }) => name)) : undefined);
const wanted = (id) => only === undefined || only.includes(id);

// Nanoseconds by workload and case: the work done, and the time it took.
const samples = {};
const walls = {};
const failed = new Set();
async function look(ids, times) {
  for (const workload of workloads.filter(({ id }) => ids(id))) {
    say(workload.title);
    const measured = await runWorkload(workload, contenders, { rounds: times, say });
    for (const name of measured.failed) failed.add(name);
    // Alone, the floor is no comparison.
    if (!Object.keys(measured.cpu).some((name) => name !== 'floor')) continue;
    samples[workload.id] = measured.cpu;
    walls[workload.id] = measured.wall;
  }
}
await look(wanted, rounds);
if (options.gate) {
  // Beyond a bound once may be the machine; twice, and longer, it is us.
  const beyond = judge(samples).filter(({ verdict }) => verdict === 'FAILED').map(({ workload }) => workload);
  await look((id) => beyond.includes(id), 2 * rounds);
}
const able = contenders.filter(({ name }) => !failed.has(name));
if (wanted('import')) {
  say('Cold import');
  Object.assign(samples, runImport(able.map(({ name }) => name), { rounds: Math.min(rounds, 9) }));
}
let sizes;
if (wanted('size')) {
  say('Installed size');
  try {
    sizes = runSize(able.filter(({ name }) => name !== 'floor'));
  } catch (error) {
    // It needs the network, and pnpm, which `npm run bench` puts on PATH. The rest is worth printing without it.
    say(`sizes are left out: ${error.message.split('\n')[0]}`);
  }
}

const verdicts = judge(samples);
const machine = `Node.js ${process.version}, ${cpus().length} cores, ${process.platform} ${process.arch}`;
const measured = { machine, contenders: able, samples, walls, sizes, verdicts };
if (options.json) console.log(JSON.stringify(json(measured), null, 2));
else for (const table of tables(measured)) console.log(`${table}\n`);

// Without ours or the floor there was nothing to judge.
if (failed.has('sluice') || failed.has('floor')) process.exitCode = 1;
if (options.gate && verdicts.some(({ verdict }) => verdict === 'FAILED')) process.exitCode = 1;
