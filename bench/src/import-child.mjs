// One cold start of one contender: milliseconds until it is loaded, and until its first call has answered.
import { performance } from 'node:perf_hooks';
import { contenders } from './contenders/index.mjs';

const contender = contenders.find(({ name }) => name === process.argv[2]);
const start = performance.now();
const cases = await contender.load();
const loaded = performance.now() - start;
const small = await cases.small();
small.read(await small.call());
console.log(JSON.stringify({ loaded, called: performance.now() - start }));
process.exit(0);
