// node scripts/check-snippets.mjs
// Type-checks the ```ts blocks of our Markdown that import something of ours, against the source. A block without
// such an import is a fragment, and is left alone.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

const OPEN = /^```ts\b.*$/;
const work = join(root, 'node_modules', '.cache', 'snippets');

/** Each block that imports ours, with the line it starts on. */
function* snippets(file) {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  for (let start = 0; start < lines.length; start += 1) {
    if (!OPEN.test(lines[start])) continue;
    const end = lines.indexOf('```', start);
    const code = lines.slice(start + 1, end);
    if (/from '@sluice\//.test(code.join('\n'))) yield { file, line: start + 1, code };
    start = end;
  }
}

/** One node_modules that has every package of ours, and whatever any of them uses. */
function linkPackages() {
  const packages = join(root, 'packages');
  const link = (name, target) => {
    const path = join(work, 'node_modules', name);
    if (existsSync(path)) return;
    mkdirSync(join(path, '..'), { recursive: true });
    symlinkSync(target, path, 'junction');
  };
  for (const group of readdirSync(packages)) {
    for (const folder of readdirSync(join(packages, group))) {
      const directory = join(packages, group, folder);
      if (!existsSync(join(directory, 'package.json'))) continue;
      const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
      link(manifest.name, directory);
      for (const name of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })) {
        const installed = join(directory, 'node_modules', name);
        if (!name.startsWith('@sluice/') && existsSync(installed)) link(name, installed);
      }
    }
  }
}

rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
linkPackages();
const tracked = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const found = tracked.filter((file) => existsSync(join(root, file))).flatMap((file) => [...snippets(file)]);
const names = found.map(({ file, line }) => `${file.replaceAll('/', '-')}-line-${line}.ts`);
// As many empty lines in front as the block has in its page: errors then name the line to look at.
found.forEach(({ line, code }, i) => writeFileSync(join(work, names[i]), `${'\n'.repeat(line)}${code.join('\n')}\n`));
writeFileSync(join(work, 'package.json'), '{"type":"module"}');
writeFileSync(
  join(work, 'tsconfig.json'),
  JSON.stringify({ extends: join(root, 'tsconfig.base.json'), files: names }),
);
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', work], { stdio: 'inherit' });
console.log(`snippets: ${found.length} checked in ${new Set(found.map(({ file }) => file)).size} files`);
process.exitCode = status === 0 && found.length > 0 ? 0 : 1;
