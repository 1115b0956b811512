import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { Type } from 'typebox';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { compileSchema, isObjectRoot, isSluiceError, type CompiledSchema, type SluiceError } from '../src/index.ts';

const LABEL = 'tool "copy" parameters';
const own = (source: unknown): CompiledSchema => compileSchema(source, { origin: 'own', label: LABEL });

function refusal(source: unknown): SluiceError {
  try {
    own(source);
  } catch (error) {
    if (isSluiceError(error)) return error;
    throw error;
  }
  throw new Error('the schema was accepted');
}

const sources = {
  typebox: Type.Object({ path: Type.String(), depth: Type.Optional(Type.Integer()), mode: Type.Union([Type.Literal('a'), Type.Literal('b')]) }),
  zod: z.object({ path: z.string(), depth: z.int().optional(), mode: z.enum(['a', 'b']) }),
  valibot: toStandardJsonSchema(
    v.object({ path: v.string(), depth: v.optional(v.pipe(v.number(), v.integer())), mode: v.picklist(['a', 'b']) }),
  ),
  arktype: type({ path: 'string', 'depth?': 'number.integer', mode: "'a' | 'b'" }),
};

describe.each(Object.entries(sources))('a schema of %s', (_name, source) => {
  it('describes an object, as plain JSON that a model can be shown', () => {
    const schema = own(source);
    expect(isObjectRoot(schema)).toBe(true);
    expect(JSON.parse(JSON.stringify(schema.json))).toEqual(schema.json);
    expect(schema.json).toMatchObject({ type: 'object', properties: { path: { type: 'string' } } });
    expect(schema.json).not.toHaveProperty('$schema');
    expect([...(schema.json['required'] as string[])].sort()).toEqual(['mode', 'path']);
    expect(Object.isFrozen(schema.json) && Object.isFrozen(schema.json['properties'])).toBe(true);
  });

  it('accepts what its library accepts', () => {
    const schema = own(source);
    expect(schema.validate({ path: 'x', mode: 'a' })).toEqual([]);
    expect(schema.validate({ path: 'x', mode: 'b', depth: 3 })).toEqual([]);
  });

  it('says where and why it refuses', () => {
    const [issue, ...others] = own(source).validate({ path: 5, mode: 'a' });
    expect(others).toEqual([]);
    expect(issue).toEqual({ path: 'path', message: '"path" must be a string, received number 5', expected: 'a string', received: 'number 5' });
    expect(own(source).validate({ path: 'x', mode: 'c' })).toMatchObject([
      { path: 'mode', expected: expect.stringMatching(/"a".*"b"/) as string, received: 'string "c"' },
    ]);
    expect(own(source).validate({ path: 'x', mode: 'a', depth: 1.5 })).toMatchObject([{ path: 'depth', received: 'number 1.5' }]);
    expect(own(source).validate({ mode: 'a' })).toMatchObject([{ path: 'path', message: 'missing required property "path"' }]);
    expect(own(source).validate([])).not.toEqual([]);
  });

  it('is compiled once', () => {
    expect(own(source)).toBe(own(source));
  });
});

describe('a schema object of a library', () => {
  it('describes its input: what has a default need not be sent, and is not filled in', () => {
    const schema = own(z.object({ n: z.number().default(5) }));
    const value = Object.freeze({});
    expect(schema.validate(value)).toEqual([]);
    expect(value).toEqual({});
  });

  it('may refer to itself', () => {
    interface Tree { name: string; kids: Tree[] }
    const tree: z.ZodType<Tree> = z.object({ name: z.string(), get kids() { return z.array(tree); } });
    const schema = own(z.object({ tree }));
    expect(schema.validate({ tree: { name: 'a', kids: [{ name: 'b', kids: [] }] } })).toEqual([]);
    expect(schema.validate({ tree: { name: 'a', kids: [{ name: 5, kids: [] }] } })).toMatchObject([{ path: 'tree.kids[0].name' }]);
  });

  it('is refused with the reason when JSON Schema cannot express it', () => {
    const error = refusal(z.object({ when: z.date() }));
    expect(error.code).toBe('INVALID_SCHEMA');
    expect(error.message).toMatch(/^tool "copy" parameters: zod cannot express this schema as JSON Schema: .*Date/);
    expect(error.cause).toBeInstanceOf(Error);
  });

  it('is refused with the way out when its library needs a wrapper', () => {
    const error = refusal(v.object({ path: v.string() }));
    expect(error.code).toBe('INVALID_SCHEMA');
    expect(error.message).toContain('toStandardJsonSchema of @valibot/to-json-schema');
    expect(refusal({ '~standard': { vendor: 'mine', version: 1 } }).message).toContain('this schema of mine cannot be turned into JSON Schema');
  });

  it('is refused when its converter throws or gives no JSON', () => {
    const withInput = (input: () => unknown): object => ({ '~standard': { vendor: 'mine', jsonSchema: { input } } });
    expect(refusal(withInput(() => { throw 'no'; })).message).toContain('mine cannot express this schema');
    for (const answer of [undefined, 5, 'x', [], { type: 'strin' }, { type: () => 1 }]) {
      expect(refusal(withInput(() => answer)).code).toBe('INVALID_SCHEMA');
    }
  });

  it('may use keywords of its library', () => {
    const source = { '~standard': { vendor: 'mine', jsonSchema: { input: () => ({ type: 'object', colour: 'red' }) } } };
    expect(own(source).json).toEqual({ type: 'object', colour: 'red' });
  });
});

describe('a schema of TypeBox', () => {
  it('keeps no notes of its library', () => {
    const schema = own(Type.Object({ a: Type.Readonly(Type.String()), b: Type.Optional(Type.Unsafe<string>({ type: 'string' })) }));
    expect(Reflect.ownKeys(schema.json)).toEqual(expect.not.arrayContaining(['~kind']));
    expect(schema.json['properties']).toEqual({ a: { type: 'string' }, b: { type: 'string' } });
  });

  it('may refer to itself', () => {
    const schema = own(Type.Object({ root: Type.Cyclic({ N: Type.Object({ kids: Type.Array(Type.Ref('N')) }) }, 'N') }));
    expect(schema.validate({ root: { kids: [{ kids: [] }] } })).toEqual([]);
    expect(schema.validate({ root: { kids: [{ kids: 5 }] } })).toMatchObject([{ path: 'root.kids[0].kids' }]);
  });

  it('is refused when it holds code, which would go unchecked', () => {
    const source = Type.Object({ a: Type.Refine(Type.String(), (text) => text.length > 1) });
    expect(refusal(source).message).toContain('a refinement of TypeBox is code');
  });
});
