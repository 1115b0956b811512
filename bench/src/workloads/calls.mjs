// What is measured call by call: the cases of a contender, how each is made, and what the right answer is. A contender that
// cannot make one sits out. Cases are named like the contender, with `/1` and `/1000` where one and many are compared.
import { echo, echoArguments, rowsValue } from '../data.mjs';

const BATCH = 1_000;
const echoed = () => echo(echoArguments());

/** With `floorToo` the floor runs the same case; otherwise it runs its plain call, as the measure for all. */
const single = (id, title, pick, { floorToo = false, expected = echoed, rounds } = {}) => ({
  id,
  title,
  rounds,
  cases: (name) => [name],
  make: (made, name) => (name === 'floor' && !floorToo ? made.small : pick(made)),
  expected: (name) => (name === 'floor' && !floorToo ? echoed() : expected()),
});

const growing = (id, title, many, pick) => ({
  id,
  title,
  many,
  cases: (name) => [`${name}/1`, `${name}/${many}`],
  make: (made, name) => pick(made) && (() => pick(made)(Number(name.split('/')[1]))),
  expected: echoed,
});

const batch = (made) => made.batch && (() => made.batch(BATCH));

export const workloads = [
  single('small', 'Small echo call', (made) => made.small),
  single('signal', 'The same with a caller signal', (made) => made.signal),
  single('listeners', 'The same with three no-op listeners on each hook', (made) => made.listeners && (() => made.listeners(3))),
  single('timeout', 'The same under a deadline plugin', (made) => made.timeout),
  single('policies', 'The same with deadlines, reminder, rules and limits loaded', (made) => made.policies),
  single('binding', 'The same with each of them binding the call: a deadline, places, an allow', (made) => made.binding),
  single('rows', 'Typed result of 10,000 rows', (made) => made.rows, { floorToo: true, expected: () => rowsValue, rounds: 7 }),
  single('batch', 'Batch of 1,000 small calls', batch, { floorToo: true, expected: () => Array.from({ length: BATCH }, echoed) }),
  growing('tools', 'Small call, 1 and 10,000 registered tools', 10_000, (made) => made.tools),
  growing('scopes', 'Small call, 1 and 1,000 scopes', 1_000, (made) => made.scopes),
];
