// node scripts/check-snippets.mjs
// Type-checks the ```ts blocks of our Markdown that import something of ours, against the source. A block without
// such an import is a fragment, and is left alone.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { scratchProject } from './scratch-project.mjs';

/** Each block that imports ours, with the line its fence is on. */
function* snippets(file) {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  for (let start = 0; start < lines.length; start += 1) {
    if (!/^```ts\b/.test(lines[start])) continue;
    const end = lines.indexOf('```', start);
    const code = lines.slice(start + 1, end);
    if (/from '@sluice\//.test(code.join('\n'))) yield { file, line: start + 1, code };
    start = end;
  }
}

const tracked = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const found = tracked.filter((file) => existsSync(join(root, file))).flatMap((file) => [...snippets(file)]);
const work = scratchProject('snippets');
const files = found.map(({ file, line, code }) => {
  const name = `${file.replaceAll('/', '-')}-line-${line}.ts`;
  // As many empty lines in front as the block has in its page: errors then name the line to look at.
  writeFileSync(join(work, name), `${'\n'.repeat(line)}${code.join('\n')}\nexport {};\n`);
  return name;
});
writeFileSync(join(work, 'tsconfig.json'), JSON.stringify({ extends: join(root, 'tsconfig.base.json'), files }));
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', work], { stdio: 'inherit' });
console.log(`snippets: ${found.length} checked in ${new Set(found.map(({ file }) => file)).size} files`);
process.exitCode = status === 0 && found.length > 0 ? 0 : 1;
