// Cold start: a fresh Node.js for each figure. `import` is until the module is there, `first call` until the first
// result, with whatever the package loads on first use.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const child = fileURLToPath(new URL('../import-child.mjs', import.meta.url));

/** @returns {{ import: Record<string, number[]>, first: Record<string, number[]> }} nanoseconds, one figure per round */
export function run(names, { rounds }) {
  const samples = { import: {}, first: {} };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const { loaded, called } = JSON.parse(execFileSync(process.execPath, [child, name], { encoding: 'utf8' }));
      (samples.import[name] ??= []).push(loaded * 1e6);
      (samples.first[name] ??= []).push(called * 1e6);
    }
  }
  return samples;
}
