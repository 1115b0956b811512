// The project that is worked on: written to the temp folder, and yours afterwards.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const task = 'Add the Dutch tax wherever a TODO asks for it, and a line about it to the changelog.';

const files = {
  'README.md': '# Till\n\nPrices and receipts of a small shop.\n',
  'CHANGELOG.md': '# Changelog\n\n## Unreleased\n\n- Receipts show the date.\n',
  'src/price.js': 'export function price(order) {\n  // TODO: add the tax\n  return order.amount * order.cents;\n}\n',
  'src/receipt.js': "import { price } from './price.js';\n\nexport function receipt(order) {\n  // TODO: name the tax\n  return `Total: ${price(order)}`;\n}\n",
  'src/date.js': 'export const today = () => new Date().toISOString().slice(0, 10);\n',
  'dist/till.js': '// built from src, a while ago\n',
};

/** @returns the folder of one run, with the project, and room beside it for what tools must not reach */
export function createProject() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-agent-'));
  const root = join(folder, 'project');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { root, sessionFile: join(folder, 'session.jsonl'), rulesFile: join(folder, 'rules.json') };
}
