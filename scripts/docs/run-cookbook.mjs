// node scripts/docs/run-cookbook.mjs [part of a page's path]
// Runs the programs that the pages of docs/concepts and docs/cookbook make, from source, and fails when one throws, does not end,
// or does not print what its page says. Test files among them are run by Vitest.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, isDeepStrictEqual } from 'node:util';
import { root } from '../root.mjs';
import { pageFolder, programPages, readPage } from './page-modules.mjs';
import { sourceModules } from './source-modules.mjs';

const DEADLINE_MS = 30_000;
const isTest = (file) => file.endsWith('.spec.ts');

/** What a program prints while `run` lasts, by lines. */
async function printedBy(run) {
  const lines = [];
  const methods = ['log', 'info', 'warn', 'error'];
  const own = methods.map((name) => console[name]);
  for (const name of methods) console[name] = (...values) => lines.push(...format(...values).split('\n'));
  try {
    await run();
  } finally {
    methods.forEach((name, index) => (console[name] = own[index]));
  }
  return lines;
}

async function inTime(work) {
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not end within ${DEADLINE_MS} ms`)), DEADLINE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Why a page is wrong, if it is. */
async function problemOf({ path, printed, files }, load) {
  if (!files.includes('page.ts')) return undefined;
  try {
    const lines = await printedBy(() => inTime(load(`/${pageFolder(path)}/page.ts`)));
    if (printed === undefined || isDeepStrictEqual(lines, printed)) return undefined;
    return `it printed\n${lines.join('\n')}\n  and its page says\n${printed.join('\n')}`;
  } catch (error) {
    return error?.stack ?? String(error);
  }
}

const [part = ''] = process.argv.slice(2);
const pages = programPages()
  .filter((path) => path.includes(part))
  .map((path) => {
    const { modules, printed } = readPage(path);
    return { path, printed, modules, files: [...modules.keys()] };
  });
const modules = await sourceModules('pages');
let failed = 0;
for (const { path, modules: made } of pages) {
  for (const [file, code] of made) {
    const at = join(modules.directory, pageFolder(path), file);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, code);
  }
}
for (const page of pages) {
  const problem = await problemOf(page, modules.load);
  if (problem !== undefined) failed += 1;
  console.log(`${problem === undefined ? 'ok    ' : 'FAILED'} ${page.path}${problem === undefined ? '' : `: ${problem}`}`);
}
const tests = pages.flatMap(({ path, files }) => files.filter(isTest).map((file) => `${pageFolder(path)}/${file}`));
if (tests.length > 0) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', '--root', modules.directory, '--config', join(import.meta.dirname, 'vitest.pages.mjs')];
  if (spawnSync(process.execPath, args, { stdio: 'inherit', cwd: modules.directory }).status !== 0) failed += 1;
}
await modules.close();
console.log(`pages: ${pages.length} run, ${tests.length} test files, ${failed} failed`);
process.exit(failed > 0 || pages.length === 0 ? 1 : 0);
