import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf, painted, pieces, visible } from '../src/index.ts';

const cut = (text: string, columns: number): string[] => [...pieces(text, columns)];

describe('pieces', () => {
  it('are cut behind spaces, and within a word only where it would leave a great gap', () => {
    expect(cut('the quick brown fox', 12)).toEqual(['the quick ', 'brown fox']);
    expect(cut('a unbreakablelongword', 10)).toEqual(['a unbreaka', 'blelongwor', 'd']);
    expect(cut('', 10)).toEqual(['']);
  });

  it('are the text when put together, and none is too wide', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('a', 'b', ' ', '漢', '😀', 'e\u0301') })).map(visible);
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 30 }), (words, columns) => {
        const all = cut(words, columns);
        expect(all.join('')).toBe(words);
        for (const piece of all) expect(columnsOf(piece)).toBeLessThanOrEqual(columns);
      }),
      { numRuns: 1_000 },
    );
  });

  it('of a long text cost what is looked at', () => {
    const began = performance.now();
    expect(pieces('word '.repeat(2_000_000), 80).next().value).toHaveLength(80);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

it('takes two columns for what is wide, none for marks', () => {
  expect(['abc', '漢字', 'e\u0301', '😀'].map(columnsOf)).toEqual([3, 4, 1, 2]);
});

it('paints where there is colour, and only there', () => {
  expect(painted({ text: 'x', tone: 'added' }, true)).toBe('\x1b[32mx\x1b[0m');
  expect(painted({ text: 'x', tone: 'plain' }, true)).toBe('x');
  expect(painted({ text: 'x', tone: 'removed' }, false)).toBe('x');
});
