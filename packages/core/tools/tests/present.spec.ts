import { aTool } from '@sluice/testing';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import type { CompletedCards, ContentBlock, PendingCards, ToolCallView, ToolDefinition, ToolResultView } from '../src/index.ts';
import { linesOf, setup } from './support.ts';

declare module '../src/index.ts' {
  interface PendingCards {
    'test-map': { title: string; centre: readonly [number, number] };
  }
  interface CompletedCards {
    'test-map': { title?: string; pins: readonly string[] };
  }
}

const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const content: readonly ContentBlock[] = [{ type: 'text', text: 'done' }];
const done = { content, isError: false };

function shows(card: unknown): Partial<ToolDefinition> {
  return { presentCall: () => card as ToolCallView, presentResult: () => card as ToolResultView };
}

describe('a card for a call', () => {
  it('is the tool’s own, made from the arguments as a body would get them: checked and frozen [F293]', () => {
    const { ctx } = setup();
    const presentCall = vi.fn((args: { path: string }): ToolCallView => ({
      card: 'generic', title: `Read ${args.path}`, kind: 'read', locations: [{ path: args.path, line: 1 }],
    }));
    ctx.tools.register(aTool({ parameters: path, presentCall }));
    const mine = { path: 'a.txt' };
    const card = ctx.tools.present({ name: 'echo', arguments: mine });
    expect(card).toEqual({ card: 'generic', title: 'Read a.txt', kind: 'read', locations: [{ path: 'a.txt', line: 1 }] });
    expect(Object.isFrozen(card)).toBe(true);
    const [seen] = presentCall.mock.calls[0]!;
    expect(seen).toEqual(mine);
    expect(seen).not.toBe(mine);
    expect(Object.isFrozen(seen)).toBe(true);
  });

  it('is generic with the name and the raw arguments when the tool has no presenter, or it declines [F293]', () => {
    const { ctx, log } = setup();
    ctx.tools.register(aTool({ name: 'plain' }));
    ctx.tools.register(aTool({ name: 'declines', presentCall: () => undefined, presentResult: () => undefined }));
    for (const name of ['plain', 'declines']) {
      expect(ctx.tools.present({ name, arguments: { a: [1] } })).toEqual({ card: 'generic', title: name, rawInput: { a: [1] } });
      expect(ctx.tools.present({ name, arguments: { a: [1] } }, done)).toEqual({ card: 'generic', content });
    }
    expect(linesOf(log, 'warn')).toEqual([]);
  });

  it('has the annotated title when it is generic', () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ annotations: { title: 'Echo, please' } }));
    expect(ctx.tools.present({ name: 'echo' })).toEqual({ card: 'generic', title: 'Echo, please', rawInput: {} });
  });

  it('is that of a call without arguments when there are none', () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ presentCall: (args: object) => ({ card: 'generic', title: `keys: ${Object.keys(args).length}` }) }));
    expect(ctx.tools.present({ name: 'echo' })).toEqual({ card: 'generic', title: 'keys: 0' });
  });

  it.each<[string, unknown, object]>([
    ['missing a property', {}, { rawInput: {} }],
    ['of a wrong type', { path: 5 }, { rawInput: { path: 5 } }],
    ['no object but the raw text that did not parse', '{"path": "a', { rawInput: '{"path": "a' }],
    ['null', null, { rawInput: null }],
    ['given as undefined', undefined, {}],
    ['no JSON', { path: () => 1 }, {}],
    ['cyclic', (() => { const a: Record<string, unknown> = {}; a['path'] = a; return a; })(), {}],
    ['a throwing proxy', new Proxy({}, { ownKeys: () => { throw new Error('trap'); } }), {}],
  ])('is soft on bad arguments: the presenters are not asked and the generic card is drawn; %s [F19 F293 F298]', (_what, args, shown) => {
    const { ctx, log } = setup();
    const presentCall = vi.fn();
    const presentResult = vi.fn();
    ctx.tools.register(aTool({ parameters: path, presentCall, presentResult }));
    expect(ctx.tools.present({ name: 'echo', arguments: args })).toEqual({ card: 'generic', title: 'echo', ...shown });
    expect(ctx.tools.present({ name: 'echo', arguments: args }, done)).toEqual({ card: 'generic', content });
    expect(presentCall).not.toHaveBeenCalled();
    expect(presentResult).not.toHaveBeenCalled();
    expect(linesOf(log, 'warn')).toEqual([]);
  });

  it('is soft on an accessor that throws instead of arguments [F298]', () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ parameters: path, presentCall: vi.fn() }));
    const call = { name: 'echo', get arguments(): unknown { throw new Error('gone'); } };
    expect(ctx.tools.present(call)).toEqual({ card: 'generic', title: 'echo' });
    expect(ctx.tools.present(call, done)).toEqual({ card: 'generic', content });
  });

  it('is generic for a tool that nobody knows, as in the replay of an old session [F298] [W40]', () => {
    const { ctx, log } = setup();
    expect(ctx.tools.present({ name: 'gone', arguments: { a: 1 } })).toEqual({ card: 'generic', title: 'gone', rawInput: { a: 1 } });
    expect(ctx.tools.present({ name: 'gone', arguments: { a: 1 } }, { content, isError: true, meta: { x: 1 } })).toEqual({ card: 'generic', content });
    expect(linesOf(log, 'warn')).toEqual([]);
  });

  it('is made by the tool that this scope sees', () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    ctx.tools.register(aTool({ ...shows({ card: 'generic', title: 'global' }) }));
    agent.tools.register(aTool({ ...shows({ card: 'generic', title: 'the agent’s' }) }));
    expect(ctx.tools.present({ name: 'echo' })).toMatchObject({ title: 'global' });
    expect(agent.tools.present({ name: 'echo' })).toMatchObject({ title: 'the agent’s' });
  });
});

describe('a presenter that fails', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['throws', () => { throw new Error('oops'); }, /a presenter of tool "echo" failed/],
    ['throws something unprintable', () => { throw Object.create(null); }, /a presenter of tool "echo" failed/],
    ['gives a string', () => 'Read a.txt', /gave no card/],
    ['gives null', () => null, /gave no card/],
    ['gives an array', () => [{ card: 'generic', title: 'x' }], /gave no card/],
    ['gives no tag', () => ({ title: 'x' }), /gave no card/],
    ['gives a title that is no text', () => ({ card: 'generic', title: 7 }), /gave no card/],
    ['gives what is no JSON', () => ({ card: 'generic', title: 'x', rawInput: new Map() }), /gave no card: .*rawInput/],
    ['gives a cycle', () => { const a: Record<string, unknown> = { card: 'generic', title: 'x' }; a['rawInput'] = a; return a; }, /core-tools: a presenter of tool "echo"/],
    ['gives a small card that would be a large one if copied', () => { let rawInput: unknown = {}; for (let i = 0; i < 100; i += 1) rawInput = { left: rawInput, right: rawInput }; return { card: 'generic', title: 'x', rawInput }; }, /gave no card/],
    ['answers with a promise', async () => ({ card: 'generic', title: 'x' }), /gave no card/],
    ['answers with a promise that rejects', async () => { throw new Error('lost'); }, /gave no card/],
  ])('costs its card and nothing else: it %s [F298]', async (_what, present, warning) => {
    const { ctx, log } = setup();
    ctx.tools.register(aTool({ presentCall: present as never, presentResult: present as never }));
    expect(ctx.tools.present({ name: 'echo', arguments: { a: 1 } })).toEqual({ card: 'generic', title: 'echo', rawInput: { a: 1 } });
    expect(ctx.tools.present({ name: 'echo', arguments: { a: 1 } }, done)).toEqual({ card: 'generic', content });
    expect(linesOf(log, 'warn')).toEqual([expect.stringMatching(warning), expect.stringMatching(warning)]);
    // A presenter has no part in the call itself.
    expect(await ctx.tools.execute({ name: 'echo' })).toMatchObject({ isError: false });
  });

  it('may leave the title out of a completed card, which replaces the pending one, but not out of that', () => {
    const { ctx } = setup();
    ctx.tools.register(aTool(shows({ card: 'terminal', output: 'ok', exitCode: 0 })));
    expect(ctx.tools.present({ name: 'echo' })).toEqual({ card: 'generic', title: 'echo', rawInput: {} });
    expect(ctx.tools.present({ name: 'echo' }, done)).toEqual({ card: 'terminal', output: 'ok', exitCode: 0 });
  });
});

describe('the vocabulary', () => {
  it.each<ToolCallView>([
    { card: 'generic', title: 'x', kind: 'execute', rawInput: { a: null }, content, locations: [{ path: 'a' }, { path: 'b', line: 2 }] },
    { card: 'terminal', title: 'ls -l', description: 'Lists', cwd: '/tmp' },
    { card: 'diff', title: 'Edit', diffs: [{ path: 'new', oldText: null, newText: 'x' }], locations: [{ path: 'new' }] },
    { card: 'locations', title: 'Found', locations: [{ path: 'a', line: 3 }] },
  ])('of pending cards comes through as it is: $card [F294 F296 F297]', (view) => {
    const { ctx } = setup();
    ctx.tools.register(aTool(shows(view)));
    expect(ctx.tools.present({ name: 'echo' })).toEqual(view);
  });

  it.each<ToolResultView>([
    { card: 'generic' },
    { card: 'generic', title: 'x', content },
    { card: 'terminal', title: 'ls', output: 'a\nb', exitCode: 2 },
    { card: 'terminal', signal: 'SIGKILL' },
    { card: 'diff', diffs: [{ path: 'a', oldText: 'x', newText: 'y' }] },
    { card: 'locations', locations: [] },
    { card: 'search', shape: 'matches', files: [{ path: 'a', matches: [{ lineNumber: 1, line: 'x' }] }], truncated: false, total: 1 },
    { card: 'search', shape: 'paths', paths: ['a'], truncated: true, total: 900, title: '*.ts' },
    { card: 'read', path: 'a.ts', offset: 1, lines: [{ number: 1, text: 'x' }], totalLines: 1, lang: 'ts', content },
  ])('of completed cards comes through as it is: $card $shape [F295 F297]', (view) => {
    const { ctx } = setup();
    ctx.tools.register(aTool(shows(view)));
    expect(ctx.tools.present({ name: 'echo' }, done)).toEqual(view);
  });

  it('takes an optional member that is undefined for absent, however deep', () => {
    const { ctx, log } = setup();
    ctx.tools.register(aTool(shows({ card: 'diff', title: 'x', locations: undefined, diffs: [{ path: 'a', oldText: null, newText: 'b', lang: undefined }] })));
    expect(ctx.tools.present({ name: 'echo' })).toStrictEqual({ card: 'diff', title: 'x', diffs: [{ path: 'a', oldText: null, newText: 'b' }] });
    expect(linesOf(log, 'warn')).toEqual([]);
  });

  it('is open: a package adds a card by declaration merging, and it comes through [W40]', () => {
    const { ctx } = setup();
    const presentCall = (): ToolCallView => ({ card: 'test-map', title: 'Map', centre: [1, 2] });
    const presentResult = (): ToolResultView => ({ card: 'test-map', pins: ['here'] });
    ctx.tools.register(aTool({ presentCall, presentResult }));
    expect(ctx.tools.present({ name: 'echo' })).toEqual({ card: 'test-map', title: 'Map', centre: [1, 2] });
    expect(ctx.tools.present({ name: 'echo' }, done)).toEqual({ card: 'test-map', pins: ['here'] });
  });

  it('tells cards apart by their tag, in types [F294 F295]', () => {
    expectTypeOf<ToolCallView['card']>().toEqualTypeOf<keyof PendingCards>();
    expectTypeOf<ToolResultView['card']>().toEqualTypeOf<keyof CompletedCards>();
    expectTypeOf<Extract<ToolCallView, { card: 'terminal' }>['title']>().toEqualTypeOf<string>();
    expectTypeOf<Extract<ToolResultView, { card: 'read' }>['totalLines']>().toEqualTypeOf<number>();
    // @ts-expect-error -- search has no pending card: what is pending has not found anything
    const pending: ToolCallView = { card: 'search', title: 'x' };
    // @ts-expect-error -- a diff without its diffs
    const diff: ToolResultView = { card: 'diff' };
    expect([pending, diff]).toHaveLength(2);
  });
});

describe('a card for a result', () => {
  it('is made from content, error flag and meta, live and from a session log alike [F293]', async () => {
    const { ctx } = setup();
    const presentResult = vi.fn((args: { path: string }, result: { meta?: unknown }): ToolResultView => {
      const { lines } = result.meta as { lines: string[] };
      return { card: 'read', path: args.path, offset: 1, lines: lines.map((text, i) => ({ number: i + 1, text })), totalLines: lines.length };
    });
    ctx.tools.register(
      aTool({
        parameters: path,
        output: { schema: { type: 'string' }, render: () => [{ type: 'text', text: 'short' }], presentationMeta: (_args, value: string) => ({ lines: value.split('\n') }) },
        execute: () => 'one\ntwo',
        presentResult: presentResult as never,
      }),
    );
    const call = { name: 'echo', arguments: { path: 'a.txt' } };
    const result = await ctx.tools.execute(call);
    expect(result).toMatchObject({ isError: false, meta: { lines: ['one', 'two'] } });
    const live = ctx.tools.present(call, result);
    expect(live).toEqual({ card: 'read', path: 'a.txt', offset: 1, lines: [{ number: 1, text: 'one' }, { number: 2, text: 'two' }], totalLines: 2 });
    const logged = JSON.parse(JSON.stringify({ call, result })) as { call: typeof call; result: typeof result };
    expect(ctx.tools.present(logged.call, logged.result)).toEqual(live);
    // Nothing but what a session log keeps is shown to a presenter: a live card has nothing that a replayed one lacks.
    for (const [, seen] of presentResult.mock.calls) expect(Object.keys(seen)).toEqual(['content', 'isError', 'meta']);
  });

  it('leaves meta out for presenters when there is none, and says when the call failed [F293]', async () => {
    const { ctx } = setup();
    const seen: unknown[] = [];
    const presentResult = (_args: unknown, result: unknown): undefined => void seen.push(result);
    ctx.tools.register(aTool({ presentResult, execute: () => { throw new Error('no'); } }));
    ctx.tools.present({ name: 'echo' }, await ctx.tools.execute({ name: 'echo' }));
    expect(seen).toStrictEqual([{ content: [{ type: 'text', text: 'Error: no' }], isError: true }]);
  });

  it('hands presenters frozen data, so that drawing changes nothing', async () => {
    const { ctx } = setup();
    const result = { content: [{ type: 'text' as const, text: 'x' }], isError: false, meta: { n: [1] } };
    ctx.tools.register(
      aTool({
        presentResult(_args, seen) {
          (seen.content as unknown[]).push('more');
          return { card: 'generic' };
        },
      }),
    );
    expect(ctx.tools.present({ name: 'echo' }, result)).toEqual({ card: 'generic', content: result.content });
    expect(result).toEqual({ content: [{ type: 'text', text: 'x' }], isError: false, meta: { n: [1] } });
    expect(Object.isFrozen(result.content)).toBe(false);
  });

  it('does without what is no content or no JSON in a damaged log [F298]', () => {
    const { ctx } = setup();
    const seen: unknown[] = [];
    ctx.tools.register(aTool({ presentResult: (_args, result) => void seen.push(result) }));
    const damaged = { content: 'text' as never, isError: true, meta: (() => 1) as never };
    expect(ctx.tools.present({ name: 'echo' }, damaged)).toEqual({ card: 'generic', content: [] });
    expect(seen).toEqual([{ content: [], isError: true }]);
  });

  it('comes from the meta of the value that was accepted in the end; a failure has none of its own', async () => {
    const { ctx } = setup();
    ctx.tools.register(
      aTool({
        output: { schema: {}, render: () => [], presentationMeta: (_args, value) => ({ from: value as string }) },
        execute: () => 'body',
      }),
    );
    const off = ctx.on('tools/post-execute', () => ({ kind: 'accept', value: 'listener' }));
    expect(await ctx.tools.execute({ name: 'echo' })).toMatchObject({ meta: { from: 'listener' } });
    off();
    ctx.on('tools/post-execute', () => ({ kind: 'block', feedback: content }));
    expect(await ctx.tools.execute({ name: 'echo' })).not.toHaveProperty('meta');
  });
});

it('drawing registers, calls and announces nothing', async () => {
  const { ctx } = setup();
  const execute = vi.fn();
  const heard = vi.fn();
  ctx.tools.register(aTool({ execute, ...shows({ card: 'generic', title: 'x' }) }));
  for (const hook of ['tools/call', 'tools/result', 'tools/change'] as const) ctx.on(hook, () => { heard(hook); });
  ctx.on('tools/pre-execute', (_exec, next) => { heard('pre'); return next(); });
  const before = ctx.inspect();
  ctx.tools.present({ name: 'echo' });
  ctx.tools.present({ name: 'echo' }, done);
  await Promise.resolve();
  expect(ctx.inspect()).toEqual(before);
  expect(execute).not.toHaveBeenCalled();
  expect(heard).not.toHaveBeenCalled();
});

it('a person who is asked sees the card of the very call, even one larger than the ordinary limits', async () => {
  const { ctx } = setup({ config: { limits: { maxDepth: 900 } } });
  ctx.tools.register(aTool({ presentCall: (args: { a?: unknown }) => ({ card: 'generic', title: args.a === undefined ? 'empty' : 'deep' }) }));
  ctx.on('tools/pre-execute', () => ({ kind: 'ask' }));
  const views: unknown[] = [];
  ctx.provide('approval', { request: async (request) => { views.push(request.view); return { kind: 'allowed-once' }; } });
  const deep = `${'{"a":'.repeat(800)}1${'}'.repeat(800)}`;
  expect(await ctx.tools.execute({ name: 'echo', argumentsText: deep })).toMatchObject({ isError: false });
  expect(views).toEqual([{ card: 'generic', title: 'deep' }]);
});

it('nothing about a call or a result that cannot be read is an error, and such a call overlaps no other', () => {
  const { ctx } = setup();
  ctx.tools.register(aTool({ isConcurrencySafe: () => true }));
  const broken = (key: string): object => Object.defineProperty({}, key, { enumerable: true, get: () => { throw new Error('no'); } });
  expect(ctx.tools.present({ name: 'echo' }, broken('content') as never)).toEqual({ card: 'generic', content: [] });
  expect(ctx.tools.present({ name: 'echo' }, { ...done, get meta() { throw new Error('no'); } } as never)).toMatchObject({ card: 'generic', content: done.content });
  expect(ctx.tools.executionMode({ name: 'echo', get arguments() { throw new Error('no'); } })).toBe('exclusive');
});
