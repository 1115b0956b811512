// How one case is warmed up and timed. Runs in a worker process (worker.mjs).
import { performance } from 'node:perf_hooks';

/** @typedef {{ call(): Promise<unknown>, read(result: unknown): unknown, close?(): Promise<void> }} Case */

/** Milliseconds of work before anything is timed: enough for the compiler to have done its part. */
const WARM_MS = 600;
/** Milliseconds of work that one batch should take. */
const BATCH_MS = 60;

/**
 * `cpu` is what the whole process worked, collecting garbage and compiling on other threads included; `wall` is the time
 * on the clock. On a busy machine `wall` goes up several times while `cpu` stays about the same, so ratios and bounds
 * are those of `cpu`; `wall` shows that nobody wins by sleeping.
 * @param {Case} one
 * @returns {Promise<{ cpu: number, wall: number }>} nanoseconds per call
 */
export async function batch({ call }, calls) {
  const start = performance.now();
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i += 1) await call();
  const { user, system } = process.cpuUsage(before);
  return { cpu: ((user + system) * 1e3) / calls, wall: ((performance.now() - start) * 1e6) / calls };
}

/**
 * Runs a case until it is as fast as it gets, and says how many calls fill one batch.
 * @param {Case} one
 */
export async function warmUp(one) {
  let calls = 1;
  let worked = 0;
  for (;;) {
    const { cpu } = await batch(one, calls);
    worked += (cpu * calls) / 1e6;
    const fitting = Math.max(1, Math.round((BATCH_MS * 1e6) / Math.max(cpu, 1)));
    if (worked >= WARM_MS) return fitting;
    // The first calls are slow, and one of them says little about how many fit.
    calls = Math.min(calls * 4, fitting);
  }
}
