import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';

const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

describe('the example', () => {
  it('prints what its comments say', async () => {
    const log = vi.spyOn(console, 'log').mockReturnValue(undefined);
    await import('../examples.ts');
    const promised = [...read('examples.ts').matchAll(/\/\/ (\S+ -> .+)$/gm)].map((match) => match[1]);
    expect(promised).toHaveLength(3);
    expect(log.mock.calls.map((words) => words.join(' '))).toEqual(promised);
  });

  it('is the one in the README', () => {
    const [, code] = /\/\/ #region use\n([\s\S]*?)\n\/\/ #endregion/.exec(read('examples.ts')) ?? [];
    expect(code).toBeDefined();
    expect(read('README.md')).toContain(`\`\`\`ts\n${code}\n\`\`\``);
  });
});
