// One contender on one workload, in a process of its own: what one contender does to the process (LangChain and OpenAI
// Agents switch on AsyncLocalStorage, which slows every promise on Node 20) is not charged to the others.
// node worker.mjs <contender> <workload>; sends its cases when it is ready, and then times the one it is asked for.
import { deepStrictEqual } from 'node:assert';
import { contenders } from './contenders/index.mjs';
import { batch, warmUp } from './measure.mjs';
import { workloads } from './workloads/calls.mjs';

const contender = contenders.find(({ name }) => name === process.argv[2]);
const workload = workloads.find(({ id }) => id === process.argv[3]);

const made = await contender.load();
const cases = {};
const calls = {};
for (const [name, make] of Object.entries(workload.cases(made, contender.name))) {
  const one = await make();
  // No figure for a wrong answer.
  deepStrictEqual(one.read(await one.call()), workload.expected(name), name);
  cases[name] = one;
  calls[name] = await warmUp(one);
}

process.on('message', async ({ time }) => {
  process.send(await batch(cases[time], calls[time]));
});
process.send({ cases: Object.keys(cases) });
