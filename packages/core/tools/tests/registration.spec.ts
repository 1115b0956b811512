import { aTool } from '@sluice/testing';
import { type as ark } from 'arktype';
import fc from 'fast-check';
import { Type } from 'typebox';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { z } from 'zod';
import { definePlugin, defineTool, isSluiceError, ToolError, type JsonValue, type SchemaSource, type ToolDefinition } from '../src/index.ts';
import { codeOf, setup, textOf, withBed } from './support.ts';

/** A raw definition, as an adapter would hand it over: never seen by defineTool, and of any shape. */
type AnyDefinition = ToolDefinition & { readonly parameters: SchemaSource; readonly output: { readonly schema: SchemaSource } };

function raw(overrides: Record<string, unknown> = {}): AnyDefinition {
  return {
    name: 'raw',
    description: 'A foreign tool.',
    parameters: { type: 'object' },
    output: { schema: {}, render: (_args: unknown, value: unknown) => [{ type: 'text', text: JSON.stringify(value) }] },
    execute: (args: unknown) => args,
    ...overrides,
  } as unknown as AnyDefinition;
}

function thrownBy(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a throw');
}

describe('a definition that is no tool', () => {
  it.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /takes a tool definition/],
    ['null', null, /takes a tool definition/],
    ['a function', () => undefined, /takes a tool definition/],
    ['a name instead', 'read_file', /takes a tool definition/],
    ['no name', raw({ name: undefined }), /needs a name, a string; got undefined/],
    ['a name that is null', raw({ name: null }), /needs a name, a string; got null/],
    ['a symbol as name', raw({ name: Symbol('x') }), /needs a name, a string; got symbol/],
    ['no description', raw({ description: undefined }), /tool "raw": description must be a string/],
    ['a number as description', raw({ description: 7 }), /tool "raw": description must be a string/],
    ['no execute', raw({ execute: undefined }), /tool "raw": execute must be a function/],
    ['a string as execute', raw({ execute: 'rm -rf' }), /tool "raw": execute must be a function/],
  ])('is refused at registration with a TypeError: %s [F1 F12]', (_what, definition, message) => {
    const { ctx } = setup();
    const error = thrownBy(() => ctx.tools.register(definition as ToolDefinition));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(message);
    expect(ctx.tools.schemas()).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['absent', undefined],
    ['null', null],
    ['an array', []],
    ['a string', 'text'],
    ['a function with a render property', Object.assign(() => [], { schema: {}, render: () => [] })],
    ['without render', { schema: {} }],
    ['with a render that is no function', { schema: {}, render: 'text' }],
    ['without schema', { render: () => [] }],
    ['with a presentationMeta that is no function', { schema: {}, render: () => [], presentationMeta: {} }],
    ['with a presentationMeta of null', { schema: {}, render: () => [], presentationMeta: null }],
  ])('is refused when its output is %s, naming the tool and the shape [F2 F3 F4]', (_what, output) => {
    const { ctx } = setup();
    const error = thrownBy(() => ctx.tools.register(raw({ output })));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/tool "raw": output must be \{ schema, render, presentationMeta\? \}/);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '30', null, 30n, {}])(
    'is refused when timeoutMs is %s, whether or not it went through defineTool [F6 F7]',
    (timeoutMs) => {
      const { ctx } = setup();
      for (const definition of [raw({ timeoutMs }), aTool({ name: 'raw', timeoutMs: timeoutMs as number })]) {
        const error = thrownBy(() => ctx.tools.register(definition));
        expect(error).toBeInstanceOf(TypeError);
        expect(error.message).toMatch(/tool "raw": timeoutMs must be a positive finite number/);
      }
    },
  );

  it.each(['isConcurrencySafe', 'locks', 'repeatKey', 'finalizeContent', 'presentCall', 'presentResult'])(
    'is refused when %s is there and no function [F1 F12]',
    (key) => {
      const { ctx } = setup();
      for (const value of [true, null, {}]) {
        expect(() => ctx.tools.register(raw({ [key]: value }))).toThrow(new TypeError(`core-tools: tool "raw": ${key} must be a function`));
      }
      ctx.tools.register(raw({ [key]: undefined }));
      expect(ctx.tools.get('raw')).toBeDefined();
    },
  );

  it('says what is wrong with the definition before it says that the name is taken [F9]', () => {
    const { ctx } = setup();
    ctx.tools.register(raw());
    expect(() => ctx.tools.register(raw({ output: undefined, timeoutMs: 0 }))).toThrow(/output must be/);
    expect(() => ctx.tools.register(raw({ timeoutMs: 0 }))).toThrow(/timeoutMs/);
    expect(() => ctx.tools.register(raw({ output: { schema: { type: 'nonsense' }, render: () => [] } }))).toThrow(/output\.schema/);
    expect(() => ctx.tools.register(raw())).toThrow(/already registered/);
  });

  it('leaves nothing behind when it is refused, so that the right one can be registered', async () => {
    const { ctx } = setup();
    const before = ctx.inspect();
    const changes: unknown[] = [];
    const off = ctx.on('tools/change', (change) => { changes.push(change); });
    expect(() => ctx.tools.register(raw({ execute: 1 }))).toThrow();
    expect(() => ctx.tools.register(raw({ parameters: { type: 'array' } }))).toThrow();
    expect(changes).toEqual([]);
    off();
    expect(ctx.inspect()).toEqual(before);
    ctx.tools.register(raw());
    expect(codeOf(await ctx.tools.execute({ name: 'raw' }))).toBe('ok');
  });
});

describe('a tool name', () => {
  it.each([
    ['', 'tool'],
    ['read file', 'read_file'],
    ['fs.read', 'fs_read'],
    ['mcp:server/read', 'mcp_server_read'],
    ['3d_print', 'tool_3d_print'],
    ['-x', 'tool_-x'],
    ['émoji', 'e_moji'],
    ['читать', 'tool'],
    ['a\nb', 'a_b'],
    ['🙂', 'tool'],
    ['x'.repeat(65), 'x'.repeat(64)],
  ])('that a provider would refuse is refused, with one that would do: %j [F12] [W36]', (name, suggested) => {
    const { ctx } = setup();
    const error = thrownBy(() => ctx.tools.register(raw({ name })));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain(`try ${JSON.stringify(suggested)}`);
    ctx.tools.register(raw({ name: suggested }));
  });

  it('is accepted exactly when it is 1 to 64 of A-Z a-z 0-9 _ - and starts with a letter or _; any other gets a suggestion that is [W36]', async () => {
    const tricky = fc.oneof(fc.string({ maxLength: 90 }), fc.string({ unit: 'binary', maxLength: 90 }), fc.stringMatching(/^[\w-]{0,70}$/));
    await withBed(({ ctx }) => {
      fc.assert(
        fc.property(tricky, (name) => {
          fc.pre(name !== 'run_code');
          const isValid = /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name) && name.length <= 64;
          if (isValid) {
            ctx.tools.register(raw({ name }))();
            return;
          }
          const error = thrownBy(() => ctx.tools.register(raw({ name })));
          const suggestion = JSON.parse(/try (".*")$/.exec(error.message)?.[1] ?? '""') as string;
          ctx.tools.register(raw({ name: suggestion }))();
        }),
        { numRuns: 500, examples: [['_'.repeat(65)], ['run_code '], ['__proto__ '], ['\ud800']] },
      );
    });
  }, 30_000);

  it('of a megabyte is refused without a message of a megabyte', () => {
    const { ctx } = setup();
    for (const name of ['x'.repeat(1_000_000), '🙂'.repeat(500_000)]) {
      expect(thrownBy(() => ctx.tools.register(raw({ name }))).message.length).toBeLessThan(800);
      expect(thrownBy(() => ctx.tools.register(raw({ name, execute: 1 }))).message.length).toBeLessThan(800);
    }
  });

  it('run_code is reserved in every scope, though nothing presents it here [F8]', () => {
    const { ctx } = setup();
    for (const place of [ctx, ctx.scope('agent')]) {
      expect(() => place.tools.register(raw({ name: 'run_code' }))).toThrow(/"run_code" is reserved/);
      expect(place.tools.get('run_code')).toBeUndefined();
    }
  });

  it('may even be that of an object member, and is a tool like any other then', async () => {
    const { ctx } = setup();
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(codeOf(await ctx.tools.execute({ name }))).toBe('UNKNOWN_TOOL');
      const off = ctx.tools.register(raw({ name, execute: () => name }));
      expect(await ctx.tools.execute({ name })).toMatchObject({ isError: false, value: name });
      expect(ctx.tools.schemas().map((schema) => schema.name)).toEqual([name]);
      off();
      expect(codeOf(await ctx.tools.execute({ name }))).toBe('UNKNOWN_TOOL');
    }
  });

  it('that is taken in the same layer throws, naming the layer and both registrants, and the first stays [F10]', async () => {
    const { ctx } = setup();
    const registers = (name: string, value: string): ReturnType<typeof definePlugin> =>
      definePlugin({ name, apply: (own) => void own.tools.register(raw({ execute: () => value })) });
    ctx.plugin(registers('first-plugin', 'first'));
    const second = ctx.plugin(registers('second-plugin', 'second'));
    expect(second.status).toBe('failed');
    await expect(second.ready).rejects.toThrow(/tool "raw" of "second-plugin" is already registered globally by "first-plugin"/);
    expect(await ctx.tools.execute({ name: 'raw' })).toMatchObject({ value: 'first' });

    const agent = ctx.scope('planner').scope('helper');
    agent.tools.register(raw());
    const error = thrownBy(() => agent.tools.register(raw()));
    expect(isSluiceError(error) && error.code).toBe('TOOL_DUPLICATE');
    expect(error.message).toMatch(/of "app" is already registered in scope "planner\/helper" by "app"/);
  });
});

describe('schemas of a definition', () => {
  it.each<[string, unknown]>([
    ['absent', undefined],
    ['null', null],
    ['a string', 'object'],
    ['a boolean', true],
    ['cyclic', (() => { const cyclic: Record<string, unknown> = { type: 'object' }; cyclic['properties'] = { self: cyclic }; return cyclic; })()],
    ['holding a function', { type: 'object', properties: { a: { default: () => 1 } } }],
    ['of an unknown type', { type: 'object', properties: { a: { type: 'strnig' } } }],
    ['with a keyword of the wrong shape', { type: 'object', required: 'a' }],
    ['referring to another host', { type: 'object', properties: { a: { $ref: 'https://example.com/schema.json' } } }],
    ['referring to nothing', { type: 'object', properties: { a: { $ref: '#/$defs/gone' } } }],
  ])('are checked at registration: parameters that are %s are INVALID_SCHEMA naming the tool [F12 F13 F81]', (_what, parameters) => {
    const { ctx } = setup();
    const error = thrownBy(() => ctx.tools.register(raw({ parameters })));
    expect(isSluiceError(error) && error.code).toBe('INVALID_SCHEMA');
    expect(error.message).toContain('tool "raw" parameters');
    expect(ctx.tools.schemas()).toEqual([]);
  });

  it('are checked at registration: an output schema that is wrong is INVALID_SCHEMA naming tool and path [F5]', () => {
    const { ctx } = setup();
    const output = { schema: { type: 'array', items: { type: 'nonsense' } }, render: () => [] };
    const error = thrownBy(() => ctx.tools.register(raw({ output })));
    expect(isSluiceError(error) && error.code).toBe('INVALID_SCHEMA');
    expect(error.message).toMatch(/tool "raw" output\.schema.*items/);
  });

  it.each([{ type: 'string' }, { type: 'array', items: {} }, { type: ['object', 'null'] }, { enum: [1, 2] }])(
    'are refused when parameters %j do not describe an object [F42]',
    (parameters) => {
      const { ctx } = setup();
      expect(() => ctx.tools.register(raw({ parameters }))).toThrow(/tool "raw": parameters must describe an object/);
    },
  );

  it.each<[object, unknown]>([
    [{ type: 'string' }, 'text'],
    [{ type: 'integer' }, 3],
    [{ type: 'boolean' }, false],
    [{ type: 'null' }, null],
    [{ type: 'array', items: { type: 'number' } }, [1, 2.5]],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, null],
    [{}, { any: ['thing'] }],
  ])('may give an output any JSON root: %j [F42]', async (schema, value) => {
    const { ctx } = setup();
    ctx.tools.register(raw({ output: { schema, render: () => [] }, execute: () => value }));
    expect(await ctx.tools.execute({ name: 'raw' })).toMatchObject({ isError: false, value });
  });

  it('may use in a foreign definition what we do not know, and say it to the model as it is [F13] [W26]', () => {
    const { ctx } = setup();
    const parameters = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: {
        when: { type: 'string', format: 'date-time', nullable: true, 'x-order': 1, pattern: '^2' },
        size: { type: 'integer', minimum: 1, maximum: 5, deprecated: true, widget: 'slider' },
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] },
      },
      additionalProperties: { type: 'string', maxLength: 3 },
      allOf: [{ not: { required: ['never'] } }],
    };
    ctx.tools.register(raw({ parameters }));
    expect(ctx.tools.schemas()[0]?.parameters).toEqual(parameters);
  });

  it('may not use an unknown keyword in a tool of our own: it is a typing error [F31]', () => {
    const { ctx } = setup();
    const parameters = { type: 'object', properties: { size: { type: 'integer', minimun: 1 } } };
    const error = thrownBy(() => ctx.tools.register(aTool({ name: 'own', parameters })));
    expect(isSluiceError(error) && error.code).toBe('INVALID_SCHEMA');
    expect(error.message).toMatch(/tool "own" parameters.*minimun/s);
    ctx.tools.register(raw({ parameters }));
  });
});

describe('parameters of every kind', () => {
  const sources: [string, object][] = [
    ['TypeBox', Type.Object({ path: Type.String(), limit: Type.Optional(Type.Integer()) })],
    ['JSON Schema 2020-12', { type: 'object', properties: { path: { type: 'string' }, limit: { type: 'integer' } }, required: ['path'] }],
    [
      'JSON Schema draft-07',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        definitions: { limit: { type: 'integer' } },
        type: 'object',
        properties: { path: { type: 'string' }, limit: { $ref: '#/definitions/limit' } },
        required: ['path'],
      },
    ],
    ['zod', z.object({ path: z.string(), limit: z.int().optional() })],
    ['arktype', ark({ path: 'string', 'limit?': 'number.integer' })],
    ['the shorthand map', { path: { type: 'string', required: true }, limit: { type: 'integer' } }],
  ];

  it.each(sources)('are checked before the body, raw or typed, and the model reads what to correct: %s [F14 F15 F28 F46]', async (_kind, parameters) => {
    const { ctx } = setup();
    const execute = vi.fn((args: object) => ({ ...args }));
    ctx.tools.register(aTool({ name: 'typed', parameters, execute }));
    ctx.tools.register(raw({ parameters, execute }));
    for (const name of ['typed', 'raw']) {
      const call = (args: unknown): ReturnType<typeof ctx.tools.execute> => ctx.tools.execute({ name, arguments: args });
      const missing = await call({ limit: 3 });
      expect(codeOf(missing)).toBe('INVALID_ARGS');
      expect(textOf(missing)).toMatch(/^Error: .*path/);
      const wrong = await call({ path: 'a', limit: '500' });
      expect(codeOf(wrong)).toBe('INVALID_ARGS');
      expect(textOf(wrong)).toMatch(/limit.*integer.*"?500/s);
      for (const root of [null, [], 'a', 5]) expect(codeOf(await call(root))).toBe('INVALID_ARGS');
      expect(execute).not.toHaveBeenCalled();
      expect(await call({ path: 'a', limit: 500 })).toMatchObject({ isError: false, value: { path: 'a', limit: 500 } });
      expect(execute).toHaveBeenCalledOnce();
      execute.mockClear();
    }
  });

  it.each(sources)('are shown to the model as plain JSON Schema with an object root: %s [F29 F79]', (_kind, parameters) => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ parameters }));
    const shown = ctx.tools.schemas()[0]?.parameters;
    expect(JSON.parse(JSON.stringify(shown))).toEqual(shown);
    expect(shown).toMatchObject({ type: 'object', required: ['path'] });
    expect(Object.keys(shown?.['properties'] as object)).toEqual(['path', 'limit']);
  });

  it('may be empty, in the shorthand too, and then take any object [F28 F29]', async () => {
    const { ctx } = setup();
    ctx.tools.register(raw({ parameters: {} }));
    expect(ctx.tools.schemas()[0]?.parameters).toEqual({ type: 'object', properties: {} });
    expect(codeOf(await ctx.tools.execute({ name: 'raw', arguments: { anything: [1] } }))).toBe('ok');
    expect(codeOf(await ctx.tools.execute({ name: 'raw', arguments: [] }))).toBe('INVALID_ARGS');
  });

  it('may close the root, which then names the key that does not belong [W26]', async () => {
    const { ctx } = setup();
    ctx.tools.register(raw({ parameters: { type: 'object', properties: { a: {} }, additionalProperties: false } }));
    const result = await ctx.tools.execute({ name: 'raw', arguments: { a: 1, b: 2 } });
    expect(codeOf(result)).toBe('INVALID_ARGS');
    expect(textOf(result)).toMatch(/"b"/);
  });

  it('apply no default and coerce nothing: the body sees the arguments as they came [F23 F24]', async () => {
    const { ctx } = setup();
    const parameters = {
      type: 'object',
      properties: { limit: { type: 'integer', default: 10, examples: [5] }, mode: { type: 'string', default: 7, title: 'Mode' } },
    };
    ctx.tools.register(raw({ parameters }));
    expect(await ctx.tools.execute({ name: 'raw', arguments: {} })).toMatchObject({ value: {} });
    expect(codeOf(await ctx.tools.execute({ name: 'raw', arguments: { limit: '10' } }))).toBe('INVALID_ARGS');
    expect(codeOf(await ctx.tools.execute({ name: 'raw', arguments: { limit: true } }))).toBe('INVALID_ARGS');
  });

  it('look at own properties only, `__proto__` among them [F36 F41 F52]', async () => {
    const { ctx } = setup();
    const parameters = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__","toString"]}') as object;
    ctx.tools.register(raw({ parameters }));
    const call = (text: string): ReturnType<typeof ctx.tools.execute> => ctx.tools.execute({ name: 'raw', argumentsText: text });
    expect(codeOf(await call('{}'))).toBe('INVALID_ARGS');
    expect(codeOf(await call('{"__proto__":"a"}'))).toBe('INVALID_ARGS');
    expect(codeOf(await call('{"__proto__":1,"toString":1}'))).toBe('INVALID_ARGS');
    const result = await call('{"__proto__":"a","toString":1}');
    expect(result.isError ? result : JSON.stringify(result.value)).toBe('{"__proto__":"a","toString":1}');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('run the read_file of dsh as it is written, shorthand and all', async () => {
    const { ctx } = setup();
    ctx.tools.register(
      defineTool({
        name: 'read_file',
        description: 'Read a file from disk.',
        parameters: {
          path: { type: 'string', required: true, description: 'Absolute file path' },
          offset: { type: 'number', description: 'First line' },
        },
        output: { schema: { type: 'string' }, render: (_args, value) => [{ type: 'text', text: value }] },
        async execute(args) {
          return `contents of ${args.path}`;
        },
      }),
    );
    expect(ctx.tools.schemas()).toEqual([
      {
        name: 'read_file',
        description: 'Read a file from disk.',
        parameters: {
          type: 'object',
          properties: {
            path: { type: 'string', description: 'Absolute file path' },
            offset: { type: 'number', description: 'First line' },
          },
          required: ['path'],
        },
      },
    ]);
    const result = await ctx.tools.execute({ name: 'read_file', argumentsText: '{"path":"/etc/hosts","offset":2}' });
    expect(textOf(result)).toBe('contents of /etc/hosts');
    const wrong = await ctx.tools.execute({ name: 'read_file', argumentsText: '{"offset":2}' });
    expect(codeOf(wrong)).toBe('INVALID_ARGS');
    expect(textOf(wrong)).toContain('path');
  });
});

describe('types of a defined tool', () => {
  const render = (): [] => [];

  it('come from its schemas, so that a body that does not fit them is a type error [F57 F58]', () => {
    const parameters = { type: 'object', properties: { path: { type: 'string' }, mode: { enum: ['r', 'w'] } }, required: ['path'] } as const;
    const fits = defineTool({
      name: 'fits',
      description: '',
      parameters,
      output: { schema: { type: 'integer' }, render: (args, value) => [{ type: 'text', text: args.path.repeat(value) }] },
      execute(args) {
        expectTypeOf(args.path).toEqualTypeOf<string>();
        expectTypeOf(args.mode).toEqualTypeOf<'r' | 'w' | undefined>();
        return args.path.length;
      },
    });
    expectTypeOf(fits.execute).parameter(0).toHaveProperty('path');
    const { ctx } = setup();
    ctx.tools.register(
      defineTool({
        name: 'in_place',
        description: '',
        parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
        output: { schema: { type: 'integer' }, render: () => [] },
        execute(args) {
          // Where the definition goes is of no account.
          expectTypeOf(args).toEqualTypeOf<{ path: string }>();
          return args.path.length;
        },
      }),
    );
    // @ts-expect-error -- the schema says that the value is an integer
    const value = defineTool({ name: 'value', description: '', parameters, output: { schema: { type: 'integer' }, render }, execute: () => 'text' });
    const args = defineTool({
      name: 'args',
      description: '',
      parameters,
      output: { schema: { type: 'integer' }, render },
      // @ts-expect-error -- the schema says nothing of a `file`
      execute: (wrong: { file: string }) => wrong.file.length,
    });
    expect([fits, value, args]).toHaveLength(3);
  });

  it('let a value be any JSON where the output schema is {}', () => {
    defineTool({
      name: 'any',
      description: '',
      parameters: {},
      output: {
        schema: {},
        render(_args, value) {
          expectTypeOf(value).toEqualTypeOf<JsonValue>();
          return [];
        },
      },
      execute: () => null,
    });
  });
});

describe('what is registered', () => {
  it('is the definition as it was: what is done to the object afterwards changes nothing [F16] [W15]', async () => {
    const { ctx } = setup();
    const definition = {
      ...raw(),
      parameters: { type: 'object', properties: { n: { type: 'number' } } },
      output: { schema: { type: 'object', properties: { n: { type: 'number' } } } as Record<string, unknown>, render: () => [{ type: 'text', text: 'first' }] },
      timeoutMs: 100,
      annotations: { readOnlyHint: true },
      isConcurrencySafe: () => true,
      finalizeContent: () => undefined,
      presentCall: () => ({ card: 'generic', title: 'first' }),
      presentResult: () => ({ card: 'generic', title: 'first' }),
    };
    ctx.tools.register(definition as unknown as ToolDefinition);
    const seen: unknown[] = [];
    ctx.on('tools/call', (exec) => { seen.push(exec.tool); });
    const look = async (): Promise<unknown> => ({
      schemas: ctx.tools.schemas(),
      mode: ctx.tools.executionMode({ name: 'raw', arguments: { n: 1 } }),
      good: await ctx.tools.execute({ name: 'raw', callId: 'good', arguments: { n: 1 } }),
      bad: await ctx.tools.execute({ name: 'raw', callId: 'bad', arguments: { n: 'x' } }),
      pending: ctx.tools.present({ name: 'raw', arguments: { n: 1 } }),
      completed: ctx.tools.present({ name: 'raw', arguments: { n: 1 } }, { content: [], isError: false }),
      facts: seen.splice(0),
    });
    const before = await look();
    definition.parameters.properties.n.type = 'string';
    delete (definition.output.schema as { properties?: unknown }).properties;
    definition.output.schema['type'] = 'string';
    const hijack = (): never => { throw new Error('the new one must not run'); };
    Object.assign(definition, {
      name: 'other', description: 'other', parameters: {}, timeoutMs: -1, execute: hijack, isConcurrencySafe: hijack,
      locks: hijack, finalizeContent: hijack, presentCall: hijack, presentResult: hijack,
    });
    definition.annotations.readOnlyHint = false;
    definition.output.render = hijack;
    Object.assign(definition.output, { presentationMeta: hijack });
    expect(await look()).toEqual(before);
  });

  it('runs every function with the definition (or its output block) as receiver [F17]', async () => {
    const { ctx } = setup();
    class Counter {
      readonly name = 'count';
      readonly description = 'Counts its calls.';
      readonly parameters = { type: 'object' };
      readonly output = {
        unit: 'calls',
        schema: { type: 'integer' },
        render(_args: unknown, value: number) {
          return [{ type: 'text' as const, text: `${value} ${this.unit}` }];
        },
        presentationMeta(): unknown {
          return { unit: this.unit };
        },
      };
      #calls = 0;
      execute(): number {
        this.#calls += 1;
        return this.#calls;
      }
      isConcurrencySafe(): boolean {
        return this.#calls === 0;
      }
      finalizeContent(): undefined {
        this.#calls += 10;
      }
      presentCall(): { card: 'generic'; title: string } {
        return { card: 'generic', title: `after ${this.#calls}` };
      }
      presentResult(): { card: 'generic'; title: string } {
        return { card: 'generic', title: `after ${this.#calls}` };
      }
    }
    ctx.tools.register(new Counter());
    expect(ctx.tools.executionMode({ name: 'count' })).toBe('parallel');
    const result = await ctx.tools.execute({ name: 'count' });
    expect(result).toMatchObject({ value: 1, meta: { unit: 'calls' } });
    expect(textOf(result)).toBe('1 calls');
    expect(ctx.tools.present({ name: 'count', arguments: {} })).toMatchObject({ title: 'after 11' });
    expect(ctx.tools.present({ name: 'count', arguments: {} }, result)).toMatchObject({ title: 'after 11' });
    expect(ctx.tools.executionMode({ name: 'count' })).toBe('exclusive');
  });

  it('is looked up as the very definition that was given, or undefined [F77]', () => {
    const { ctx } = setup();
    const definition = raw();
    ctx.tools.register(definition);
    expect(ctx.tools.get('raw')).toBe(definition);
    expect(ctx.tools.get('rawr')).toBeUndefined();
  });

  it('keeps, through defineTool, exactly the members that were given, and cannot be changed after [F18]', () => {
    const definition = defineTool({ ...raw() });
    expect(Object.keys(definition)).toEqual(['name', 'description', 'parameters', 'output', 'execute']);
    for (const absent of ['presentCall', 'presentResult', 'timeoutMs', 'finalizeContent', 'isConcurrencySafe']) {
      expect(absent in definition).toBe(false);
    }
    expect(Object.isFrozen(definition)).toBe(true);
  });

  it('is classified only on arguments that are valid; any others are exclusive [F19]', () => {
    const { ctx } = setup();
    const isConcurrencySafe = vi.fn(() => true);
    const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
    ctx.tools.register(aTool({ parameters, isConcurrencySafe }));
    const mode = (args: unknown): string => ctx.tools.executionMode({ name: 'echo', arguments: args });
    for (const bad of [{}, { path: 1 }, null, [], 'x', { path: 'a', extra: undefined }, { path: 'a', n: 1n }]) expect(mode(bad)).toBe('exclusive');
    expect(isConcurrencySafe).not.toHaveBeenCalled();
    expect(mode({ path: 'a' })).toBe('parallel');
    expect(ctx.tools.executionMode({ name: 'nobody', arguments: {} })).toBe('exclusive');
  });

  it('is classified as if without arguments when there are none, as a call would be, and null is not none', () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ isConcurrencySafe: () => true }));
    expect(ctx.tools.executionMode({ name: 'echo' })).toBe('parallel');
    expect(ctx.tools.executionMode({ name: 'echo', arguments: null })).toBe('exclusive');
    expect(ctx.tools.executionMode({ name: 'echo', arguments: undefined })).toBe('exclusive');
  });

  it('is classified on a frozen copy of the arguments, the same one however often it is asked [W14]', async () => {
    const { ctx } = setup();
    const seen: unknown[] = [];
    const mine = { list: [1] };
    ctx.tools.register(
      aTool({
        isConcurrencySafe(args: { list: number[] }) {
          seen.push(args);
          expect(() => args.list.push(2)).toThrow(TypeError);
          return true;
        },
      }),
    );
    expect(ctx.tools.executionMode({ name: 'echo', arguments: mine })).toBe('parallel');
    expect(seen).toEqual([mine]);
    expect(seen[0]).not.toBe(mine);
    expect(Object.isFrozen(mine)).toBe(false);
    await ctx.tools.executeAll([{ name: 'echo', arguments: mine }, { name: 'echo', arguments: mine }]);
    expect(mine).toEqual({ list: [1] });
    // One snapshot for the direct question and one per call.
    expect(new Set(seen).size).toBe(3);
  });

  it('is never classified by a promise, and one that rejects harms nobody [W14]', async () => {
    const { ctx } = setup();
    const isConcurrencySafe = (async () => { throw new Error('lost'); }) as unknown as () => boolean;
    ctx.tools.register(aTool({ isConcurrencySafe }));
    expect(ctx.tools.executionMode({ name: 'echo', arguments: {} })).toBe('exclusive');
    expect((await ctx.tools.executeAll([{ name: 'echo' }])).map(codeOf)).toEqual(['ok']);
  });
});

describe('a callback that must be synchronous', () => {
  const lost = (async () => { throw new Error('lost'); }) as never;
  it.each<[string, object]>([
    ['output.render', { output: { schema: {}, render: lost } }],
    ['output.presentationMeta', { output: { schema: {}, render: () => [], presentationMeta: lost } }],
    ['finalizeContent', { finalizeContent: lost }],
  ])('and answers with a promise fails the call, and a rejection of it harms nobody: %s', async (name, overrides) => {
    const { ctx } = setup();
    ctx.tools.register(raw(overrides as Record<string, unknown>));
    const result = await ctx.tools.execute({ name: 'raw' });
    expect(codeOf(result)).toBe('INVALID_TOOL_OUTPUT');
    expect(textOf(result)).toContain(name);
  });
});

describe('annotations', () => {
  it('are what policies read and the model never sees [W36]', async () => {
    const { ctx } = setup();
    const annotations = { title: 'Delete it', destructiveHint: true, readOnlyHint: false, idempotentHint: true, openWorldHint: false };
    ctx.tools.register(aTool({ annotations, timeoutMs: 5_000 }));
    ctx.on('tools/pre-execute', (exec, next) =>
      exec.tool?.annotations?.destructiveHint === true ? { kind: 'deny', reason: `destructive, ${String(exec.tool.timeoutMs)} ms` } : next(),
    );
    const facts: unknown[] = [];
    ctx.tools.guard((exec) => void facts.push(exec.tool));
    const result = await ctx.tools.execute({ name: 'echo' });
    expect(codeOf(result)).toBe('DENIED');
    expect(textOf(result)).toBe('Error: destructive, 5000 ms');
    expect(JSON.stringify(ctx.tools.schemas())).not.toMatch(/title|Hint|timeoutMs/);
  });

  it.each<[string, unknown]>([
    ['no object', 'readOnly'],
    ['an array', []],
    ['null', null],
    ['a hint that is no boolean', { readOnlyHint: 'yes' }],
    ['a title that is no string', { title: 1 }],
    ['no JSON', { destructiveHint: () => true }],
  ])('are refused when they are wrong: %s', (_what, annotations) => {
    const { ctx } = setup();
    expect(() => ctx.tools.register(raw({ annotations }))).toThrow(/tool "raw": annotations/);
  });

  it('may carry what a later version of MCP adds', async () => {
    const { ctx } = setup();
    ctx.tools.register(raw({ annotations: { readOnlyHint: true, futureHint: 3 } }));
    const seen: unknown[] = [];
    ctx.on('tools/call', (exec) => { seen.push(exec.tool?.annotations); });
    await ctx.tools.execute({ name: 'raw' });
    expect(seen).toEqual([{ readOnlyHint: true, futureHint: 3 }]);
    expect(Object.isFrozen(seen[0])).toBe(true);
  });
});

describe('errors of another copy or library', () => {
  it('keep their string code as causeCode, whatever their class [W19]', async () => {
    const { ctx } = setup();
    class ForeignError extends Error {
      override readonly name = 'ForeignError';
      readonly code = 'E_FOREIGN';
    }
    const thrown = [
      new ForeignError('far away'),
      Object.assign(new Error('no entry'), { code: 'ENOENT', errno: -2 }),
      { name: 'Plain', message: 'a plain object', code: 'E_PLAIN' },
      Object.assign(new Error('numeric'), { code: 404 }),
    ];
    ctx.tools.register(aTool({ execute: (args) => { throw thrown[args['i'] as number]; } }));
    const infos = [];
    for (let i = 0; i < thrown.length; i += 1) {
      const result = await ctx.tools.execute({ name: 'echo', arguments: { i } });
      infos.push(result.isError && result.error.info);
    }
    expect(infos).toEqual([
      { name: 'ForeignError', code: 'TOOL_FAILED', causeCode: 'E_FOREIGN', started: true },
      { name: 'Error', code: 'TOOL_FAILED', causeCode: 'ENOENT', started: true },
      { name: 'Plain', code: 'TOOL_FAILED', causeCode: 'E_PLAIN', started: true },
      { name: 'Error', code: 'TOOL_FAILED', started: true },
    ]);
  });

  it('are recognised when the package is there twice: tools, plugins and errors of the second copy work in the first [W19]', async () => {
    const { ctx } = setup();
    vi.resetModules();
    const second = await import('../src/index.ts');
    expect(second.ToolError).not.toBe(ToolError);
    const definition = second.defineTool({
      ...raw({ name: 'second' }),
      execute() {
        throw new second.ToolError('from the second copy', { code: 'E_SECOND', hint: 'Use the first.' });
      },
    });
    ctx.plugin(second.definePlugin({ name: 'second-copy', apply: (own) => void own.tools.register(definition) }));
    expect(await ctx.tools.execute({ name: 'second' })).toMatchObject({
      isError: true,
      error: { message: 'from the second copy', hint: 'Use the first.', info: { name: 'ToolError', code: 'E_SECOND' } },
    });
    const typo = { ...raw({ name: 'typo', parameters: { type: 'object', minProps: 1 } }) };
    const error = thrownBy(() => ctx.tools.register(second.defineTool(typo)));
    expect(isSluiceError(error)).toBe(true);
    expect(second.isSluiceError(error)).toBe(true);
  });
});
