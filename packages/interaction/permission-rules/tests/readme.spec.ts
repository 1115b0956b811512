import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

it('shows in the README an example that does what it says', async () => {
  const region = /\/\/ #region use\n([^]*)\/\/ #endregion/.exec(read('examples.ts'))?.[1];
  expect(read('README.md')).toContain(`\`\`\`ts\n${String(region)}\`\`\``);
  const printed = vi.spyOn(console, 'log').mockReturnValue();
  await import('../examples.ts');
  const promised = [...String(region).matchAll(/^ {2}\/\/ (.*)$/gm)].map(([, line]) => [line]);
  expect(printed.mock.calls).toEqual(promised);
  expect(promised).toHaveLength(3);
});
