// Times several cases in one process, in turn, so that whatever slows the machine down for a while slows all of them.
import { performance } from 'node:perf_hooks';

/** @typedef {{ call(): Promise<unknown> }} Case */

/** Runs until the compiler has had its chance, and says how many calls fill one batch. */
async function warmUp({ call }, { warmMs, batchMs }) {
  const start = performance.now();
  let calls = 0;
  while (calls < 2 || performance.now() - start < warmMs) {
    await call();
    calls += 1;
  }
  // The second half tells the speed: the first is still being compiled.
  const half = Math.max(1, calls >> 1);
  const again = performance.now();
  for (let i = 0; i < half; i += 1) await call();
  return Math.max(1, Math.round((batchMs * half) / (performance.now() - again)));
}

async function batch({ call }, calls) {
  globalThis.gc?.();
  const start = performance.now();
  for (let i = 0; i < calls; i += 1) await call();
  return ((performance.now() - start) * 1e6) / calls;
}

/**
 * Nanoseconds per call of each case, one figure per round; the figures of one round belong together.
 * @param {Record<string, Case>} cases
 * @returns {Promise<Record<string, number[]>>}
 */
export async function measure(cases, { rounds, warmMs = 300, batchMs = 40 }) {
  const names = Object.keys(cases);
  const calls = {};
  const samples = {};
  for (const name of names) {
    calls[name] = await warmUp(cases[name], { warmMs, batchMs });
    samples[name] = [];
  }
  for (let round = 0; round < rounds; round += 1) {
    // Another one starts each time: nobody always runs after the same neighbour.
    for (let i = 0; i < names.length; i += 1) {
      const name = names[(i + round) % names.length];
      samples[name].push(await batch(cases[name], calls[name]));
    }
  }
  return samples;
}
