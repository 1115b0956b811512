// node scripts/check-snippets.mjs
// Type-checks the ```ts blocks of our Markdown against the source: of docs/concepts and docs/cookbook all, as the programs that
// their pages make; elsewhere those that import something of ours. A block without such an import is a fragment there, and
// is left alone.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pageFolder, programPages, readPage } from './docs/page-modules.mjs';
import { root } from './root.mjs';
import { scratchProject } from './scratch-project.mjs';

/** Each block that imports ours, as a module of its own, with as many empty lines in front as it has in its page. */
function* snippets(page) {
  const lines = readFileSync(join(root, page), 'utf8').split('\n');
  for (let start = 0; start < lines.length; start += 1) {
    if (!/^```ts\b/.test(lines[start])) continue;
    const end = lines.indexOf('```', start);
    const code = lines.slice(start + 1, end).join('\n');
    const file = `${page.replaceAll('/', '-')}-line-${start + 1}.ts`;
    if (/from '@sluice\//.test(code)) yield { page, file, code: `${'\n'.repeat(start + 1)}${code}\nexport {};\n` };
    start = end;
  }
}

function* programs(page) {
  for (const [file, code] of readPage(page).modules) yield { page, file: `${pageFolder(page)}/${file}`, code };
}

const whole = programPages();
const tracked = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const others = tracked.filter((page) => !whole.includes(page) && existsSync(join(root, page)));
const found = [...others.flatMap((page) => [...snippets(page)]), ...whole.flatMap((page) => [...programs(page)])];
const work = scratchProject('snippets');
for (const { file, code } of found) {
  mkdirSync(dirname(join(work, file)), { recursive: true });
  writeFileSync(join(work, file), code);
}
const files = found.map(({ file }) => file);
writeFileSync(join(work, 'tsconfig.json'), JSON.stringify({ extends: join(root, 'tsconfig.base.json'), files }));
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', work], { stdio: 'inherit' });
console.log(`snippets: ${found.length} checked in ${new Set(found.map(({ page }) => page)).size} files`);
process.exitCode = status === 0 && found.length > 0 ? 0 : 1;
