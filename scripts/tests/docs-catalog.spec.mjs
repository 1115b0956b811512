import { describe, expect, it } from 'vitest';
import { codeProblems } from '../docs/catalog/error-codes.mjs';
import { cell, properties, schemaWords } from '../docs/markdown.mjs';

describe('the catalog of error codes', () => {
  const inSources = new Map([['TOOL_BUSY', new Set(['@sluice/core-tools'])]]);

  it('is complete when words and sources name the same codes', () => {
    expect(codeProblems(inSources, new Set(['TOOL_BUSY']))).toEqual([]);
  });

  it('misses a code that a source contains and nobody wrote words for', () => {
    expect(codeProblems(inSources, new Set())).toEqual(['TOOL_BUSY of @sluice/core-tools has no entry in scripts/docs/words/error-codes.mjs']);
  });

  it('refuses words for a code that no source contains', () => {
    expect(codeProblems(new Map(), new Set(['TOOL_BUSY']))).toEqual(['TOOL_BUSY has an entry in scripts/docs/words/error-codes.mjs, and no source contains it']);
  });
});

describe('a schema in words', () => {
  it('says type, bounds and alternatives', () => {
    expect(schemaWords({ type: 'integer', minimum: 1, maximum: 1_000 })).toBe('integer, 1 or more, at most 1,000');
    expect(schemaWords({ enum: ['a', 1] })).toBe('`"a"` or `1`');
    expect(schemaWords({ oneOf: [{ type: 'string', minLength: 1 }, { type: 'array', items: { type: 'number' } }] })).toBe('string, not empty or array of number');
    expect(schemaWords({})).toBe('any value');
  });

  it('finds properties at every depth, also those of items', () => {
    const schema = { required: ['a'], properties: { a: { properties: { b: {} } }, c: { items: { properties: { d: {} } } } } };
    expect([...properties(schema)].map(({ path, isRequired }) => [path, isRequired])).toEqual([['a', true], ['a.b', false], ['c', false], ['c[].d', false]]);
  });

  it('cannot break out of a cell', () => {
    expect(cell('a|b\n c')).toBe('a\\|b c');
  });
});
