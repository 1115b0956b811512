import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedPattern, UnboundedPattern } from '../src/pattern/bounded.ts';
import { matcherOf } from '../src/pattern/match.ts';
import { parsePattern } from '../src/pattern/parse.ts';
import { compilePattern } from '../src/pattern/program.ts';

function linear(source: string, unicode = true): (text: string) => boolean {
  return matcherOf(compilePattern(parsePattern(source, unicode)), unicode);
}

const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '[\\w-]', '\\d', '\\w', '\\s', '\\S', '1', '-', '\\.', '\\x61', '\\u0061', 'é', '\\b', '\\B', '^', '$');
const quantifier = fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{0,}', '*?', '{0}');
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => left + right),
    fc.tuple(tie('pattern'), quantifier).map(([inner, times]) => `(?:${inner})${times}`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(${left}|${right})`),
    fc.tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!', '(?<n>'), tie('pattern')).map(([opening, inner]) => `${opening}${inner})`),
  ),
}));
// No pairs of surrogates: with `u`, V8 finds \B in the middle of one, which the standard does not allow.
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '1', ' ', '-', '.', 'é', '\n', '\ud83d'), maxLength: 8 });

describe('the linear matcher', () => {
  it('agrees with the native engine on any pattern without backreferences', () => {
    fc.assert(
      fc.property(pattern, fc.boolean(), fc.array(text, { minLength: 1, maxLength: 6 }), (source, unicode, texts) => {
        let native: RegExp;
        try {
          native = new RegExp(source, unicode ? 'u' : '');
        } catch {
          return; // Two groups of one name, for instance: no pattern at all.
        }
        const matches = linear(source, unicode);
        for (const each of texts) expect([source, each, matches(each)]).toEqual([source, each, native.test(each)]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads a pair of surrogates as one character with the flag u, and as two without', () => {
    expect(linear('^.$')('😀')).toBe(true);
    expect(linear('^\\ud83d\\ude00$')('😀')).toBe(true);
    expect(linear('^.$', false)('😀')).toBe(false);
    expect(linear('^..$', false)('😀')).toBe(true);
  });

  it('reads what is only valid without the flag u as the native engine does', () => {
    for (const [source, yes, no] of [
      ['^a{$', 'a{', 'a'],
      ['^x]y}$', 'x]y}', 'xy'],
      ['^\\u{3}$', 'uuu', 'u'],
      ['^\\p{L}$', 'p{L}', 'L'],
      ['^[\\w-.]+$', 'a-.', '/'],
    ] as const) {
      expect([source, linear(source, false)(yes), linear(source, false)(no)]).toEqual([source, true, false]);
      expect([source, new RegExp(source).test(yes), new RegExp(source).test(no)]).toEqual([source, true, false]);
    }
  });
});

describe('a bounded pattern', () => {
  it('takes linear time where the native engine would take forever', () => {
    for (const source of ['^(a+)+$', '(a|a)*$', '^(a|aa)+$', '(x+x+)+y', '^(?=(a+)+$)', '(.*a){20}$']) {
      const bounded = boundedPattern(source);
      const started = performance.now();
      bounded.test(`${'a'.repeat(5_000)}!`);
      expect(performance.now() - started).toBeLessThan(2_000);
    }
  });

  it('keeps the patterns that real servers send', () => {
    const email = boundedPattern("^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$");
    expect(email.test('name@example.com')).toBe(true);
    expect(email.test('na..me@example.com')).toBe(false);
    expect(email.test(`a@${'a.'.repeat(2_000)}`)).toBe(false);
  });

  it('refuses to guess when a text is too long for its automaton', () => {
    expect(() => boundedPattern('^(a|b|ab)*c$').test('a'.repeat(10_000_000))).toThrow(/too long to be checked/);
    expect(boundedPattern('^[a-z]{1,9999}$').test('a'.repeat(9_999))).toBe(true);
  });

  it('is refused with the reason when no automaton can run it', () => {
    for (const [source, reason] of [
      ['(a)\\1', /backreference/],
      ['(?<n>a)\\k<n>', /backreference/],
      ['(?:a{1,50}){1,50}', /states/],
      [`${'('.repeat(200)}a${')'.repeat(200)}`, /nested/],
      ['a'.repeat(30_000), /longer/],
    ] as const) {
      expect(() => boundedPattern(source)).toThrow(UnboundedPattern);
      expect(() => boundedPattern(source)).toThrow(reason);
    }
  });
});
