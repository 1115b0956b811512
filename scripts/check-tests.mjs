// node scripts/check-tests.mjs
// Fails on a file that looks like a test and that `vitest run` would never run, because no include matches it.
import { spawnSync } from 'node:child_process';
import { join, relative, sep } from 'node:path';
import { root } from './root.mjs';

const LOOKS_LIKE_A_TEST = /(\.|-)(spec|test)\.[cm]?[jt]sx?$/;

function lines(command, args) {
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (result.error) throw result.error;
  if (result.status !== 0) throw new Error(`${command} ${args.join(' ')} failed with ${result.status}`);
  return result.stdout;
}

const tracked = lines('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']).split('\0');
const tests = tracked.filter((file) => LOOKS_LIKE_A_TEST.test(file));
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const listed = JSON.parse(lines(process.execPath, [vitest, 'list', '--filesOnly', '--json']));
const run = new Set(listed.map(({ file }) => relative(root, file).split(sep).join('/')));
const missed = tests.filter((file) => !run.has(file));
for (const file of missed) console.log(`${file}: no include of vitest.config.ts matches it, so it never runs`);
console.log(`test files: ${tests.length} found, ${missed.length} never run`);
process.exitCode = missed.length > 0 || tests.length === 0 ? 1 : 0;
