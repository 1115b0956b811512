import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// Its tests run here, so the example in the README is known to work.
import '../examples.ts';

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

it('shows in the README the example that is tested', () => {
  const region = /\/\/ #region use\n([^]*)\/\/ #endregion/.exec(read('examples.ts'))?.[1];
  expect(read('README.md')).toContain(`\`\`\`ts\n${String(region)}\`\`\``);
});
