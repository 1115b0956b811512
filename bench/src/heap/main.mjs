// npm run bench -- --heap: what must not grow, however long the process lives. Exits 1 when it does.
import { table } from '../table.mjs';
import { run as millionCalls } from './million-calls.mjs';
import { run as mounts } from './mounts.mjs';

const results = [];
for (const run of [millionCalls, mounts]) {
  const result = await run();
  results.push(result);
  console.error(`${result.title}: KiB ${result.kiB.join(' ')}`);
}
const rows = results.map(({ title, steps, kiB, grownKiB, passed }) => [
  title,
  `${kiB[0]} KiB`,
  `${grownKiB} KiB`,
  `${((grownKiB * 1024) / steps).toFixed(2)} B`,
  passed ? 'flat' : 'GROWS',
]);
console.log(`### Heap, Node.js ${process.version}\n\n${table(['', 'at the start', 'grown', 'per step', ''], rows)}`);
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
