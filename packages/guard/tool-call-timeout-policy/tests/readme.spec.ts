import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

it('shows in the README an example that does what it says', async () => {
  const region = /\/\/ #region use\n([^]*)\/\/ #endregion/.exec(read('examples.ts'))?.[1];
  expect(read('README.md')).toContain(`\`\`\`ts\n${String(region)}\`\`\``);

  vi.useFakeTimers();
  const printed = vi.spyOn(console, 'log').mockReturnValue();
  // A server that never answers, and a fetch that listens to its signal.
  vi.stubGlobal('fetch', (_url: string, { signal }: { signal: AbortSignal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => { reject(signal.reason as Error); });
      vi.advanceTimersByTime(50);
    }),
  );
  await import('../examples.ts');
  expect(printed.mock.calls).toEqual([['tool call timed out after 50ms']]);
});
