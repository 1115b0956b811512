import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import * as native from '../src/bytes.ts';

/** The same module where there is no Node.js. */
async function inBrowser(): Promise<typeof native> {
  vi.stubGlobal('process', undefined);
  try {
    vi.resetModules();
    return await import('../src/bytes.ts');
  } finally {
    vi.unstubAllGlobals();
  }
}

it('bytes are the same to it whether Node.js helps or not', async () => {
  const plain = await inBrowser();
  expect(plain.hasNul).not.toBe(native.hasNul);
  const piece = fc.constantFrom([0], [0x0a], [0x41], [0x42], [0x7f], [0x80], [0xc3, 0xa9], [0xf0, 0x9f, 0x98, 0x80], [0xed, 0xa0, 0x80], [0xef, 0xbb, 0xbf], [0xff]);
  const some = fc.array(piece, { maxLength: 12 }).map((pieces) => Uint8Array.from([9, ...pieces.flat(), 9]).subarray(1, -1));
  fc.assert(
    fc.property(some, some, (a, b) => {
      for (const ask of ['hasNul', 'isAscii', 'isUtf8'] as const) expect(native[ask](a), ask).toBe(plain[ask](a));
      for (const ask of ['isSame', 'commonHead', 'commonTail'] as const) expect(native[ask](a, b), ask).toBe(plain[ask](a, b));
      if (native.isAscii(a)) expect(native.asciiText(a)).toBe(plain.asciiText(a));
      const [head, tail] = [native.commonHead(a, b), native.commonTail(a, b)];
      expect([...a.subarray(0, head)]).toEqual([...b.subarray(0, head)]);
      expect(a.length === head || b.length === head || a[head] !== b[head]).toBe(true);
      expect(a.length === tail || b.length === tail || a[a.length - 1 - tail] !== b[b.length - 1 - tail]).toBe(true);
    }),
    { numRuns: 500 },
  );
});
