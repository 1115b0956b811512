import vm from 'node:vm';
import { aTool, recordHooks } from '@sluice/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Context, ContentBlock, ToolDefinition, ToolExecutionResult } from '../src/index.ts';
import { codeOf, setup, textOf } from './support.ts';
import { flush } from './virtual-time.ts';

/** What a call of a tool gives whose body returns `value`. */
async function returning(ctx: Context, value: unknown, overrides: Partial<ToolDefinition> = {}): Promise<ToolExecutionResult> {
  const off = ctx.tools.register({ ...aTool({ name: 'tool', execute: () => value }), ...overrides });
  try {
    return await ctx.tools.execute({ name: 'tool', callId: 'c1' });
  } finally {
    off();
  }
}

function valueOf(result: ToolExecutionResult): unknown {
  expect(result).toMatchObject({ isError: false });
  return result.isError ? undefined : result.value;
}

function problemOf(result: ToolExecutionResult): string {
  expect(codeOf(result)).toBe('INVALID_TOOL_OUTPUT');
  return result.isError ? result.error.message : '';
}

/** Fails the test if any promise rejects with nobody there. */
function watchRejections(): unknown[] {
  const unhandled: unknown[] = [];
  const listeners = process.rawListeners('unhandledRejection') as ((...args: unknown[]) => void)[];
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (reason) => { unhandled.push(reason); });
  onTestFinished(() => {
    process.removeAllListeners('unhandledRejection');
    for (const listener of listeners) process.on('unhandledRejection', listener);
  });
  return unhandled;
}

class Money {
  readonly amount = 5;
}

function withAccessor(): object {
  return Object.defineProperty({}, 'secret', { get: () => 1, enumerable: true });
}

describe('the canonical value', () => {
  it.each<[string, unknown]>([
    ['null', null], ['false', false], ['an empty string', ''], ['a lone surrogate', '\ud83d'], ['zero', 0], ['an unsafe integer', 2 ** 60],
    ['a tiny number', 5e-324], ['an empty list', []], ['an empty object', {}], ['a deep mix', { a: [1, { b: null }, 'x'], c: { d: [[]] } }],
  ])('may be %s, and is what the body gave [F156]', async (_what, value) => {
    const { ctx } = setup();
    expect(valueOf(await returning(ctx, value))).toEqual(value);
  });

  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'undefined'], ['NaN', NaN, 'NaN'], ['Infinity', Infinity, 'Infinity'], ['-Infinity', -Infinity, '-Infinity'],
    ['-0', -0, '-0'], ['a bigint', 10n, 'BigInt'], ['a symbol', Symbol('s'), 'symbol'], ['a function', () => 1, 'function'],
  ])('is never %s: INVALID_TOOL_OUTPUT names it, and the path if it is inside [F157] [F158] [F154]', async (_what, value, named) => {
    const { ctx } = setup();
    const bare = problemOf(await returning(ctx, value));
    expect(bare).toMatch(/^tool "tool" returned invalid output: value must be a JSON value/);
    expect(bare).toContain(named);
    expect(problemOf(await returning(ctx, { rows: [1, { cell: value }] }))).toContain('rows[1].cell');
    expect(problemOf(await returning(ctx, ['ok', value]))).toContain('[1]');
  });

  it.each<[string, () => unknown]>([
    ['a sparse list', () => [1, , 3]], ['a decorated list', () => Object.assign([1], { extra: 1 })],
    ['a sparse list decorated so that the count fits', () => Object.assign([1, , 3], { extra: 1 })],
    ['a list of a subclass', () => new (class List extends Array<number> {})(2).fill(1)],
    ['a list with a forged prototype', () => Object.setPrototypeOf([1], Object.create(Array.prototype) as object) as unknown],
  ])('is never %s [F159]', async (_what, make) => {
    const { ctx } = setup();
    expect(problemOf(await returning(ctx, { at: make() }))).toContain('"at');
  });

  it.each<[string, () => unknown]>([
    ['a class instance', () => new Money()], ['a Map', () => new Map()], ['a Set', () => new Set()], ['a Date', () => new Date(0)],
    ['a RegExp', () => /x/], ['an Error', () => new Error('x')], ['a typed array', () => new Uint8Array(2)], ['a Buffer', () => Buffer.from('x')],
    ['a boxed number', () => Object(1) as unknown], ['the arguments object', function (this: void) { return arguments; }], // eslint-disable-line prefer-rest-params -- it is the value under test
    ['an object whose prototype imitates Object', () => Object.create({ constructor: Object, toString: Object.prototype.toString.bind({}) }) as unknown],
    ['a promise that fulfils', () => Promise.resolve(1)],
  ])('is never %s [F160]', async (_what, make) => {
    const { ctx } = setup();
    expect(problemOf(await returning(ctx, { at: make() }))).toContain('"at');
  });

  it('may come from another realm or have no prototype, and is an ordinary object afterwards [F160] [F167]', async () => {
    const { ctx } = setup();
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    const foreign: unknown = vm.runInNewContext('({ list: [1, { b: 2 }] })');
    const value = valueOf(await returning(ctx, { bare, foreign })) as { bare: object; foreign: object };
    expect(value).toEqual({ bare: { a: 1 }, foreign: { list: [1, { b: 2 }] } });
    expect(Object.getPrototypeOf(value.bare)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(value.foreign)).toBe(Object.prototype);
  });

  it.each<[string, () => unknown]>([
    ['a symbol key', () => ({ [Symbol('k')]: 1 })], ['a hidden property', () => Object.defineProperty({}, 'h', { value: 1 })],
    ['a symbol key on a list', () => Object.assign([1], { [Symbol('k')]: 1 })],
  ])('has no %s [F161]', async (_what, make) => {
    const { ctx } = setup();
    problemOf(await returning(ctx, make()));
  });

  it('is never asked for toJSON: a function is a function [F162]', async () => {
    const { ctx } = setup();
    let calls = 0;
    const toJSON = (): number => { calls += 1; return 1; };
    expect(problemOf(await returning(ctx, { toJSON }))).toContain('toJSON');
    expect(calls).toBe(0);
  });

  it('has no accessors, not even good ones: none is called [F163]', async () => {
    const { ctx } = setup();
    let reads = 0;
    const counted = Object.defineProperty({}, 'n', { enumerable: true, get: () => { reads += 1; return 1; } });
    expect(problemOf(await returning(ctx, { counted }))).toContain('counted.n');
    expect(problemOf(await returning(ctx, [withAccessor()]))).toContain('secret');
    expect(reads).toBe(0);
  });

  it('may stand behind a transparent proxy; a throwing or revoked one is a coded failure [F164]', async () => {
    const { ctx } = setup();
    expect(valueOf(await returning(ctx, { p: new Proxy({ a: [1] }, {}) }))).toEqual({ p: { a: [1] } });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    problemOf(await returning(ctx, { p: proxy }));
    problemOf(await returning(ctx, new Proxy({ a: 1 }, { ownKeys: () => { throw new Error('no'); } })));
    problemOf(await returning(ctx, new Proxy([1], { getOwnPropertyDescriptor: () => { throw new Error('no'); } })));
  });

  it('has no cycles; a reference that is shared becomes two copies [F165]', async () => {
    const { ctx } = setup();
    const cyclic: Record<string, unknown> = { a: { b: {} } };
    (cyclic['a'] as { b: Record<string, unknown> }).b['c'] = cyclic;
    expect(problemOf(await returning(ctx, cyclic))).toMatch(/circular/);
    const shared = { n: 1 };
    const value = valueOf(await returning(ctx, { left: shared, right: shared })) as { left: object; right: object };
    expect(value).toEqual({ left: { n: 1 }, right: { n: 1 } });
    expect(value.left).not.toBe(value.right);
  });

  it('has a budget of a million nodes, unless the deployment sets another; a small graph that would unfold for ever is refused [F166] [W16] [W39]', async () => {
    const { ctx: byDefault } = setup();
    expect(problemOf(await returning(byDefault, Array(1_000_000).fill(0)))).toContain('at most 1000000 values');
    const { ctx } = setup({ config: { limits: { maxNodes: 50_000 } } });
    let dag: unknown = 'leaf';
    for (let level = 0; level < 200; level += 1) dag = [dag, dag];
    expect(problemOf(await returning(ctx, dag))).toContain('at most 50000 values');
  });

  it('keeps to the limits that the deployment sets', async () => {
    const { ctx } = setup({ config: { limits: { maxDepth: 3, maxNodes: 5 } } });
    expect(valueOf(await returning(ctx, [[[]]]))).toEqual([[[]]]);
    expect(problemOf(await returning(ctx, [[[[]]]]))).toContain('3 levels');
    expect(valueOf(await returning(ctx, [1, 2, 3, 4]))).toEqual([1, 2, 3, 4]);
    expect(problemOf(await returning(ctx, [1, 2, 3, 4, 5]))).toContain('at most 5');
  });

  it('keeps a __proto__ key as data and never as a prototype [F167]', async () => {
    const { ctx } = setup();
    const value = valueOf(await returning(ctx, JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'))) as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect((value as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('may be as deep as the limit, and a million levels are a failure, never a crash [F168]', async () => {
    const { ctx } = setup({ config: { limits: { maxDepth: 10_000 } } });
    const nest = (levels: number): unknown => {
      let value: unknown = 1;
      for (let i = 0; i < levels; i += 1) value = [value];
      return value;
    };
    expect(codeOf(await returning(ctx, nest(6_000), { output: { schema: { type: 'json' }, render: () => [] } }))).toBe('ok');
    expect(problemOf(await returning(ctx, nest(1_000_000)))).toContain('10000 levels');
  });

  it('is a detached copy, frozen all the way down [F154] [F169]', async () => {
    const { ctx } = setup();
    const mine = { rows: [{ cells: [1] }] };
    const value = valueOf(await returning(ctx, mine)) as typeof mine;
    mine.rows[0]!.cells[0] = 2;
    expect(value).toEqual({ rows: [{ cells: [1] }] });
    for (const part of [value, value.rows, value.rows[0], value.rows[0]!.cells]) expect(Object.isFrozen(part)).toBe(true);
    expect(Object.isFrozen(mine)).toBe(false);
  });

  it('is checked against output.schema before anything renders it, and says where it is wrong [F154] [F155]', async () => {
    const { ctx } = setup();
    let renders = 0;
    const output = {
      schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      render: (): ContentBlock[] => { renders += 1; return []; },
    };
    const result = await returning(ctx, { n: 'one' }, { output });
    expect(problemOf(result)).toMatch(/^tool "tool" returned invalid output: .*n.* integer.*"one"/);
    expect(problemOf(await returning(ctx, {}, { output }))).toContain('n');
    expect(problemOf(await returning(ctx, 5, { output }))).toMatch(/value must be an object/);
    expect(renders).toBe(0);
    expect(result).toMatchObject({ error: { hint: expect.stringContaining('ran'), info: { name: 'ToolOutputError', started: true } } });
    expect(textOf(result)).toMatch(/^Error: tool "tool" returned invalid output/);
  });

  it('that is refused still goes through post-execute and keeps the contexts of its body [F154]', async () => {
    const { ctx } = setup();
    const recorder = recordHooks(ctx);
    const execute: ToolDefinition['execute'] = (_args, exec) => {
      exec.deferContext({ source: 'tool', content: [] });
      return undefined;
    };
    const result = await returning(ctx, null, { execute });
    expect(codeOf(result)).toBe('INVALID_TOOL_OUTPUT');
    expect(result.additionalContexts).toEqual([{ source: 'tool', content: [] }]);
    expect(recorder.trace()).toContain('tools/post-execute:enter');
  });

  it('is on the outcome for every program that looks: wrappers, post-execute, finalizer, observers [F170]', async () => {
    const { ctx } = setup();
    const seen: unknown[] = [];
    const look = (result: ToolExecutionResult): void => { seen.push(result.isError ? undefined : result.value); };
    ctx.on('tools/execute', async (_exec, next) => { const result = await next(); look(result); return result; });
    ctx.on('tools/post-execute', (_exec, result, next) => { look(result); return next(); });
    ctx.on('tools/result', (_exec, result) => { look(result); });
    const result = await returning(ctx, { n: 1 }, { finalizeContent: (_exec, outcome) => { look(outcome); return undefined; } });
    look(result);
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(1);
  });

  it('that holds promises is refused, and their rejections end nobody’s process', async () => {
    const { ctx } = setup();
    const unhandled = watchRejections();
    const reject = async (): Promise<never> => { throw new Error('forgotten'); };
    expect(problemOf(await returning(ctx, { rows: [1, 2].map(reject) }))).toContain('rows[0]');
    expect(problemOf(await returning(ctx, { a: { b: reject() }, c: reject() }))).toContain('a.b');
    expect(problemOf(await returning(ctx, null, { output: { schema: { type: 'json' }, render: () => [{ type: 'text', text: reject() }] as never } }))).toContain('text');
    expect(problemOf(await returning(ctx, null, { output: { schema: { type: 'json' }, render: reject as never } }))).toContain('render');
    const withMeta = { schema: { type: 'json' }, render: () => [], presentationMeta: () => ({ later: reject() }) };
    expect(problemOf(await returning(ctx, null, { output: withMeta }))).toContain('later');
    expect(codeOf(await returning(ctx, null, { execute: () => { throw reject(); } }))).toBe('TOOL_FAILED');
    await flush();
    expect(unhandled).toEqual([]);
  });
});

describe('output.render', () => {
  const render = (answer: () => unknown, overrides: Partial<ToolDefinition> = {}): Partial<ToolDefinition> => ({
    ...overrides,
    output: { schema: { type: 'json' }, render: answer as ToolDefinition['output']['render'] },
  });

  it('runs once per accepted value, with the frozen arguments and value, and makes the content [F171]', async () => {
    const { ctx } = setup();
    const calls: unknown[][] = [];
    ctx.tools.register({
      ...aTool({ name: 'tool', execute: () => ({ n: 1 }) }),
      output: {
        schema: { type: 'json' },
        render(this: { schema: unknown }, ...args: unknown[]) {
          calls.push([...args, typeof this.schema]);
          return [{ type: 'text', text: 'shown' }];
        },
      },
    });
    ctx.on('tools/execute', async (_exec, next) => next());
    const result = await ctx.tools.execute({ name: 'tool', arguments: { a: [1] } });
    expect(calls).toEqual([[{ a: [1] }, { n: 1 }, 'object']]);
    expect(calls[0]!.slice(0, 2).every((arg) => Object.isFrozen(arg))).toBe(true);
    expect(result.content).toEqual([{ type: 'text', text: 'shown' }]);
    expect(Object.isFrozen(result.content) && Object.isFrozen(result.content[0])).toBe(true);
  });

  it('that throws is INVALID_TOOL_OUTPUT, not a crash [F171]', async () => {
    const { ctx } = setup();
    expect(problemOf(await returning(ctx, 1, render(() => { throw new Error('cannot draw'); })))).toBe('tool "tool" returned invalid output: output.render failed: cannot draw');
    problemOf(await returning(ctx, 1, render(() => { throw undefined; })));
  });

  it('may give any of MCP’s blocks, extras included', async () => {
    const { ctx } = setup();
    const blocks: ContentBlock[] = [
      { type: 'text', text: '' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png', annotations: { audience: ['user'] } },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav', _meta: { k: 1 } },
      { type: 'resource_link', uri: 'file:///a', name: 'a', size: 3 },
      { type: 'resource', resource: { uri: 'file:///a', text: 'x' } },
      { type: 'resource', resource: { uri: 'file:///a', blob: 'AAAA' } },
    ];
    expect((await returning(ctx, 1, render(() => blocks))).content).toEqual(blocks);
    expect((await returning(ctx, 1, render(() => []))).content).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['a string', 'text'], ['null', null], ['undefined', undefined], ['one block without a list', { type: 'text', text: 'x' }], ['a list of strings', ['x']],
    ['a list of lists', [[]]], ['an unknown type', [{ type: 'video', data: '' }]], ['no type', [{ text: 'x' }]], ['text that is no string', [{ type: 'text', text: 1 }]],
    ['an image without a MIME type', [{ type: 'image', data: 'AAAA' }]], ['a resource with neither text nor blob', [{ type: 'resource', resource: { uri: 'x' } }]],
    ['a resource with both', [{ type: 'resource', resource: { uri: 'x', text: '', blob: '' } }]], ['a resource that is none', [{ type: 'resource', resource: null }]],
    ['a link without a name', [{ type: 'resource_link', uri: 'x' }]], ['something that is no JSON', [{ type: 'text', text: 'x', when: new Date() }]], ['a promise', Promise.resolve([])],
  ])('that gives %s is INVALID_TOOL_OUTPUT: only blocks reach a model [F172] [W8]', async (_what, blocks) => {
    const { ctx } = setup();
    expect(problemOf(await returning(ctx, 1, render(() => blocks)))).toContain('output.render gave no content');
  });
});

describe('output.presentationMeta', () => {
  const meta = (presentationMeta: unknown): Partial<ToolDefinition> => ({
    output: { schema: { type: 'json' }, render: () => [], presentationMeta } as ToolDefinition['output'],
  });

  it('becomes the meta of the result, frozen [F173] [F174]', async () => {
    const { ctx } = setup();
    const calls: unknown[][] = [];
    const result = await returning(ctx, { n: 1 }, meta((...args: unknown[]) => { calls.push(args); return { diff: ['+1'] }; }));
    expect(result.meta).toEqual({ diff: ['+1'] });
    expect(Object.isFrozen((result.meta as { diff: unknown }).diff)).toBe(true);
    expect(calls).toEqual([[{}, { n: 1 }]]);
  });

  it('is absent when it is not declared, and when it gives undefined [F173]', async () => {
    const { ctx } = setup();
    expect(await returning(ctx, 1)).not.toHaveProperty('meta');
    expect(await returning(ctx, 1, meta(() => undefined))).not.toHaveProperty('meta');
    expect(await returning(ctx, 1, meta(() => null))).toHaveProperty('meta', null);
  });

  it('runs for root calls only: a nested call has no card [F173]', async () => {
    const { ctx } = setup();
    let runs = 0;
    ctx.tools.register({ ...aTool({ name: 'inner', execute: () => 1 }), ...meta(() => { runs += 1; return { n: 1 }; }) });
    let nested: ToolExecutionResult | undefined;
    await returning(ctx, 1, {
      execute: async (_args, exec) => {
        nested = await exec.execute({ name: 'inner' });
        return null;
      },
    });
    expect(nested).not.toHaveProperty('meta');
    expect(runs).toBe(0);
    expect(await ctx.tools.execute({ name: 'inner' })).toHaveProperty('meta', { n: 1 });
  });

  it.each<[string, unknown, string]>([
    ['throws', () => { throw new Error('no card'); }, 'output.presentationMeta failed: no card'],
    ['gives no JSON', () => ({ when: new Date() }), 'when'],
    ['gives a promise', async () => ({}), 'output.presentationMeta'],
  ])('that %s is INVALID_TOOL_OUTPUT [F171]', async (_what, presentationMeta, named) => {
    const { ctx } = setup();
    expect(problemOf(await returning(ctx, 1, meta(presentationMeta)))).toContain(named);
  });

  it('is what a result presenter gets on replay, next to content and the failure flag [F174]', async () => {
    const { ctx } = setup();
    let seen: unknown;
    ctx.tools.register({
      ...aTool({ name: 'tool', execute: () => 1 }),
      ...meta(() => ({ diff: '+1' })),
      presentResult: (_args, result) => {
        seen = result;
        return { card: 'generic', title: 'done' };
      },
    });
    const result = await ctx.tools.execute({ name: 'tool' });
    // A session log keeps JSON and nothing of the value.
    const { content, isError, meta: kept } = JSON.parse(JSON.stringify(result)) as ToolExecutionResult;
    ctx.tools.present({ name: 'tool', arguments: {} }, { content, isError, ...(kept === undefined ? {} : { meta: kept }) });
    expect(seen).toEqual({ content: [], isError: false, meta: { diff: '+1' } });
  });
});

describe('exec.content', () => {
  const supplying = (ctx: Context, ...supplied: unknown[]): Promise<ToolExecutionResult> =>
    returning(ctx, 'value', {
      output: { schema: { type: 'string' }, render: () => [{ type: 'text', text: 'rendered' }] },
      execute: async (_args, exec) => {
        for (const blocks of supplied) {
          // Rendered elsewhere, in its own time.
          await flush();
          exec.content(blocks as ContentBlock[]);
        }
        return 'value';
      },
    });

  it('replaces what render would make, so that a body may render as it pleases, images and waiting included; the last one counts [W30]', async () => {
    const { ctx } = setup();
    const image: ContentBlock[] = [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }];
    const result = await supplying(ctx, [{ type: 'text', text: 'first' }], image);
    expect(result).toMatchObject({ isError: false, value: 'value' });
    expect(result.content).toEqual(image);
    expect(result.content).not.toBe(image);
    expect(Object.isFrozen(result.content)).toBe(true);
  });

  it.each<[string, unknown]>([['a string', 'text'], ['null', null], ['an unknown block', [{ type: 'video' }]], ['a promise', Promise.resolve([])]])(
    'that is %s is INVALID_TOOL_OUTPUT, never silently the rendered one [W8]',
    async (_what, blocks) => {
      const { ctx } = setup();
      expect(problemOf(await supplying(ctx, blocks))).toContain('exec.content gave no content');
    },
  );

  it('does not spare the value its check', async () => {
    const { ctx } = setup();
    const result = await returning(ctx, undefined, { execute: (_args, exec) => { exec.content([]); return undefined; } });
    expect(codeOf(result)).toBe('INVALID_TOOL_OUTPUT');
  });

  it('of a body that fails is not shown: the failure is', async () => {
    const { ctx } = setup();
    const execute: ToolDefinition['execute'] = (_args, exec) => {
      exec.content([{ type: 'text', text: 'looks fine' }]);
      throw new Error('is not');
    };
    expect(textOf(await returning(ctx, 1, { execute }))).toBe('Error: is not');
  });
});
