// npm run bench [-- --help]
// Installs what bench/ needs when it is missing or out of date, then runs the benchmark in a fresh Node.js that can
// collect garbage between batches.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeBinary } from '../scripts/node-binary.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const args = process.argv.slice(2);

function npm(...words) {
  const result = spawnSync('npm', words, { cwd: here, stdio: ['ignore', 'inherit', 'inherit'], shell: process.platform === 'win32' });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

function install(withPeers) {
  const lock = createHash('sha256').update(readFileSync(join(here, 'package-lock.json'))).digest('hex');
  const stamp = join(here, 'node_modules', '.installed');
  const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
  if (installed === `${lock} peers` || (!withPeers && installed === `${lock} floor`)) return;
  // pnpm hands its engineStrict on to npm; OpenAI's package declares Node.js 22 for a dependency that its tools do not use.
  npm('ci', '--engine-strict=false', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...(withPeers ? [] : ['--omit=dev']));
  writeFileSync(stamp, `${lock} ${withPeers ? 'peers' : 'floor'}`);
}

/** The programs to run: `--heap`, `--counts`, `--files` and `--code` are of their own, and the gate looks at the counts as well. */
function programs() {
  if (args.includes('--heap')) return ['heap/main.mjs'];
  if (args.includes('--counts')) return ['counts.mjs'];
  if (args.includes('--files')) return ['files/main.mjs'];
  if (args.includes('--code')) return ['code/main.mjs'];
  return args.includes('--gate') ? ['main.mjs', 'counts.mjs'] : ['main.mjs'];
}

/** dsh's runtime needs a Node.js that strips types by itself. */
function nodeFor(program) {
  const isAble = 'stripTypeScriptTypes' in nodeModule || program !== 'code/main.mjs' || args.includes('--no-peers');
  return isAble ? process.execPath : nodeBinary('22');
}

if (!args.includes('--help')) install(programs().some((program) => program.endsWith('main.mjs') && !program.startsWith('heap')) && !args.includes('--no-peers'));
for (const program of programs()) {
  const child = spawnSync(nodeFor(program), ['--expose-gc', join(here, 'src', program), ...args], { stdio: 'inherit' });
  if (child.error) throw child.error;
  process.exitCode ||= child.status ?? 1;
}
