import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visible, visibleLines } from '../src/index.ts';

const HARMFUL = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Z}/u;
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\\', 'x', 'u', '{', '}', '1', 'b', '\x1b', '\u202e', 'a', '\u0301', ' ', '\ud800') }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
);

/** What a reader who knows the rule makes of it. */
function read(shown: string): string {
  return shown.replace(/(\\+)(x[0-9a-f]{2}|u\{[0-9a-f]+\})/g, (_all, slashes: string, code: string) => {
    const literal = '\\'.repeat(Math.floor(slashes.length / 2));
    return slashes.length % 2 === 0 ? literal + code : literal + String.fromCodePoint(parseInt(code.replace(/[^0-9a-f]/g, ''), 16));
  });
}

describe('visible()', () => {
  it('leaves nothing that a terminal obeys, hides or reorders [H099]', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(visible(text)).not.toMatch(HARMFUL);
      }),
    );
  });

  it('shows different texts differently, tabs aside', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        fc.pre(!text.includes('\t'));
        expect(read(visible(text))).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['plain text, C:\\Users\\x and 漢字 äöü 😀', 'plain text, C:\\Users\\x and 漢字 äöü 😀'],
    ['\x1b[2J\x07\r\n\0\x7f\x9b', '\\x1b[2J\\x07\\x0d\\x0a\\x00\\x7f\\x9b'],
    ['a\u202eb\u2066c\u200bd\u2028e\ufefff\u{e0041}', 'a\\u{202e}b\\u{2066}c\\u{200b}d\\u{2028}e\\u{feff}f\\u{e0041}'],
    ['a\u00a0b\u3164c\u2800d\ue000e\ud800', 'a\\xa0b\\u{3164}c\\u{2800}d\\u{e000}e\\u{d800}'],
    ['\\x1b is text, \\\u202e is not', '\\\\x1b is text, \\\\\\u{202e} is not'],
    ['\u0301a\u0301b\u0301\u0301\u0301\u0301\u0301', '\\u{301}a\u0301b\u0301\u0301\u0301\u0301\\u{301}'],
    ['\tx', '→   x'],
  ])('shows %j as %j', (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it('ends a line at a line feed only', () => {
    expect(visibleLines('a\nb\r\nc\u2028d\x0be')).toEqual(['a', 'b\\x0d', 'c\\u{2028}d\\x0be']);
  });

  it('takes a megabyte in its stride', () => {
    const began = performance.now();
    expect(visible('\u202e'.repeat(300_000))).toHaveLength(300_000 * 8);
    expect(visible('\\'.repeat(1_000_000))).toHaveLength(1_000_000);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
