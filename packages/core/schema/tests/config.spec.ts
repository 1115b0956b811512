import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { configPlaceAt, isSluiceError, resolveConfig, InvalidConfigError, type SluiceError } from '../src/index.ts';

const LABEL = 'plugin "timeout"';

const limits = {
  type: 'object',
  properties: {
    mode: { type: 'string', enum: ['strict', 'loose'], default: 'strict' },
    limits: {
      type: 'object',
      default: {},
      properties: { maxDepth: { type: 'integer', minimum: 1, default: 512 }, maxNodes: { type: 'integer' } },
    },
    names: { type: 'array', items: { type: 'string' }, default: ['a', 'b'] },
  },
};

function resolve(value: unknown, schema: object | undefined = limits): unknown {
  return resolveConfig(schema, value, LABEL);
}

function refusal(value: unknown, schema: object | undefined = limits): SluiceError {
  try {
    resolveConfig(schema, value, LABEL);
  } catch (error) {
    if (isSluiceError(error)) return error;
    throw error;
  }
  throw new Error('the config was accepted');
}

describe('defaults of a config', () => {
  it('are applied at every depth', () => {
    const complete = { mode: 'strict', limits: { maxDepth: 512 }, names: ['a', 'b'] };
    expect(resolve({})).toEqual(complete);
    expect(resolve(undefined)).toEqual(complete);
    expect(resolve({ limits: { maxNodes: 3 } })).toEqual({ ...complete, limits: { maxDepth: 512, maxNodes: 3 } });
  });

  it('stand in for undefined, and never for null or another falsy value', () => {
    expect(resolve({ mode: undefined })).toMatchObject({ mode: 'strict' });
    expect(refusal({ mode: null }).message).toContain('received null');
    const schema = { type: 'object', properties: { on: { type: 'boolean', default: true }, n: { type: 'integer', default: 5 } } };
    expect(resolve({ on: false, n: 0 }, schema)).toEqual({ on: false, n: 0 });
  });

  it('may be null, false, 0 and empty text', () => {
    const properties = {
      none: { type: ['string', 'null'], default: null },
      off: { type: 'boolean', default: false },
      zero: { type: 'integer', default: 0 },
      empty: { type: 'string', default: '' },
    };
    expect(resolve({}, { type: 'object', properties })).toEqual({ none: null, off: false, zero: 0, empty: '' });
  });

  it('are applied to properties with names that every object inherits', () => {
    const properties = { toString: { type: 'string', default: 'text' }, constructor: { type: 'string', default: 'maker' } };
    const config = resolve({}, { type: 'object', properties }) as Record<string, unknown>;
    expect(Object.entries(config)).toEqual([
      ['toString', 'text'],
      ['constructor', 'maker'],
    ]);
  });

  it('come through references and allOf', () => {
    const schema = {
      type: 'object',
      $defs: { depth: { type: 'integer', default: 7 } },
      allOf: [{ properties: { b: { type: 'string', default: 'x' } } }],
      properties: { a: { $ref: '#/$defs/depth' } },
    };
    expect(resolve({}, schema)).toEqual({ a: 7, b: 'x' });
  });

  it('are applied to each item of an array', () => {
    const item = { type: 'object', properties: { on: { type: 'boolean', default: true } } };
    const schema = { type: 'object', properties: { list: { type: 'array', items: item } } };
    expect(resolve({ list: [{}, { on: false }] }, schema)).toEqual({ list: [{ on: true }, { on: false }] });
  });

  it('are checked like anything else', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer', default: 'many' } } };
    expect(refusal({}, schema).message).toContain('"n" must be an integer, received string "many"');
  });
});

describe('a resolved config', () => {
  it('is fresh and frozen, and shares nothing with the value or the schema', () => {
    const given = { limits: { maxNodes: 1 }, names: ['x'] };
    const config = resolve(given) as { limits: object; names: string[] };
    expect(config).not.toBe(given);
    expect(config.limits).not.toBe(given.limits);
    expect(config.names).not.toBe(given.names);
    expect(Object.isFrozen(config) && Object.isFrozen(config.limits) && Object.isFrozen(config.names)).toBe(true);
    expect(Object.isFrozen(given) || Object.isFrozen(given.limits) || Object.isFrozen(limits.properties.names.default)).toBe(false);
    expect(given).toEqual({ limits: { maxNodes: 1 }, names: ['x'] });
    expect((resolve({}) as { names: string[] }).names).not.toBe(limits.properties.names.default);
  });

  it('keeps what stands where the schema allows anything', () => {
    const signal = new AbortController().signal;
    const log = (): void => undefined;
    const schema = { type: 'object', properties: { signal: {}, log: { description: 'where lines go' } } };
    const config = resolve({ signal, log }, schema) as { signal: unknown; log: unknown };
    expect(config.signal).toBe(signal);
    expect(config.log).toBe(log);
  });

  it('cannot be given another prototype', () => {
    const hostile: unknown = JSON.parse('{"__proto__":{"mode":"loose"}}');
    expect(refusal(hostile).message).toContain('__proto__');
    expect(({} as { mode?: string }).mode).toBeUndefined();
  });

  it('may follow a pattern that is only valid without the flag u', () => {
    const schema = { type: 'object', patternProperties: { '^a\\-b$': { type: 'string' } } };
    expect(resolve({ 'a-b': 'x' }, schema)).toEqual({ 'a-b': 'x' });
  });

  it('follows schemas of TypeBox, zod and property maps', () => {
    expect(resolve({}, Type.Object({ ms: Type.Integer({ default: 100 }) }))).toEqual({ ms: 100 });
    expect(resolve({}, z.object({ ms: z.number().default(100) }))).toEqual({ ms: 100 });
    expect(resolve({}, { ms: { type: 'integer', default: 100 } })).toEqual({ ms: 100 });
  });
});

describe('a wrong config', () => {
  it('is refused for an unknown key, with label, path, expectation and value', () => {
    const error = refusal({ limits: { maxDept: 7 } });
    expect(error.code).toBe('INVALID_CONFIG');
    for (const part of [LABEL, 'limits.maxDept', 'not a known property', 'number 7', 'maxDepth']) expect(error.message).toContain(part);
  });

  it('names the keys that exist when none is near', () => {
    expect(refusal({ colour: 'red' }).message).toContain('known are "mode", "limits", "names"');
  });

  it('is refused for a wrong type, with label, path, expectation and value', () => {
    const error = refusal({ limits: { maxDepth: '7' } });
    expect(error.code).toBe('INVALID_CONFIG');
    for (const part of [LABEL, '"limits.maxDepth"', 'an integer', 'string "7"']) expect(error.message).toContain(part);
  });

  it('is not coerced', () => {
    for (const maxDepth of ['7', '', true, null, 1.5, [7]]) expect(refusal({ limits: { maxDepth } }).code).toBe('INVALID_CONFIG');
  });

  it('is refused when it is no plain object', () => {
    for (const value of [null, 5, 'x', [], new Map(), () => 1]) expect(refusal(value).message).toContain('must be an object');
  });

  it('is refused when it holds what is no plain data where the schema speaks', () => {
    expect(refusal({ mode: new Date(0) }).message).toContain('"mode" must be plain data, received an instance of Date');
    expect(refusal({ limits: { maxDepth: NaN } }).message).toContain('"limits.maxDepth"');
  });

  it('is refused when it is endless', () => {
    const schema = { type: 'object', $defs: { n: { type: 'object', properties: { n: { $ref: '#/$defs/n' } } } }, properties: { n: { $ref: '#/$defs/n' } } };
    const endless: Record<string, unknown> = {};
    endless['n'] = endless;
    expect(refusal(endless, schema).message).toContain('must be plain data');
  });

  it('is refused when reading it throws', () => {
    const hostile = { get mode(): string { throw new Error('no'); } };
    const error = refusal(hostile);
    expect(error.code).toBe('INVALID_CONFIG');
    expect(error.message).toContain('cannot be read');
  });
});

describe('the schema of a config', () => {
  it('accepts nothing but an empty object when there is none', () => {
    expect(resolveConfig(undefined, undefined, LABEL)).toEqual({});
    expect(resolveConfig(undefined, {}, LABEL)).toEqual({});
    for (const value of [{ a: 1 }, null, [], 5]) {
      const error = (() => {
        try {
          return resolveConfig(undefined, value, LABEL);
        } catch (thrown) {
          return thrown as SluiceError;
        }
      })();
      expect(error).toMatchObject({ code: 'INVALID_CONFIG', message: expect.stringContaining(`${LABEL}: takes no config`) as string });
    }
  });

  it('must describe an object, and be valid', () => {
    expect(refusal({}, { type: 'string' }).code).toBe('INVALID_SCHEMA');
    expect(refusal({}, { type: 'object', properties: { a: { type: 'strin' } } }).message).toMatch(/plugin "timeout".*properties\.a\.type/);
  });
});

describe('where a config was written', () => {
  it('can be told from the issues of a refusal', () => {
    const error: unknown = refusal({ mode: 'strikt', limits: { maxDept: 1 }, names: ['a', 7] });
    if (!(error instanceof InvalidConfigError)) throw new Error('another error');
    expect(error.issues.map(({ path, expected }) => [path, expected])).toEqual([
      ['limits.maxDept', 'a known property'],
      ['mode', expect.stringContaining('"strict"')],
      ['names[1]', 'a string'],
    ]);
  });

  it('says whether a place takes text, anything, or neither', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' }, many: { type: ['string', 'null'] }, mode: { enum: ['a', 1] }, count: { type: 'integer' }, open: {},
        either: { anyOf: [{ type: 'object', properties: { path: { type: 'string' } } }, { type: 'string' }] }, list: { type: 'array', items: { $ref: '#/$defs/word' } },
        map: { type: 'object', additionalProperties: { type: 'string' } },
      },
      $defs: { word: { type: 'string' } },
    };
    const at = (...steps: (string | number)[]): string => configPlaceAt(schema, steps, LABEL);
    for (const text of [at('name'), at('many'), at('mode'), at('either'), at('either', 'path'), at('list', 3), at('map', 'any key')]) expect(text).toBe('text');
    for (const other of [at(), at('count'), at('nothing'), at('list'), at('name', 'deeper'), configPlaceAt(undefined, [], LABEL)]) expect(other).toBe('other');
    expect(at('open')).toBe('open');
    expect(at('open', 'deep', 0)).toBe('open');
  });
});
