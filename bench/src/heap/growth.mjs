// Does the heap grow with what has been done? Garbage is collected before each look, so what is seen is what is kept.
import { median } from '../stats.mjs';

/** Slack for what the engine itself keeps (compiled code, inline caches); a leak of 16 bytes per step exceeds it. */
const ALLOWED_BYTES_PER_STEP = 8;
const SLACK_BYTES = 256 * 1024;

const turn = () => new Promise((resolve) => { setImmediate(resolve); });

async function heapUsed() {
  // What a weak reference has been asked for is kept until the event loop turns, which steps that wait for nothing never let it;
  // and finalizers run in a turn of their own after what they wait for has been collected.
  for (let look = 0; look < 3; look += 1) {
    await turn();
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}

/**
 * Runs `step` `warm` times, then `samples` times `perSample`, looking at the heap in between.
 * @returns {Promise<{ title: string, steps: number, kiB: number[], grownKiB: number, passed: boolean }>}
 */
export async function watch(title, step, { warm, samples = 10, perSample }) {
  for (let i = 0; i < warm; i += 1) await step(i);
  const seen = [await heapUsed()];
  for (let sample = 0; sample < samples; sample += 1) {
    for (let i = 0; i < perSample; i += 1) await step(warm + sample * perSample + i);
    seen.push(await heapUsed());
  }
  // Three looks at each end: one figure may have caught something passing.
  const grown = median(seen.slice(-3)) - median(seen.slice(0, 3));
  const steps = samples * perSample;
  return {
    title,
    steps,
    kiB: seen.map((bytes) => Math.round(bytes / 1024)),
    grownKiB: Math.round(grown / 1024),
    passed: grown <= Math.min(SLACK_BYTES, SLACK_BYTES / 4 + steps * ALLOWED_BYTES_PER_STEP),
  };
}
