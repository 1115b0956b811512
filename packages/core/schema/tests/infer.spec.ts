import { type } from 'arktype';
import { Type, type Static, type TSchema } from 'typebox';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { compileSchema, type InferInput, type JsonObject, type JsonValue, type SchemaSource } from '../src/index.ts';

/** Stands for `defineTool`: a const type parameter keeps literals, and the arguments follow from the schema. */
function tool<const S extends SchemaSource>(parameters: S, execute: (args: InferInput<S>) => void): S {
  expect(typeof execute).toBe('function');
  return parameters;
}

/** Both directions, for types that say the same in different words. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

describe('types of JSON Schema', () => {
  it('gives scalars, enums and constants their exact types', () => {
    tool(
      {
        type: 'object',
        properties: {
          text: { type: 'string' },
          count: { type: 'integer' },
          ratio: { type: 'number' },
          on: { type: 'boolean' },
          nothing: { type: 'null' },
          mode: { type: 'string', enum: ['read', 'write'] },
          kind: { const: 'file' },
          either: { type: ['string', 'null'] },
          shy: { type: 'string', not: { enum: ['no'] } },
        },
        required: ['text', 'count', 'ratio', 'on', 'nothing', 'mode', 'kind', 'either', 'shy'],
      },
      (args) => {
        expectTypeOf(args).toEqualTypeOf<{
          text: string;
          count: number;
          ratio: number;
          on: boolean;
          nothing: null;
          mode: 'read' | 'write';
          kind: 'file';
          either: string | null;
          shy: string;
        }>();
      },
    );
  });

  it('makes what is not required optional', () => {
    tool({ type: 'object', properties: { path: { type: 'string' }, limit: { type: 'integer' } }, required: ['path'] }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ path: string; limit?: number }>();
      // @ts-expect-error -- no such property
      expectTypeOf(args.pth).toBeAny();
    });
  });

  it('follows arrays, tuples, nested objects and maps', () => {
    tool(
      {
        type: 'object',
        properties: {
          tags: { type: 'array', items: { type: 'string' } },
          rows: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } },
          pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
          scores: { type: 'object', additionalProperties: { type: 'number' } },
          anything: {},
          list: { type: 'array' },
          bag: { type: 'object' },
        },
        required: ['tags', 'rows', 'pair', 'scores', 'anything', 'list', 'bag'],
        additionalProperties: false,
      },
      (args) => {
        expectTypeOf(args).toEqualTypeOf<{
          tags: string[];
          rows: { id: number }[];
          pair: [string, number];
          scores: Record<string, number>;
          anything: JsonValue;
          list: JsonValue[];
          bag: JsonObject;
        }>();
      },
    );
  });

  it('joins anyOf and oneOf, and intersects allOf', () => {
    tool(
      {
        type: 'object',
        properties: {
          a: { anyOf: [{ type: 'string' }, { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }] },
          b: { oneOf: [{ const: 1 }, { const: 'x' }] },
          c: {
            allOf: [
              { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] },
              { type: 'object', properties: { y: { type: 'number' } }, required: ['y'] },
            ],
          },
        },
        required: ['a', 'b', 'c'],
      },
      (args) => {
        expectTypeOf(args.a).toEqualTypeOf<string | { id: number }>();
        expectTypeOf(args.b).toEqualTypeOf<1 | 'x'>();
        expectTypeOf<Same<typeof args.c, { x: string; y: number }>>().toEqualTypeOf<true>();
      },
    );
  });

  it('lets branches that only check leave the type alone', () => {
    tool({ type: 'object', properties: { a: { type: 'string' } }, anyOf: [{ required: ['a'] }, { minProperties: 2 }] }, (args) => {
      expectTypeOf(args).toExtend<{ a?: string }>();
      expectTypeOf<{ a?: string }>().toExtend<typeof args>();
    });
  });

  it('follows local references, recursive ones too', () => {
    tool(
      {
        type: 'object',
        properties: { root: { $ref: '#/$defs/node' } },
        required: ['root'],
        $defs: {
          node: {
            type: 'object',
            properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
            required: ['name'],
          },
        },
      },
      (args) => {
        expectTypeOf(args.root.name).toEqualTypeOf<string>();
        expectTypeOf(args.root.children?.[0]?.children?.[0]?.name).toEqualTypeOf<string | undefined>();
      },
    );
  });

  it('knows nothing about a schema whose text TypeScript does not know', () => {
    expectTypeOf<InferInput<object>>().toEqualTypeOf<JsonValue>();
    expectTypeOf<InferInput<JsonObject>>().toEqualTypeOf<JsonValue>();
    expectTypeOf<InferInput<{ type: string }>>().toEqualTypeOf<JsonValue>();
  });
});

describe('types of TypeBox', () => {
  function likeStatic<S extends TSchema>(schema: S): Same<InferInput<S>, Static<S>> {
    expect(schema).toBeTypeOf('object');
    return true as Same<InferInput<S>, Static<S>>;
  }

  it('says the same as Static', () => {
    const samples = [
      likeStatic(Type.Object({ path: Type.String(), offset: Type.Optional(Type.Number()) })),
      likeStatic(Type.Object({ mode: Type.Union([Type.Literal('a'), Type.Literal('b'), Type.Null()]) })),
      likeStatic(Type.Object({ list: Type.Array(Type.Object({ id: Type.Integer() })), flag: Type.Boolean() })),
      likeStatic(Type.Object({ deep: Type.Optional(Type.Object({ deeper: Type.Object({ x: Type.Enum(['p', 'q']) }) })) })),
      likeStatic(Type.Record(Type.String(), Type.Number())),
      likeStatic(Type.Tuple([Type.String(), Type.Number()])),
      likeStatic(Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Number() })])),
      likeStatic(Type.Object({ any: Type.Any(), some: Type.Unknown() })),
      likeStatic(Type.Unsafe<{ custom: 1 }>({ type: 'object' })),
      likeStatic(Type.Object({})),
      likeStatic(Type.String()),
      likeStatic(Type.Never()),
    ];
    for (const same of samples) expectTypeOf(same).toEqualTypeOf<true>();
    expect(samples).toHaveLength(12);
  });

  it('gives the exact shape, not only a compatible one', () => {
    const schema = Type.Object({ path: Type.String(), offset: Type.Optional(Type.Number()) });
    expectTypeOf<InferInput<typeof schema>>().toEqualTypeOf<{ path: string; offset?: number }>();
    expectTypeOf<InferInput<typeof schema>>().toEqualTypeOf<Static<typeof schema>>();
    expect(schema.required).toEqual(['path']);
  });

  it('follows a recursive type', () => {
    const tree = Type.Cyclic({ Node: Type.Object({ name: Type.String(), next: Type.Optional(Type.Ref('Node')) }) }, 'Node');
    expect(tree.$ref).toBe('Node');
    expectTypeOf<InferInput<typeof tree>['name']>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<NonNullable<InferInput<typeof tree>['next']>['next']>['name']>().toEqualTypeOf<string>();
  });
});

describe('types of Standard Schema', () => {
  it('takes the input of zod, arktype and valibot', () => {
    const byZod = z.object({ path: z.string(), limit: z.number().default(10) });
    expectTypeOf<InferInput<typeof byZod>>().toEqualTypeOf<{ path: string; limit?: number | undefined }>();
    const byArk = type({ path: 'string', 'limit?': 'number' });
    expectTypeOf<InferInput<typeof byArk>>().toEqualTypeOf<{ path: string; limit?: number }>();
    const byValibot = toStandardJsonSchema(v.object({ path: v.string() }));
    expectTypeOf<InferInput<typeof byValibot>>().toEqualTypeOf<{ path: string }>();
    tool(byZod, (args) => expectTypeOf(args.path).toEqualTypeOf<string>());
    tool(byArk, (args) => expectTypeOf(args.path).toEqualTypeOf<string>());
    tool(byValibot, (args) => expectTypeOf(args.path).toEqualTypeOf<string>());
  });
});

describe('types of property maps', () => {
  it('makes certain what is required, and keeps inline literals', () => {
    tool(
      {
        path: { type: 'string', required: true, description: 'a file' },
        offset: { type: 'number' },
        mode: { type: 'string', enum: ['text', 'binary'], required: true },
        version: { type: 'integer', const: 2 },
        items: { type: 'array', items: { type: 'object', additionalProperties: false, properties: { id: { type: 'integer', required: true } } } },
        value: { oneOf: [{ type: 'string' }, { type: 'integer' }], required: true },
        any: { type: 'json', required: true },
      },
      (args) => {
        expectTypeOf(args).toEqualTypeOf<{
          path: string;
          offset?: number;
          mode: 'text' | 'binary';
          version?: 2;
          items?: { id: number }[];
          value: string | number;
          any: JsonValue;
        }>();
      },
    );
  });

  it('gives an empty object for an empty map', () => {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- the type of no arguments
    tool({}, (args) => expectTypeOf(args).toEqualTypeOf<{}>());
  });
});

describe('what is no schema source', () => {
  it('is a type error', () => {
    const label = 'x';
    // @ts-expect-error -- text is no schema
    tool('nope', () => undefined);
    // @ts-expect-error -- JSON Schema has no such type
    tool({ type: 'objekt' }, () => undefined);
    expect(() => compileSchema('nope', { origin: 'own', label })).toThrow(/received string "nope"/);
  });
});
