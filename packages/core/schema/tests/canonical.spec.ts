import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, parseJsonText, snapshotJson, type JsonValue } from '../src/index.ts';

const jsonValue = fc.jsonValue({ maxDepth: 6 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);

/** The same value with the keys of every object in another order. */
function reordered(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => reordered(item));
  const copy = {};
  for (const [key, item] of Object.entries(value).reverse()) {
    Object.defineProperty(copy, key, { value: reordered(item), enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

describe('canonical JSON', () => {
  it('is the same for any order of keys, at every depth', () => {
    expect(canonicalJson({ b: [{ y: 1, x: { d: 0, c: 0 } }], a: null })).toBe('{"a":null,"b":[{"x":{"c":0,"d":0},"y":1}]}');
    fc.assert(fc.property(jsonValue, (value) => { expect(canonicalJson(reordered(value))).toBe(canonicalJson(value)); }));
  });

  it('is JSON text of the same value', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const text = canonicalJson(value);
        expect(isDeepStrictEqual(JSON.parse(text), value)).toBe(true);
        const snapshot = parseJsonText(text);
        expect(snapshot.ok && isDeepStrictEqual(snapshot.value, value)).toBe(true);
      }),
    );
  });

  it('is the same text exactly for equal values', () => {
    const small = fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
    fc.assert(
      fc.property(fc.oneof(fc.tuple(small, small), jsonValue.map((value) => [value, structuredClone(value)] as const)), ([a, b]) => {
        expect(canonicalJson(a) === canonicalJson(b)).toBe(isDeepStrictEqual(a, b));
      }),
    );
  });

  it.each<[JsonValue, JsonValue]>([
    [[1, 2], [2, 1]], [[1], ['1']], [{ a: 1 }, { a: '1' }], [null, 'null'], [true, 'true'], [{}, []], [[], [[]]], [[1, [2]], [[1], 2]], [{ a: {} }, { a: null }],
    [{ 'a:1': 2 }, { a: '1:2' }], ['', null], [0, false], [['a,b'], ['a', 'b']], [{ a: 1 }, { a: 1, b: null }],
  ])('tells %j from %j: order in arrays, types and structure matter', (a, b) => {
    expect(canonicalJson(a)).not.toBe(canonicalJson(b));
  });

  it('has no white space, writes scalars as JSON.stringify does, and sorts keys by UTF-16 units', () => {
    fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()), (scalar) => {
      expect(canonicalJson(scalar)).toBe(JSON.stringify(scalar));
      expect(canonicalJson([scalar, { a: scalar }])).toBe(`[${JSON.stringify(scalar)},{"a":${JSON.stringify(scalar)}}]`);
    }));
    // Integer keys come first in an object, and in numeric order; here they are text like any other key.
    expect(canonicalJson({ 10: 0, 9: 0, '-': 0, '\ufb33': 0, '😀': 0, A: 0, a: 0, '': 0 })).toBe('{"":0,"-":0,"10":0,"9":0,"A":0,"a":0,"😀":0,"\ufb33":0}');
  });

  it('keeps a `__proto__` key, and tells it from its absence [167]', () => {
    const value = JSON.parse('{"b":1,"__proto__":{"d":1,"c":[{"__proto__":null}]}}') as JsonValue;
    expect(canonicalJson(value)).toBe('{"__proto__":{"c":[{"__proto__":null}],"d":1},"b":1}');
    expect(canonicalJson(value)).not.toBe(canonicalJson({ b: 1 }));
  });

  it('keeps lone surrogates apart', () => {
    expect(canonicalJson({ '\ud83d': '\udc00' })).toBe('{"\\ud83d":"\\udc00"}');
    expect(canonicalJson('\ud83d')).not.toBe(canonicalJson('\ud83e'));
  });

  it('does not recurse: a hundred thousand levels are fine [168]', () => {
    const levels = 100_000;
    for (const text of ['['.repeat(levels) + ']'.repeat(levels), '{"a":['.repeat(levels) + ']}'.repeat(levels)]) {
      expect(canonicalJson(JSON.parse(text) as JsonValue) === text).toBe(true);
    }
  });

  it('takes frozen snapshots and leaves what it is given alone', () => {
    const snapshot = snapshotJson({ b: 1, a: [{ d: 1, c: 2 }] });
    expect(snapshot.ok && canonicalJson(snapshot.value)).toBe('{"a":[{"c":2,"d":1}],"b":1}');
    const value = { b: 1, a: { d: 1, c: 2 } };
    canonicalJson(value);
    expect(JSON.stringify(value)).toBe('{"b":1,"a":{"d":1,"c":2}}');
  });
});
