// One case of one workload, in a process of its own. What one contender does to the process (LangChain and OpenAI Agents
// switch on AsyncLocalStorage, which slows every promise on Node 20) is not charged to the others, and neither are 1,000
// scopes to the one.
// node worker.mjs <workload> <case>; says when it is ready, and then times the case each time it is asked.
import { deepStrictEqual } from 'node:assert';
import { contenders } from './contenders/index.mjs';
import { batch, warmUp } from './measure.mjs';
import { workloads } from './workloads/calls.mjs';

const [id, name] = process.argv.slice(2);
const workload = workloads.find((one) => one.id === id);
const contender = contenders.find((one) => one.name === name.split('/')[0]);

const make = workload.make(await contender.load(), name);
if (make === undefined) {
  process.send({ absent: true });
  process.exit();
}
const one = await make();
// No figure for a wrong answer.
deepStrictEqual(one.read(await one.call()), workload.expected(name), name);
const calls = await warmUp(one);
process.on('message', async () => {
  process.send(await batch(one, calls));
});
process.send({ ready: true });
