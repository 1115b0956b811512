// node scripts/docs/check-links.mjs
// Every link in our Markdown that leads to a file of this repository, or to a heading of one, leads there. No network.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.mjs';

const remark = join(root, 'node_modules', 'remark-cli', 'cli.js');
const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  // Changesets become parts of changelogs elsewhere.
  .filter((page) => !page.startsWith('.changeset/') && existsSync(join(root, page)));
const options = ['--no-stdout', '--quiet', '--frail', '--no-config', '--no-ignore', '--use', 'remark-validate-links=repository:false'];
const { status } = spawnSync(process.execPath, [remark, ...pages, ...options], { cwd: root, stdio: 'inherit' });
console.log(`links: ${pages.length} pages looked at`);
process.exitCode = status === 0 && pages.length > 0 ? 0 : 1;
