// What is measured call by call. Each workload says which case of a contender it runs; whoever lacks it sits out.
import { deepStrictEqual } from 'node:assert';
import { echo, echoArguments, rowsValue } from '../data.mjs';
import { measure } from '../measure.mjs';

const echoed = echo(echoArguments());
const BATCH = 1_000;

/** `many` workloads run each contender twice, with one and with many, and compare the two. */
export const workloads = [
  { id: 'small', title: 'Small echo call', make: (cases) => cases.small, expected: echoed },
  { id: 'signal', title: 'The same with a caller signal', make: (cases) => cases.signal, expected: echoed },
  {
    id: 'listeners',
    title: 'The same with three no-op listeners on each hook',
    make: (cases) => cases.listeners && (() => cases.listeners(3)),
    expected: echoed,
  },
  { id: 'timeout', title: 'The same under a deadline plugin', make: (cases) => cases.timeout, expected: echoed },
  { id: 'rows', title: 'Typed result of 10,000 rows', make: (cases) => cases.rows, expected: rowsValue, rounds: 7, baseline: 'rows' },
  {
    id: 'batch',
    title: 'Batch of 1,000 small calls',
    make: (cases) => () => cases.batch(BATCH),
    expected: Array.from({ length: BATCH }, () => echoed),
    baseline: 'batch',
  },
  { id: 'tools', title: 'Small call, 1 and 10,000 registered tools', many: 10_000, make: (cases) => cases.tools, expected: echoed },
  { id: 'scopes', title: 'Small call, 1 and 1,000 scopes', many: 1_000, make: (cases) => cases.scopes, expected: echoed },
];

/** The cases of one workload by name: `sluice`, or `sluice/1` and `sluice/10000`. */
async function build(workload, contenders) {
  const cases = {};
  for (const { name, cases: made } of contenders) {
    const make = workload.make(made);
    if (name === 'floor' && workload.many === undefined) {
      // Every workload carries the floor's plain call, unless the floor has one of the same kind.
      cases[name] = await (workload.baseline === undefined ? made.small() : make());
    } else if (make !== undefined && workload.many === undefined) {
      cases[name] = await make();
    } else if (make !== undefined) {
      for (const count of [1, workload.many]) cases[`${name}/${count}`] = await make(count);
    }
  }
  return cases;
}

/** Runs one workload; every case has to give the right answer before it is timed. */
export async function run(workload, contenders, { rounds }) {
  const cases = await build(workload, contenders);
  for (const [name, one] of Object.entries(cases)) {
    deepStrictEqual(one.read(await one.call()), name === 'floor' && workload.baseline === undefined ? echoed : workload.expected, name);
  }
  const samples = await measure(cases, { rounds: workload.rounds ?? rounds });
  for (const one of Object.values(cases)) await one.close?.();
  return samples;
}
