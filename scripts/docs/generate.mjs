// node scripts/docs/generate.mjs [--check]
// Writes docs/catalog from our plugins and sources, or, with --check, fails when what is there is not what it would write.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../root.mjs';
import { errorCodesPage } from './catalog/error-codes.mjs';
import { hooksPage } from './catalog/hooks.mjs';
import { pluginsPage } from './catalog/plugins.mjs';
import { toolsPage } from './catalog/tools.mjs';
import { mountedPlugins } from './mounted.mjs';
import { readSources } from './sources.mjs';
import { sourceModules } from './source-modules.mjs';

const isCheck = process.argv.includes('--check');

/** Page -> text, of all that is generated. */
async function pages() {
  const modules = await sourceModules('docs');
  try {
    const facts = { sources: readSources(), plugins: await mountedPlugins(modules.load), load: modules.load };
    return {
      'docs/catalog/tools.md': toolsPage(facts),
      'docs/catalog/plugins.md': pluginsPage(facts),
      'docs/catalog/hooks.md': hooksPage(facts),
      'docs/catalog/error-codes.md': await errorCodesPage(facts),
    };
  } finally {
    await modules.close();
  }
}

let stale = 0;
const made = await pages();
for (const [page, text] of Object.entries(made)) {
  const path = join(root, page);
  const wanted = `${text.trim()}\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === wanted) continue;
  stale += 1;
  if (isCheck) console.log(`${page} is not what the source says: run \`pnpm run docs\` and commit the result`);
  else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, wanted);
    console.log(`${page} written`);
  }
}
console.log(`docs: ${Object.keys(made).length} pages, ${stale} ${isCheck ? 'stale' : 'changed'}`);
// Threads that a runtime keeps ready must not keep this process.
process.exit(isCheck && stale > 0 ? 1 : 0);
