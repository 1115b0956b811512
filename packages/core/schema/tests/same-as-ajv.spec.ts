import { Ajv2020 } from 'ajv/dist/2020.js';
import * as formats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema, snapshotJson, type JsonValue } from '../src/index.ts';

/** Schemas are rewritten before Ajv compiles them. These tests hold the rewritten ones against what Ajv makes of the originals. */

type AddFormats = (ajv: Ajv2020) => unknown;

/** Undefined where Ajv itself fails: with `unevaluatedProperties` beside patterns it reads what it has not set. */
function plainAjv(schema: object, value: JsonValue): boolean | undefined {
  const ajv = new Ajv2020({ strict: false, logger: false, ownProperties: true });
  (formats as unknown as { default: { default: AddFormats } }).default.default(ajv);
  try {
    return ajv.compile(schema)(value);
  } catch {
    return undefined;
  }
}

const name = fc.constantFrom('a', 'b', 'constructor', 'x-y');
const scalar = fc.constantFrom<JsonValue[]>(null, true, false, 0, 1, 2, 0.5, '', 'a', 'ab', '2026-01-31', '😀');
const value = fc.letrec<{ any: JsonValue }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(name, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;

const types = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'object', 'array');
const small = fc.nat({ max: 3 });

/** Each keyword as an arbitrary part of a schema; a schema is one to three of them, merged. */
const { schema } = fc.letrec<{ schema: object | boolean; part: object }>((tie) => {
  const sub = tie('schema');
  const keywords: Record<string, fc.Arbitrary<unknown>> = {
    type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
    enum: fc.array(value, { minLength: 1, maxLength: 3 }),
    const: value,
    minimum: small,
    exclusiveMaximum: small,
    multipleOf: fc.constantFrom(1, 2, 0.5),
    minLength: small,
    maxLength: small,
    pattern: fc.constantFrom('^a', 'b$', '^[a-c]*$'),
    format: fc.constantFrom('date', 'uuid', 'no-such-format'),
    required: fc.array(name, { maxLength: 2 }),
    minProperties: small,
    dependentRequired: fc.dictionary(name, fc.array(name, { maxLength: 2 }), { maxKeys: 2, noNullPrototype: true }),
    uniqueItems: fc.boolean(),
    maxItems: small,
    $ref: fc.constantFrom('#/$defs/tree', '#/$defs/short'),
    properties: fc.dictionary(name, sub, { maxKeys: 3, noNullPrototype: true }),
    additionalProperties: sub,
    patternProperties: fc.record({ '^[ab]': sub }),
    propertyNames: sub,
    items: sub,
    prefixItems: fc.array(sub, { minLength: 1, maxLength: 2 }),
    contains: sub,
    minContains: small,
    maxContains: small,
    anyOf: fc.array(sub, { minLength: 1, maxLength: 3 }),
    oneOf: fc.array(sub, { minLength: 1, maxLength: 3 }),
    allOf: fc.array(sub, { minLength: 1, maxLength: 2 }),
    not: sub,
    if: sub,
    then: sub,
    else: sub,
    dependentSchemas: fc.dictionary(name, sub, { maxKeys: 2, noNullPrototype: true }),
    unevaluatedProperties: sub,
    unevaluatedItems: sub,
  };
  const parts = Object.entries(keywords).map(([keyword, content]) => content.map((each) => ({ [keyword]: each })));
  return {
    part: fc.oneof({ depthSize: 'small' }, ...parts),
    schema: fc.oneof(
      { depthSize: 'small' },
      { arbitrary: fc.boolean(), weight: 1 },
      { arbitrary: fc.array(tie('part'), { minLength: 1, maxLength: 3 }).map((all) => Object.assign({}, ...all) as object), weight: 12 },
    ),
  };
});

const $defs = {
  short: { type: 'string', maxLength: 1 },
  tree: { type: ['object', 'string'], properties: { a: { $ref: '#/$defs/tree' }, b: { $ref: '#/$defs/short' } }, required: ['a'] },
};

describe('a schema that was rewritten for Ajv', () => {
  it('accepts and refuses the same values as before, and always says why', () => {
    let compared = 0;
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 4, maxLength: 8 }), (generated, values) => {
        if (typeof generated === 'boolean') return;
        const root = { title: 'any', ...generated, $defs };
        const compiled = compileSchema(root, { origin: 'foreign', label: 'any' });
        for (const each of values) {
          const taken = snapshotJson(each);
          const expected = taken.ok ? plainAjv(root, taken.value) : undefined;
          if (!taken.ok || expected === undefined) continue;
          const issues = compiled.validate(taken.value);
          expect(issues.length === 0).toBe(expected);
          for (const { message } of issues) expect(message).not.toMatch(/undefined|\[object/);
          compared++;
        }
      }),
      { numRuns: 60 },
    );
    expect(compared).toBeGreaterThan(100);
  }, 30_000);

  it('says so at the list when Ajv points at an item that does not exist, as it does beside unevaluatedItems', () => {
    const { validate } = compileSchema(
      { unevaluatedItems: { type: 'string' }, oneOf: [{ unevaluatedItems: true }] },
      { origin: 'foreign', label: 'lists' },
    );
    expect(validate([null, []]).map(({ message }) => message)).toEqual(['value does not fit the schema']);
  });

  it('misses a property whose name is empty, or that every object inherits, which plain Ajv does not', () => {
    for (const wanted of ['', 'constructor', 'toString']) {
      const values = { a: 1 };
      for (const rule of [{ required: [wanted] }, { dependentRequired: { a: [wanted] } }, { dependencies: { a: [wanted] } }]) {
        const { validate } = compileSchema(rule, { origin: 'foreign', label: 'names' });
        expect(validate(values)).toHaveLength(1);
        expect(validate({ ...values, [wanted]: 1 })).toEqual([]);
      }
    }
  });

  it('takes a decimal fraction for a multiple of its last place, which plain division does not', () => {
    const price = compileSchema({ type: 'number', multipleOf: 0.01 }, { origin: 'own', label: 'price' });
    for (let cents = 0; cents < 20_000; cents += 7) expect(price.validate(cents / 100)).toEqual([]);
    expect(price.validate(19.995)).toHaveLength(1);
    expect(price.validate(1e-9)).toHaveLength(1);
  });

  it('compares many items for uniqueness in linear time, whatever the order of their keys', () => {
    const unique = compileSchema({ type: 'array', uniqueItems: true }, { origin: 'foreign', label: 'set' });
    const items = Array.from({ length: 50_000 }, (_, index) => ({ id: index, name: 'n' }));
    expect(unique.validate(items)).toEqual([]);
    expect(unique.validate([{ a: 1, b: 2 }, { b: 2, a: 1 }])).toHaveLength(1);
    expect(unique.validate([1, '1', true, null, [1]])).toEqual([]);
  });
});
