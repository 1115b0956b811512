import { createContext, tools, type Context, type ToolExecutionResult } from '@sluice/core-tools';
import { aTool, describePlugin } from '@sluice/testing';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { repeatToolReminder, type RepeatToolReminderConfig } from '../src/index.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const opened: Context[] = [];

function mounted(config?: Partial<RepeatToolReminderConfig>): Context {
  const ctx = createContext({ logger: silent });
  opened.push(ctx);
  ctx.plugin(tools);
  ctx.plugin(repeatToolReminder, config);
  ctx.tools.register(aTool());
  ctx.tools.register(aTool({ name: 'other' }));
  ctx.tools.register(aTool({ name: 'fails', execute: () => { throw new Error('no such file'); } }));
  return ctx;
}

afterEach(async () => {
  for (const ctx of opened.splice(0)) {
    await ctx.dispose();
    expect(ctx.inspect().counts).toMatchObject({ plugins: 0, listeners: 0, services: 0, contributions: 0 });
  }
});

function advice(result: ToolExecutionResult): string | undefined {
  const context = result.additionalContexts?.find(({ source }) => source === 'repeat-tool-reminder');
  const block = context?.content[0];
  return block?.type === 'text' ? block.text : undefined;
}

/** Numbers (from 1) of the calls after which advice was given. */
async function adviceAt(ctx: Context, calls: readonly (readonly [name: string, args?: unknown])[]): Promise<number[]> {
  const at: number[] = [];
  for (const [index, [name, args = {}]] of calls.entries()) {
    if (advice(await ctx.tools.execute({ name, arguments: args })) !== undefined) at.push(index + 1);
  }
  return at;
}

const times = <T>(n: number, item: T): T[] => Array.from({ length: n }, () => item);

describe('behaviour', () => {
  it('gives advice at 3, 5 and 8 identical calls in a row, then every 5 calls [S4.1, S4.7, S4.15]', async () => {
    expect(await adviceAt(mounted(), times(20, ['echo', { a: 1 }]))).toEqual([3, 5, 8, 13, 18]);
  });

  it('is gentle first and quotes tool, count and arguments later [S4.16, S4.17]', async () => {
    const ctx = mounted({ thresholds: [2, 3] });
    await ctx.tools.execute({ name: 'echo', arguments: { path: 'x' } });
    const gentle = advice(await ctx.tools.execute({ name: 'echo', arguments: { path: 'x' } }));
    const detailed = advice(await ctx.tools.execute({ name: 'echo', arguments: { path: 'x' } }));
    expect(gentle).not.toContain('echo');
    expect(detailed).toContain('Tool: echo');
    expect(detailed).toContain('3 times');
    expect(detailed).toContain('{"path":"x"}');
  });

  it('takes the smallest threshold for the first, in whatever order they are given [S4.1]', async () => {
    const ctx = mounted({ thresholds: [6, 2, 4] });
    expect(await adviceAt(ctx, times(7, ['echo']))).toEqual([2, 4, 6]);
  });

  it('ignores the order of keys at every depth, but not that of elements, nor types [S4.6, H111]', async () => {
    expect(
      await adviceAt(mounted(), [
        ['echo', { p: 'x', o: { a: 1, b: 2 } }],
        ['echo', { o: { b: 2, a: 1 }, p: 'x' }],
        ['echo', { p: 'x', o: { a: 1, b: 2 } }],
      ]),
    ).toEqual([3]);
    expect(
      await adviceAt(mounted(), [
        ['echo', { l: [1, 2] }],
        ['echo', { l: [2, 1] }],
        ['echo', { l: [1, 2] }],
        ['echo', { l: ['1', 2] }],
      ]),
    ).toEqual([]);
  });

  it('does not call many different reads a loop, nor a test between edits [H113]', async () => {
    const reads = Array.from({ length: 40 }, (_, i) => ['echo', { path: `f${i}.ts` }] as const);
    expect(await adviceAt(mounted(), reads)).toEqual([]);
    const work = [['other'], ['echo', { path: 'a' }], ['other'], ['echo', { path: 'b' }], ['other']] as const;
    expect(await adviceAt(mounted(), work)).toEqual([]);
  });

  it('tells calls apart that differ only in a key named __proto__ [S4 weaknesses]', async () => {
    const ctx = mounted({ thresholds: [2] });
    const calls = ['{"__proto__":1}', '{"__proto__":2}', '{}'].map((argumentsText) => ctx.tools.execute({ name: 'echo', argumentsText }));
    for (const call of calls) expect(advice(await call)).toBeUndefined();
  });

  it('never fails a call whose arguments are as deep as the pipeline allows [S4 weaknesses]', async () => {
    const ctx = createContext({ logger: silent });
    opened.push(ctx);
    ctx.plugin(tools, { limits: { maxDepth: 10_000, maxNodes: 1_000_000 } });
    ctx.plugin(repeatToolReminder);
    ctx.tools.register(aTool({ execute: () => 'fine' }));
    const argumentsText = `{"deep":${'['.repeat(9_000)}${']'.repeat(9_000)}}`;
    for (let i = 0; i < 3; i += 1) expect(await ctx.tools.execute({ name: 'echo', argumentsText })).toMatchObject({ isError: false });
  });

  it('detects repeats of any size and quotes them cut, never inside a surrogate pair [S4.18]', async () => {
    const ctx = mounted({ thresholds: [2, 3], argumentsPreviewChars: 11 });
    const call = { name: 'echo', arguments: { a: `1234${'😀'.repeat(1_000)}` } };
    await ctx.tools.execute(call);
    await ctx.tools.execute(call);
    const text = advice(await ctx.tools.execute(call)) ?? '';
    // {"a":"1234 are ten units; the eleventh would split the first pair.
    expect(text).toContain('Arguments: {"a":"1234… (2002 more characters)');
    expect(text).not.toMatch(/\p{Surrogate}/u);
    expect(advice(await ctx.tools.execute({ name: 'echo', arguments: { a: `1235${'😀'.repeat(1_000)}` } }))).toBeUndefined();
  });

  it('counts denied, invalid and failing calls [S4.9]', async () => {
    const ctx = mounted({ sameErrorThreshold: 100 });
    expect(await adviceAt(ctx, times(3, ['fails', { a: 1 }]))).toEqual([3]);
    ctx.tools.guard((exec) => (exec.name === 'other' ? 'not today' : undefined));
    expect(await adviceAt(ctx, times(3, ['other']))).toEqual([3]);
    ctx.tools.register(aTool({ name: 'strict', parameters: { type: 'object', required: ['x'] } }));
    expect(await adviceAt(ctx, times(3, ['strict']))).toEqual([3]);
  });

  it('does not count a call that was aborted before entry [S4.9]', async () => {
    const ctx = mounted({ thresholds: [2] });
    await ctx.tools.execute({ name: 'echo', arguments: {}, signal: AbortSignal.abort() });
    expect(await adviceAt(ctx, [['echo']])).toEqual([]);
  });

  it('adds its message before those of others and leaves the result alone [S4.19]', async () => {
    const ctx = mounted({ thresholds: [2] });
    ctx.on('tools/post-execute', async (_exec, _result, next) => ({
      ...(await next()),
      additionalContexts: [{ source: 'inner', content: [{ type: 'text', text: 'mine' }] }],
    }));
    const first = await ctx.tools.execute({ name: 'echo', arguments: {}, callId: 'c' });
    const second = await ctx.tools.execute({ name: 'echo', arguments: {}, callId: 'c' });
    expect(second.additionalContexts?.map(({ source }) => source)).toEqual(['repeat-tool-reminder', 'inner']);
    expect({ ...second, additionalContexts: undefined }).toEqual({ ...first, additionalContexts: undefined });
  });

  it('keeps a block of somebody downstream, with its own message added [S4.19]', async () => {
    const ctx = mounted({ thresholds: [2] });
    ctx.on('tools/post-execute', () => ({ kind: 'block', feedback: [{ type: 'text', text: 'secret found' }] }));
    await ctx.tools.execute({ name: 'echo', arguments: {} });
    const second = await ctx.tools.execute({ name: 'echo', arguments: {} });
    expect(second).toMatchObject({ isError: true, error: { message: 'secret found', info: { code: 'BLOCKED' } } });
    expect(advice(second)).toBeDefined();
  });
});

describe('beyond exact repeats', () => {
  it('notices A,B,A,B when it comes round for the second time, and again later with details', async () => {
    const round = [['echo'], ['other']] as const;
    expect(await adviceAt(mounted(), [...round, ...round, ...round, ...round, ...round])).toEqual([4, 6, 10]);
  });

  it('notices A,B,C,A,B,C', async () => {
    const round = [['echo', { n: 1 }], ['echo', { n: 2 }], ['echo', { n: 3 }]] as const;
    expect(await adviceAt(mounted(), [...round, ...round])).toEqual([6]);
    expect(await adviceAt(mounted({ cycleLength: 2 }), [...round, ...round])).toEqual([]);
  });

  it('notices one tool failing with the same words, whatever the arguments', async () => {
    const calls = [1, 2, 3, 4].map((n) => ['fails', { n }] as const);
    expect(await adviceAt(mounted(), calls)).toEqual([3]);
  });

  it('lets a tool exempt a call, or say itself what makes two the same', async () => {
    const ctx = mounted();
    ctx.tools.register(aTool({ name: 'poll', repeatKey: () => undefined }));
    expect(await adviceAt(ctx, times(10, ['poll']))).toEqual([]);
    ctx.tools.register(aTool({ name: 'search', repeatKey: (args: { q: string }) => args.q.toLowerCase() }));
    expect(await adviceAt(ctx, [['search', { q: 'Cat' }], ['search', { q: 'cat' }], ['search', { q: 'CAT' }]])).toEqual([3]);
  });

  it.each<[what: string, repeatKey: () => unknown]>([
    ['throws', () => { throw new Error('no key'); }],
    ['gives no text', () => Symbol('key')],
    ['gives a promise', () => Promise.reject(new Error('no key'))],
  ])('goes by the arguments when the key of a tool %s, and the call is none the worse', async (_what, repeatKey) => {
    const ctx = mounted();
    ctx.tools.register(aTool({ name: 'keyed', repeatKey: repeatKey as () => string }));
    expect(await ctx.tools.execute({ name: 'keyed', arguments: { n: 0 } })).toMatchObject({ isError: false });
    expect(await adviceAt(ctx, [['keyed', { n: 1 }], ['keyed', { n: 1 }], ['keyed', { n: 1 }]])).toEqual([3]);
  });

  it('blocks from the count it is told to, with feedback, and only then', async () => {
    const ctx = mounted({ escalate: { blockAt: 4 } });
    const results: ToolExecutionResult[] = [];
    for (let i = 0; i < 5; i += 1) results.push(await ctx.tools.execute({ name: 'echo', arguments: {} }));
    expect(results.map((result) => (result.isError ? result.error.info.code : 'ok'))).toEqual(['ok', 'ok', 'ok', 'BLOCKED', 'BLOCKED']);
  });
});

describe('rows', () => {
  it('are kept per scope, and a new scope of the same name starts anew [S4.11]', async () => {
    const ctx = mounted({ thresholds: [2] });
    const first = ctx.scope('agent');
    const second = ctx.scope('other-agent');
    await first.tools.execute({ name: 'echo', arguments: {} });
    expect(advice(await second.tools.execute({ name: 'echo', arguments: {} }))).toBeUndefined();
    await first.dispose();
    expect(advice(await ctx.scope('agent').tools.execute({ name: 'echo', arguments: {} }))).toBeUndefined();
  });

  it('are not interrupted by tools that are not watched, and exclude wins over include [S4.2, S4.8]', async () => {
    const ctx = mounted({ include: ['e*', 'other'], exclude: ['other'] });
    expect(await adviceAt(ctx, [['echo'], ['other'], ['echo'], ['other'], ['echo']])).toEqual([5]);
  });

  it('are over when a person speaks, and not when a plugin does [S4.12]', async () => {
    const ctx = mounted();
    const say = (source?: string): Promise<unknown> =>
      ctx.waterfall(
        'agent/pre-step',
        [{ scopePath: ctx.scopePath, step: 1, incoming: [{ role: 'user', content: [], ...(source === undefined ? {} : { source }) }] }],
        () => ({ kind: 'continue' as const }),
      );
    await adviceAt(ctx, times(2, ['echo']));
    await say('repeat-tool-reminder');
    expect(await adviceAt(ctx, [['echo']])).toEqual([1]);
    await say();
    expect(await adviceAt(ctx, times(2, ['echo']))).toEqual([]);
  });

  it('can be reset by a harness of any kind, for its own scope or another', async () => {
    const ctx = mounted({ thresholds: [2] });
    const agent = ctx.scope('agent');
    await agent.tools.execute({ name: 'echo', arguments: {} });
    ctx.repeatToolReminder.reset();
    ctx.repeatToolReminder.reset(agent);
    expect(advice(await agent.tools.execute({ name: 'echo', arguments: {} }))).toBeUndefined();
    agent.repeatToolReminder.reset();
    expect(advice(await agent.tools.execute({ name: 'echo', arguments: {} }))).toBeUndefined();
  });
});

describe('options', () => {
  it.each<[string, object]>([
    ['no threshold', { thresholds: [] }],
    ['a threshold below 2', { thresholds: [1] }],
    ['a threshold that is no integer', { thresholds: [2.5] }],
    ['a threshold twice', { thresholds: [3, 3] }],
    ['no preview', { argumentsPreviewChars: 0 }],
    ['an unknown key', { treshold: 3 }],
    ['a block that would always be', { escalate: { blockAt: 1 } }],
  ])('refuses %s at once, naming the plugin [S4.1, S4.4]', (_what, config) => {
    const ctx = createContext({ logger: silent });
    opened.push(ctx);
    ctx.plugin(tools);
    expect(() => ctx.plugin(repeatToolReminder, config)).toThrow(/repeat-tool-reminder/);
  });
});

describe('properties', () => {
  it('agrees with a plain count of identical calls for any sequence', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 30 }), async (sequence) => {
        const ctx = createContext({ logger: silent });
        ctx.plugin(tools);
        ctx.plugin(repeatToolReminder, { cycleLength: 1 });
        ctx.tools.register(aTool());
        const expected: number[] = [];
        let row = 0;
        sequence.forEach((n, index) => {
          row = index > 0 && sequence[index - 1] === n ? row + 1 : 1;
          if ([3, 5, 8].includes(row) || (row > 8 && (row - 8) % 5 === 0)) expected.push(index + 1);
        });
        expect(await adviceAt(ctx, sequence.map((n) => ['echo', { n }] as const))).toEqual(expected);
        await ctx.dispose();
      }),
      { numRuns: 50 },
    );
  });
});

describePlugin(() => repeatToolReminder, {
  // The suite repeats its calls on purpose.
  config: { exclude: ['unrelated_*'] },
  proof: async (ctx) => {
    let last: ToolExecutionResult | undefined;
    for (let i = 0; i < 3; i += 1) last = await ctx.tools.execute({ name: 'echo', arguments: { again: true } });
    expect(last?.additionalContexts).toHaveLength(1);
  },
});
