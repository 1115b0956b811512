import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { Type } from 'typebox';
import { describe, expect, it, vi } from 'vitest';
import { compileSchema, isObjectRoot, isSluiceError, type CompiledSchema, type JsonObject, type JsonValue, type SluiceError } from '../src/index.ts';

type Origin = 'own' | 'foreign';
const LABEL = 'tool "sample" parameters';

const compile = (source: unknown, origin: Origin): CompiledSchema => compileSchema(source, { origin, label: LABEL });
const own = (source: unknown): CompiledSchema => compile(source, 'own');
const foreign = (source: unknown): CompiledSchema => compile(source, 'foreign');
const property = (schema: unknown): object => ({ type: 'object', properties: { a: schema } });

function refusal(source: unknown, origin: Origin = 'own'): SluiceError {
  try {
    compile(source, origin);
  } catch (error) {
    if (isSluiceError(error)) return error;
    throw error;
  }
  throw new Error('the schema was accepted');
}

/** Whether a value is accepted; the schema is the one of property `a`. */
function accepts(schema: unknown, value: JsonValue, origin: Origin = 'own'): boolean {
  return compile(property(schema), origin).validate({ a: value }).length === 0;
}

describe('raw JSON Schema', () => {
  it('keeps objects open unless they say otherwise [27]', () => {
    expect(own({ type: 'object', properties: {} }).validate({ more: 1 })).toEqual([]);
    expect(own({ type: 'object', additionalProperties: false }).validate({ more: 1 })).toHaveLength(1);
  });

  it('is handed out as it was written, detached and deep-frozen', () => {
    const source = { type: 'object', properties: { a: { type: 'string', description: 'first' } }, required: ['a'] };
    const schema = own(source);
    expect(schema.json).toEqual(source);
    expect(Object.isFrozen(schema.json) && Object.isFrozen(schema.json['required'])).toBe(true);
    source.properties.a.type = 'integer';
    expect(Object.isFrozen(source)).toBe(false);
    expect(schema.validate({ a: 'text' })).toEqual([]);
    expect(schema.json).toMatchObject({ properties: { a: { type: 'string' } } });
  });

  it('of 2020-12 has prefixItems, dependentRequired and $defs', () => {
    const schema = own({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { id: { type: 'string', minLength: 2 } },
      properties: { pair: { type: 'array', prefixItems: [{ $ref: '#/$defs/id' }, { type: 'integer' }], items: false } },
      dependentRequired: { pair: ['note'] },
    });
    expect(schema.validate({ pair: ['ab', 1], note: 1 })).toEqual([]);
    expect(schema.validate({ pair: ['ab', 1] })).toMatchObject([{ path: 'note' }]);
    expect(schema.validate({ pair: ['a', 1], note: 1 })).toMatchObject([{ path: 'pair[0]' }]);
    expect(schema.validate({ pair: ['ab', 1, 2], note: 1 })).toMatchObject([{ path: 'pair' }]);
  });

  it('of draft-07 has lists of items, dependencies and definitions', () => {
    const schema = own({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      definitions: { id: { type: 'string', minLength: 2 } },
      properties: { pair: { type: 'array', items: [{ $ref: '#/definitions/id' }, { type: 'integer' }], additionalItems: false } },
      dependencies: { pair: ['note'] },
    });
    expect(schema.validate({ pair: ['ab', 1], note: 1 })).toEqual([]);
    expect(schema.validate({ pair: ['ab', 1] })).toMatchObject([{ path: 'note' }]);
    expect(schema.validate({ pair: ['a', 1], note: 1 })).toMatchObject([{ path: 'pair[0]' }]);
    expect(schema.validate({ pair: ['ab', 1, 2], note: 1 })).toMatchObject([{ path: 'pair' }]);
  });

  it.each<[name: string, schema: JsonObject, right: JsonValue, wrong: JsonValue]>([
    ['anyOf', { anyOf: [{ type: 'string' }, { type: 'null' }] }, null, 1],
    ['oneOf', { oneOf: [{ type: 'number' }, { type: 'string' }] }, 'x', true],
    ['allOf', { allOf: [{ type: 'string' }, { minLength: 2 }] }, 'ab', 'a'],
    ['not', { not: { const: 'no' } }, 'yes', 'no'],
    ['if', { if: { type: 'string' }, then: { minLength: 2 }, else: { type: 'null' } }, 'ab', 'a'],
    ['format', { type: 'string', format: 'date' }, '2026-01-31', '2026-02-31'],
    ['pattern', { type: 'string', pattern: '^a+$' }, 'aa', 'ab'],
    ['minimum', { type: 'number', minimum: 2 }, 2, 1.9],
    ['multipleOf', { type: 'number', multipleOf: 0.01 }, 19.99, 19.999],
    ['maxLength', { type: 'string', maxLength: 1 }, '😀', 'ab'],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }] }, ['a'], [1]],
    ['uniqueItems', { type: 'array', uniqueItems: true }, [1, '1'], [{ a: 1 }, { a: 1 }]],
    ['contains', { type: 'array', contains: { const: 1 } }, [0, 1], [0]],
    ['a schema for additionalProperties', { type: 'object', additionalProperties: { type: 'string' } }, { x: 'a' }, { x: 1 }],
    ['unevaluatedProperties', { type: 'object', allOf: [{ properties: { x: {} } }], unevaluatedProperties: false }, { x: 1 }, { y: 1 }],
    ['a list of types', { type: ['string', 'null'] }, null, 1],
    ['a false schema', { anyOf: [false, { type: 'integer' }] }, 1, 'x'],
  ])('has %s, which a smaller vocabulary leaves out [37, W26]', (_name, schema, right, wrong) => {
    expect(accepts(schema, right)).toBe(true);
    expect(accepts(schema, right, 'foreign')).toBe(true);
    expect(accepts(schema, wrong)).toBe(false);
    expect(accepts(schema, wrong, 'foreign')).toBe(false);
  });

  it('may describe a value of any kind, where nobody asks for an object [42]', () => {
    expect(own({ type: 'string' }).validate('x')).toEqual([]);
    expect(isObjectRoot(own({ type: 'string' }))).toBe(false);
    expect(isObjectRoot(own({ type: ['object', 'null'] }))).toBe(false);
    expect(isObjectRoot(own({ anyOf: [{ type: 'object' }, { $ref: '#/$defs/o' }], $defs: { o: { type: 'object' } } }))).toBe(true);
  });

  it('takes annotations without applying them [23, 24]', () => {
    const schema = own(property({ type: 'integer', title: 'A', description: 'a', default: 'five', examples: [1] }));
    const value = Object.freeze({});
    expect(schema.validate(value)).toEqual([]);
    expect(value).toEqual({});
  });

  it('takes repeated enum members and required names [26]', () => {
    expect(accepts({ type: 'string', enum: ['x', 'x'] }, 'x')).toBe(true);
    expect(own({ ...property({}), required: ['a', 'a'] }).validate({})).toHaveLength(1);
  });

  it('knows a property that is called __proto__ [36]', () => {
    const schema = own(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"integer"}},"required":["__proto__"]}'));
    expect(schema.validate(JSON.parse('{"__proto__":1}') as JsonValue)).toEqual([]);
    expect(schema.validate(JSON.parse('{"__proto__":"x"}') as JsonValue)).toMatchObject([{ path: '__proto__' }]);
    expect(schema.validate({})).toMatchObject([{ path: '__proto__' }]);
  });

  it('knows a property without a name [36]', () => {
    const schema = own({ type: 'object', properties: { a: {}, '': { type: 'integer' } }, required: ['a', ''] });
    expect(schema.validate({ a: 1, '': 1 })).toEqual([]);
    expect(schema.validate({ a: 1 })).toMatchObject([{ path: '[""]', message: 'missing required property [""]' }]);
  });

  it('does not take an inherited member for a property [52]', () => {
    const schema = own({ type: 'object', properties: { toString: { type: 'string' } }, required: ['toString'] });
    expect(schema.validate({})).toMatchObject([{ path: 'toString', received: 'nothing' }]);
  });

  it('may use one schema object in several places, or come from another realm [33, 35]', () => {
    const shared = { type: 'string' };
    expect(own({ type: 'object', properties: { a: shared, b: shared } }).validate({ a: 'x', b: 'y' })).toEqual([]);
    expect(own(runInNewContext('({ type: "object", properties: { a: { type: "string" } } })')).validate({ a: 'x' })).toEqual([]);
  });
});

describe('references', () => {
  const node = {
    type: 'object',
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
    required: ['name'],
  };
  const tree = { type: 'object', properties: { root: { $ref: '#/$defs/node' } }, $defs: { node } };

  it('may be recursive: nested data is checked at every level (H139)', () => {
    const schema = foreign(tree);
    expect(JSON.parse(JSON.stringify(schema.json))).toEqual(tree);
    expect(isObjectRoot(schema)).toBe(true);
    expect(schema.validate({ root: { name: 'x', children: [{ name: 'y', children: [] }] } })).toEqual([]);
    expect(schema.validate({ root: { name: 'x', children: [{ name: 5, children: [] }] } })).toMatchObject([{ path: 'root.children[0].name' }]);
  });

  it.each<[name: string, schema: JsonObject]>([
    ['{ a -> b -> a }', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
    ['itself', { $ref: '#' }],
    ['itself through anyOf', { anyOf: [{ type: 'string' }, { $ref: '#' }] }],
    ['itself through not', { not: { $ref: '#' } }],
  ])('that lead back to %s are refused with the reason, without an overflow (H139)', (_name, schema) => {
    for (const origin of ['own', 'foreign'] as const) {
      const error = refusal(schema, origin);
      expect(error.code).toBe('INVALID_SCHEMA');
      expect(error.message).toContain('only leads back to itself');
    }
  });

  it('reach an anchor, an $id, an escaped name and the root', () => {
    const schema = own({
      type: 'object',
      $defs: { 'a/b': { type: 'integer' }, c: { $anchor: 'text', type: 'string' }, d: { $id: 'https://x.example/d', type: 'null' } },
      properties: { i: { $ref: '#/$defs/a~1b' }, t: { $ref: '#text' }, n: { $ref: 'https://x.example/d' }, self: { $ref: '#' } },
    });
    expect(schema.validate({ i: 1, t: 'x', n: null, self: { i: 1 } })).toEqual([]);
    expect(schema.validate({ i: 'x', t: 1, n: 1, self: { i: 'x' } }).map((issue) => issue.path)).toEqual(['i', 't', 'n', 'self.i']);
  });

  it('to another document are refused: nothing is ever fetched', () => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    for (const origin of ['own', 'foreign'] as const) {
      const { code, message } = refusal(property({ $ref: 'https://x.example/a.json' }), origin);
      expect(code).toBe('INVALID_SCHEMA');
      expect(message).toMatch(/"properties\.a\.\$ref" refers to another document, which is never fetched; .*x\.example/);
    }
    expect(fetched).not.toHaveBeenCalled();
  });

  it('to nothing are refused', () => {
    expect(refusal(property({ $ref: '#/$defs/gone' }), 'foreign').message).toContain('points to a place that does not exist');
    expect(refusal(property({ $ref: '#gone' }), 'foreign').message).toContain('an anchor that does not exist');
  });

  it('cannot make checking exponential', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, level) => {
        const next = { $ref: `#/$defs/n${level + 1}` };
        return [`n${level}`, { anyOf: [next, next] }];
      }),
    );
    const schema = foreign({ ...property({ $ref: '#/$defs/n0' }), $defs: { ...$defs, n30: { type: 'string' } } });
    const start = performance.now();
    expect(schema.validate({ a: 1 })).toMatchObject([{ message: expect.stringContaining('cannot be checked') as string }]);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});

describe('a property map', () => {
  it('is an open object; required names are listed in order, and only if there are any [28, 29]', () => {
    expect(own({ b: { type: 'string', required: true }, a: { type: 'integer' }, c: { type: 'null', required: true } }).json).toEqual({
      type: 'object',
      properties: { b: { type: 'string' }, a: { type: 'integer' }, c: { type: 'null' } },
      required: ['b', 'c'],
    });
    expect(own({ a: { type: 'string' } }).json).toEqual({ type: 'object', properties: { a: { type: 'string' } } });
    expect(own({}).json).toEqual({ type: 'object', properties: {} });
    expect(own({}).validate({ anything: 1 })).toEqual([]);
    expect(own({}).validate([])).toHaveLength(1);
  });

  it('nests through objects and arrays, down to each required property', () => {
    const schema = own({
      list: { type: 'array', items: { type: 'object', additionalProperties: false, properties: { id: { type: 'integer', required: true } } } },
    });
    expect(schema.json['properties']).toEqual({
      list: { type: 'array', items: { type: 'object', additionalProperties: false, properties: { id: { type: 'integer' } }, required: ['id'] } },
    });
    expect(schema.validate({ list: [{ id: 1 }] })).toEqual([]);
    expect(schema.validate({ list: [{}, { id: 1, x: 1 }] }).map((issue) => issue.path)).toEqual(['list[0].id', 'list[1].x']);
  });

  it('has each kind of value, json for any, and oneOf for exactly one [22, 25, 30, 38]', () => {
    const schema = own({
      s: { type: 'string', enum: ['x', 'y'] },
      n: { type: 'number', minimum: 0 },
      b: { type: 'boolean' },
      any: { type: 'json', description: 'anything' },
      either: { oneOf: [{ type: 'string' }, { type: 'null' }] },
    });
    expect(schema.json).toMatchObject({ properties: { any: { description: 'anything' } } });
    expect(schema.validate({ s: 'x', n: 0.5, b: false, any: [{ deep: null }], either: null })).toEqual([]);
    expect(schema.validate({ s: 'z', n: -1, b: 1, either: 5 }).map((issue) => issue.path)).toEqual(['s', 'n', 'b', 'either']);
  });

  it('may have properties that are called like keywords', () => {
    const schema = own({ pattern: { type: 'string', required: true }, items: { type: 'array', required: true }, title: { type: 'string' } });
    expect(schema.json).toMatchObject({ required: ['pattern', 'items'] });
    expect(schema.validate({ pattern: '(', items: [] })).toEqual([]);
  });

  it.each<[what: string, source: object, path: string]>([
    ['required: false', { a: { type: 'string', required: false } }, '"a.required"'],
    ['required on items', { a: { type: 'array', items: { type: 'string', required: true } } }, '"a.items.required"'],
    ['required on an alternative', { a: { oneOf: [{ type: 'string', required: true }, { type: 'null' }] } }, '"a.oneOf[0].required"'],
    ['an object that does not say whether it is open', { a: { type: 'object', properties: {} } , b: { type: 'json' } }, '"a.additionalProperties"'],
    ['an unknown key', { a: { type: 'string', minLenght: 1, required: true } }, '"a.minLenght"'],
    ['a key of another kind', { a: { type: 'string', items: {}, required: true } }, '"a.items"'],
    ['an unknown type', { a: { type: 'text', required: true } }, '"a.type"'],
    ['a single alternative', { a: { oneOf: [{ type: 'string' }] } }, '"a.oneOf"'],
    ['a type beside alternatives', { a: { type: 'string', oneOf: [{ type: 'string' }, { type: 'null' }] } }, '"a.type"'],
  ])('is refused for %s [27, 28, 31, 39]', (_what, source, path) => {
    const { code, message } = refusal(source);
    expect(code).toBe('INVALID_SCHEMA');
    expect(message).toContain(LABEL);
    expect(message).toContain(path);
  });
});

describe('an invalid schema', () => {
  it('is refused when it is compiled, naming label, path and what is wrong', () => {
    for (const origin of ['own', 'foreign'] as const) {
      const { code, message } = refusal(property({ type: 'strin' }), origin);
      expect(code).toBe('INVALID_SCHEMA');
      expect(message).toMatch(/^tool "sample" parameters: .*"properties\.a\.type" must be one of .*"strin"; did you mean "string"\?$/);
    }
  });

  it.each<[path: string, schema: unknown]>([
    ['properties.a', property(5)],
    ['properties.a.minLength', property({ type: 'string', minLength: -1 })],
    ['properties.a.minimum', property({ type: 'number', minimum: '1' })],
    ['properties.a.multipleOf', property({ type: 'number', multipleOf: 0 })],
    ['properties.a.pattern', property({ type: 'string', pattern: '(' })],
    ['properties.a.anyOf', property({ anyOf: [] })],
    ['properties.a.enum', property({ enum: 'x' })],
    ['required', { type: 'object', required: 'a' }],
    ['properties', { type: 'object', properties: [] }],
    ['properties.a.$ref', property({ $ref: 5 })],
  ])('is refused at %s', (path, schema) => {
    for (const origin of ['own', 'foreign'] as const) expect(refusal(schema, origin).message).toContain(`"${path}"`);
  });

  it('reports several faults at once, but not endlessly many [32, 43]', () => {
    const properties = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`p${index}`, { type: 'strin' }]));
    const { message } = refusal({ type: 'object', properties });
    expect(message).toContain('"properties.p0.type"');
    expect(message).toContain('"properties.p1.type"');
    expect(message.length).toBeLessThan(2_000);
  });

  it('is refused when it is no object at all', () => {
    for (const source of [undefined, null, true, 5, 'x', [], Symbol('s'), () => 1]) expect(refusal(source).code).toBe('INVALID_SCHEMA');
  });

  it('is refused when it is cyclic, with the way out [35]', () => {
    const source = { type: 'object', properties: {} as Record<string, unknown> };
    source.properties['self'] = source;
    for (const origin of ['own', 'foreign'] as const) {
      expect(refusal(source, origin).message).toMatch(/a circular reference; refer with "\$ref"/);
    }
  });

  it('is refused when it is no plain JSON, with the path [33, 34]', () => {
    class Node { type = 'string'; }
    const sparse: string[] = [];
    sparse[1] = 'a';
    const accessor = Object.defineProperty({}, 'type', { get: () => 'string', enumerable: true });
    const hostile = new Proxy({}, { ownKeys() { throw new Error('no'); } });
    for (const schema of [new Node(), { enum: sparse }, accessor, { [Symbol('x')]: 1 }, { default: undefined }, { default: NaN }, hostile]) {
      expect(refusal(property(schema)).code).toBe('INVALID_SCHEMA');
    }
    expect(refusal(property({ pattern: /a/ })).message).toMatch(/properties\.a\.pattern.*source of the regular expression/);
  });

  it('is refused when it is absurdly deep, without an overflow [53]', () => {
    let deep: object = { type: 'string' };
    for (let level = 0; level < 5_000; level++) deep = { anyOf: [deep] };
    expect(refusal(deep, 'foreign').message).toContain('levels deep');
  });
});

describe('unknown keywords', () => {
  it('are refused in own schemas, with the name that was meant [37]', () => {
    expect(refusal(property({ type: 'string', minLenght: 1 })).message).toContain('"properties.a.minLenght" is no keyword of JSON Schema; did you mean minLength?');
    expect(refusal(property({ type: 'string', colour: 'red' })).message).toContain('start its name with "x-"');
    expect(refusal(property({ type: 'string', format: 'dat' })).message).toContain('did you mean "date"?');
  });

  it('are tolerated in foreign schemas', () => {
    const schema = foreign(property({ type: 'string', minLenght: 9, colour: 'red', format: 'phone' }));
    expect(schema.validate({ a: 'x' })).toEqual([]);
    expect(schema.validate({ a: 1 })).toHaveLength(1);
  });

  it('are tolerated everywhere when they start with x-', () => {
    const source = { 'x-order': 1, ...property({ type: 'string', 'x-ui': { widget: 'area' } }) };
    expect(own(source).json).toEqual(source);
    expect(foreign(source).validate({ a: 'x' })).toEqual([]);
  });

  it('stand for all slips: what cannot matter is refused in own schemas only [39, 40, 41]', () => {
    const slips = [
      property({ type: 'string', minimum: 1 }),
      property({ type: 'string', enum: ['x', 1] }),
      property({ type: 'integer', const: 'x' }),
      { ...property({}), required: ['b'] },
      { ...property({}), required: ['toString'] },
    ];
    for (const slip of slips) {
      expect(refusal(slip).code).toBe('INVALID_SCHEMA');
      expect(() => foreign(slip)).not.toThrow();
    }
  });
});

describe('a foreign pattern', () => {
  it.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*a){20}$', '^(\\w+\\s?)*$', '^(?=(a+)+$)'])('is checked in bounded time or refused: %s', (pattern) => {
    const start = performance.now();
    try {
      const schema = foreign(property({ type: 'string', pattern }));
      expect(schema.validate({ a: `${'a'.repeat(40)}!` })).toHaveLength(1);
      schema.validate({ a: `${'a'.repeat(20_000)}!` });
    } catch (error) {
      expect(error).toMatchObject({ code: 'INVALID_SCHEMA', message: expect.stringContaining('cannot be bounded') as string });
    }
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('still says yes where it matches', () => {
    expect(accepts({ type: 'string', pattern: '^(a+)+$' }, 'a'.repeat(5_000), 'foreign')).toBe(true);
  });

  it('is refused with the reason when it cannot be bounded', () => {
    const { code, message } = refusal(property({ type: 'string', pattern: '^(a+)\\1+$' }), 'foreign');
    expect(code).toBe('INVALID_SCHEMA');
    expect(message).toMatch(/"properties\.a\.pattern" is a pattern whose checking time cannot be bounded: it has a backreference/);
    expect(refusal({ type: 'object', patternProperties: { '(a)\\1': {} } }, 'foreign').message).toContain('backreference');
    expect(() => own(property({ type: 'string', pattern: '^(a+)\\1+$' }))).not.toThrow();
  });

  it('agrees with the native engine', () => {
    const pattern = fc.constantFrom('^(a+)+$', '(a|b)*c', '^(?:a{2,3}b?)+$', '(?=.*b)(a|b)+', 'a\\b', '^(?!ab)[ab]*$', '[^b]+(b|a)$', '(?<=a)b+(c?b)*$');
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' '), maxLength: 12 });
    fc.assert(
      fc.property(pattern, text, (source, a) => {
        expect(accepts({ type: 'string', pattern: source }, a, 'foreign')).toBe(new RegExp(source, 'u').test(a));
      }),
      { numRuns: 150 },
    );
  });
});

describe('equal schemas', () => {
  it('share one validator, whatever object they come in', () => {
    const source = property({ type: 'string' });
    const first = own(source);
    expect(own(source)).toBe(first);
    expect(own(structuredClone(source))).toBe(first);
    expect(own(Type.Object({ a: Type.Optional(Type.String()) }))).toBe(first);
    expect(own({ a: { type: 'string' } }).json).toEqual(first.json);
  });

  it('do not let a foreign one pass for an own one', () => {
    const source = property({ type: 'string', colour: 'red' });
    const theirs = foreign(source);
    expect(refusal(source).message).toContain('colour');
    expect(foreign(source)).toBe(theirs);
  });

  it('follow a source that has changed since', () => {
    const source = { type: 'object', properties: { a: { type: 'string' } } };
    const before = own(source);
    source.properties.a.type = 'integer';
    expect(own(source)).not.toBe(before);
    expect(own(source).validate({ a: 1 })).toEqual([]);
  });
});

describe('the cost of registering', () => {
  const numbered = (index: number): object => property({ type: 'string', description: `property of tool ${index}` });
  const nodeModules = createRequire(import.meta.url).cache;
  const ajvFiles = (): string[] => Object.keys(nodeModules).filter((file) => /[\\/]ajv(?:-formats)?[\\/]/.test(file));

  it('is low: 1,000 schemas are checked quickly, and Ajv is loaded only to check a value', async () => {
    for (const file of ajvFiles()) Reflect.deleteProperty(nodeModules, file);
    vi.resetModules();
    const fresh = await import('../src/index.ts');
    const start = performance.now();
    const all = Array.from({ length: 1_000 }, (_, index) => fresh.compileSchema(numbered(index), { origin: 'own', label: LABEL }));
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(ajvFiles()).toEqual([]);
    expect(all[999]?.validate({ a: 'x' })).toEqual([]);
    expect(ajvFiles()).not.toEqual([]);
  });

  it('is given back: 10,000 schemas come and go without leaving anything', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heap = async (): Promise<number> => {
      for (let round = 0; round < 3; round++) {
        await new Promise((resolve) => setImmediate(resolve));
        collect();
      }
      return process.memoryUsage().heapUsed;
    };
    const cycle = async (from: number, count: number): Promise<void> => {
      for (let index = from; index < from + count; index++) {
        const schema = own(numbered(index));
        if (index % 100 === 0) schema.validate({ a: index });
        // A WeakRef keeps its target until the task has ended.
        if (index % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await cycle(10_000, 1_000);
    const before = await heap();
    await cycle(20_000, 10_000);
    expect((await heap()) - before).toBeLessThan(4 * 1024 * 1024);
  }, 60_000);
});

describe('any plain schema and value', () => {
  const kinds = ['string', 'integer', 'boolean'] as const;
  type Kind = (typeof kinds)[number];
  const isOf: Readonly<Record<Kind, (value: JsonValue) => boolean>> = {
    string: (value) => typeof value === 'string',
    integer: (value) => Number.isInteger(value),
    boolean: (value) => typeof value === 'boolean',
  };
  const name = fc.constantFrom('a', 'b', 'c d', 'e.f', '__proto__', 'constructor', '');
  const pathOf = (key: string): string => (/^\w+$/.test(key) ? key : `[${JSON.stringify(key)}]`);
  const spec = fc.record({
    closed: fc.boolean(),
    properties: fc.uniqueArray(fc.record({ name, kind: fc.constantFrom(...kinds), required: fc.boolean() }), { selector: (item) => item.name, maxLength: 5 }),
  });
  const scalar = fc.oneof(fc.string({ maxLength: 4 }), fc.integer(), fc.constantFrom(0.5, 1e300), fc.boolean(), fc.constant(null), fc.constant([]), fc.constant({}));
  const value = fc.array(fc.tuple(name, scalar), { maxLength: 5 }).map((entries) => Object.fromEntries<JsonValue>(entries));

  it('agree with a simple model of JSON Schema [46, 49, 59]', () => {
    fc.assert(
      fc.property(spec, value, ({ closed, properties }, candidate) => {
        const schema = own({
          type: 'object',
          properties: Object.fromEntries(properties.map((item) => [item.name, { type: item.kind }])),
          required: properties.filter((item) => item.required).map((item) => item.name),
          additionalProperties: !closed,
        });
        const wrong = new Set<string>();
        for (const item of properties) {
          const given = Object.hasOwn(candidate, item.name) ? candidate[item.name] : undefined;
          if (given === undefined ? item.required : !isOf[item.kind](given)) wrong.add(item.name);
        }
        if (closed) for (const key of Object.keys(candidate)) if (!properties.some((item) => item.name === key)) wrong.add(key);
        const issues = schema.validate(candidate);
        expect(issues.map((issue) => issue.path).sort()).toEqual([...wrong].map(pathOf).sort());
      }),
      { numRuns: 150 },
    );
  });

  it('refuse a root that is no object, and a missing required property [59]', () => {
    fc.assert(
      fc.property(spec, scalar.filter((candidate) => JSON.stringify(candidate) !== '{}'), ({ properties }, root) => {
        const schema = own({
          type: 'object',
          properties: Object.fromEntries(properties.map((item) => [item.name, { type: item.kind }])),
          required: properties.map((item) => item.name),
        });
        expect(schema.validate(root)).toHaveLength(1);
        if (properties.length > 0) expect(schema.validate({})).toHaveLength(properties.length);
      }),
      { numRuns: 50 },
    );
  });
});

describe('the example', () => {
  const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

  it('prints what its comments say', async () => {
    const log = vi.spyOn(console, 'log').mockReturnValue(undefined);
    await import('../examples.ts');
    expect(log.mock.calls.map(([printed]) => printed as unknown)).toEqual([
      0,
      'missing required property "path"; "limit" must be an integer, received string "500"',
      '"when" must be a plain object, received an instance of Date',
      { ms: 100 },
    ]);
    for (const [printed] of log.mock.calls.slice(1, 3)) expect(read('examples.ts')).toContain(`// ${String(printed)}\n`);
  });

  it('is the one in the README', () => {
    const [, code] = /\/\/ #region use\n([\s\S]*?)\n\/\/ #endregion/.exec(read('examples.ts')) ?? [];
    expect(code).toBeDefined();
    expect(read('README.md')).toContain(`\`\`\`ts\n${code}\n\`\`\``);
  });
});
