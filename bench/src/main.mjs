// The benchmark itself; started by ../run.mjs. Tables or JSON go to stdout, progress to stderr.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { own, peers } from './contenders/index.mjs';
import { json, tables } from './report.mjs';
import { judge } from './targets.mjs';
import { run as runCalls, workloads } from './workloads/calls.mjs';
import { run as runImport } from './workloads/import.mjs';
import { run as runSize } from './workloads/size.mjs';

/** The workloads that a bound exists for. */
const GATED = ['small', 'listeners', 'rows', 'tools', 'scopes'];

const help = `npm run bench -- [options]
  --no-peers         only Sluice and the floor; nothing of other people's is installed
  --gate             only what has a bound, and the counts; exit 1 when one is beyond it
  --only a,b         only these: ${[...workloads.map(({ id }) => id), 'import', 'size'].join(', ')}
  --rounds n         rounds per workload (default 15)
  --json             one JSON document instead of tables
  --heap             instead: one million calls, and 10,000 mounts, without heap growth
  --counts           instead: promises, controllers, timers and listeners that one call makes`;

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
const only = options.only?.split(',') ?? (options.gate ? GATED : undefined);
const wanted = (id) => only === undefined || only.includes(id);
const say = (what) => console.error(`… ${what}`);

const versionOf = (peer) => JSON.parse(readFileSync(new URL(`../node_modules/${peer}/package.json`, import.meta.url), 'utf8')).version;

/** Loads everyone. A peer that cannot be loaded is named and sits out; without ours there is nothing to judge. */
async function loadAll(all) {
  const loaded = [];
  for (const contender of all) {
    try {
      const version = contender.peer && versionOf(contender.peer);
      loaded.push({ ...contender, version, cases: await contender.load() });
    } catch (error) {
      say(`${contender.title} sits out: ${error.message.split('\n')[0]}`);
      if (own.includes(contender)) process.exitCode = 1;
    }
  }
  return loaded;
}

const contenders = await loadAll(options['no-peers'] ? own : [...own, ...peers]);
const samples = {};
for (const workload of workloads.filter(({ id }) => wanted(id))) {
  say(workload.title);
  const measured = await runCalls(workload, contenders, { rounds });
  // Alone, the floor is no comparison.
  if (Object.keys(measured).some((name) => name !== 'floor')) samples[workload.id] = measured;
}
if (wanted('import')) {
  say('Cold import');
  Object.assign(samples, runImport(contenders.map(({ name }) => name), { rounds: Math.min(rounds, 9) }));
}
let sizes;
if (wanted('size')) {
  say('Installed size');
  try {
    sizes = runSize(contenders.filter(({ name }) => name !== 'floor'));
  } catch (error) {
    // It needs the network, and pnpm, which `npm run bench` puts on PATH. The rest is worth printing without it.
    say(`sizes are left out: ${error.message.split('\n')[0]}`);
  }
}

const verdicts = judge(samples);
const machine = `Node.js ${process.version}, ${cpus().length} cores, ${process.platform} ${process.arch}`;
const measured = { machine, contenders, samples, sizes, verdicts };
if (options.json) console.log(JSON.stringify(json(measured), null, 2));
else for (const table of tables(measured)) console.log(`${table}\n`);

if (options.gate && verdicts.some(({ verdict }) => verdict === 'FAILED')) process.exitCode = 1;
// Some peers keep handles open. What was written has to be out first.
process.stdout.write('', () => process.exit());
