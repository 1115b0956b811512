import type { Context } from '@sluice/core-tools';
import { aGate, aHost, aTool } from '@sluice/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toolCallLimits, type ToolCallLimitsConfig } from '../src/index.ts';

const opened: { dispose(): Promise<void> }[] = [];
let bodies = 0;

beforeEach(() => {
  bodies = 0;
  vi.useFakeTimers();
});
afterEach(async () => {
  for (const host of opened.splice(0)) await host.dispose();
  expect(vi.getTimerCount()).toBe(0);
});

function mounted(config: Partial<ToolCallLimitsConfig>): Context {
  const host = aHost();
  opened.push(host);
  host.ctx.plugin(toolCallLimits, config);
  for (const name of ['fetch', 'search_web', 'search_code', 'read']) {
    host.ctx.tools.register(aTool({ name, execute: () => { bodies += 1; return name; } }));
  }
  return host.ctx;
}

/** `ok`, or the code of the failure. */
async function call(ctx: Context, name = 'fetch', more: object = {}): Promise<string> {
  const result = await ctx.tools.execute({ name, ...more });
  return result.isError ? result.error.info.code : 'ok';
}
async function calls(ctx: Context, names: readonly string[]): Promise<string[]> {
  const outcomes: string[] = [];
  for (const name of names) outcomes.push(await call(ctx, name));
  return outcomes;
}
const message = async (ctx: Context, name = 'fetch'): Promise<string> => {
  const result = await ctx.tools.execute({ name });
  return result.isError ? result.error.message : 'ok';
};
const preStep = (ctx: Context, step: number, incoming: readonly { role: 'user'; source?: string }[] = []): Promise<unknown> =>
  ctx.waterfall(
    'agent/pre-step',
    [{ scopePath: ctx.scopePath, step, incoming: incoming.map((each) => ({ ...each, content: [] })) }],
    () => ({ kind: 'continue' as const }),
  );

describe('budgets', () => {
  it('denies what is over the budget of a turn and says when it resets', async () => {
    const ctx = mounted({ perTool: { fetch: { perTurn: 2 } } });
    expect(await calls(ctx, ['fetch', 'fetch', 'fetch', 'read'])).toEqual(['ok', 'ok', 'DENIED', 'ok']);
    expect(await message(ctx)).toBe(
      'call limit reached: tool "fetch" may be called 2 times per turn. It resets when the next turn begins, not before. Nothing ran. Work with what you have, or finish.',
    );
    expect(await ctx.tools.execute({ name: 'fetch' })).toMatchObject({ error: { info: { started: false, listener: 'tool-call-limits' } } });
  });

  it('begins a turn with its first step, or when a person speaks, but not with a step or a plugin\'s message in between', async () => {
    const ctx = mounted({ perTool: { fetch: { perTurn: 1 } } });
    expect(await call(ctx)).toBe('ok');
    await preStep(ctx, 2, [{ role: 'user', source: 'some-plugin' }]);
    expect(await call(ctx)).toBe('DENIED');
    await preStep(ctx, 1);
    expect(await calls(ctx, ['fetch', 'fetch'])).toEqual(['ok', 'DENIED']);
    await preStep(ctx, 3, [{ role: 'user' }]);
    expect(await calls(ctx, ['fetch', 'fetch'])).toEqual(['ok', 'DENIED']);
  });

  it('lets any other harness say that a turn or a run begins', async () => {
    const ctx = mounted({ perTool: { fetch: { perRun: 1 }, read: { perTurn: 1 } } });
    await calls(ctx, ['fetch', 'read']);
    ctx.emit('tool-call-limits/reset', { scopePath: ctx.scopePath, begins: 'turn' });
    expect(await calls(ctx, ['fetch', 'read'])).toEqual(['DENIED', 'ok']);
    ctx.emit('tool-call-limits/reset', { scopePath: ctx.scopePath, begins: 'run' });
    expect(await calls(ctx, ['fetch', 'read'])).toEqual(['ok', 'ok']);
  });

  it('says that the budget of a run does not come back', async () => {
    const ctx = mounted({ perTool: { fetch: { perRun: 1, perTurn: 1 } } });
    await call(ctx);
    expect(await message(ctx)).toContain('may be called once per run. It does not reset before this run ends.');
  });

  it('counts a sliding window of time and says how long it takes to have room', async () => {
    const ctx = mounted({ perTool: { fetch: { perWindow: { calls: 2, ms: 60_000 } } } });
    expect(await call(ctx)).toBe('ok');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await call(ctx)).toBe('ok');
    expect(await message(ctx)).toContain('2 times in 60 s. It resets in 40 s.');
    await vi.advanceTimersByTimeAsync(39_999);
    expect(await message(ctx)).toContain('in 1 ms');
    await vi.advanceTimersByTimeAsync(1);
    expect(await calls(ctx, ['fetch', 'fetch'])).toEqual(['ok', 'DENIED']);
  });

  it('counts each tool that a pattern matches for itself under perTool, and all of them as one under together', async () => {
    const each = mounted({ perTool: { 'search_*': { perRun: 1 } } });
    expect(await calls(each, ['search_web', 'search_code', 'search_web'])).toEqual(['ok', 'ok', 'DENIED']);
    const all = mounted({ together: { 'search_*': { perRun: 1 } } });
    expect(await calls(all, ['search_web', 'search_code', 'read'])).toEqual(['ok', 'DENIED', 'ok']);
    expect(await message(all, 'search_code')).toContain('tools "search_*" together may be called once');
  });

  it('takes the exact name, then the longest pattern, and every entry of together', async () => {
    const ctx = mounted({
      perTool: { '*': { perRun: 0 }, 'search_*': { perRun: 1 }, search_web: { perRun: 2 } },
      together: { '*': { perRun: 3 } },
    });
    expect(await calls(ctx, ['read', 'search_web', 'search_web', 'search_web', 'search_code', 'search_code'])).toEqual([
      'DENIED', 'ok', 'ok', 'DENIED', 'ok', 'DENIED',
    ]);
    expect(await message(ctx, 'search_code')).toContain('all tools together');
  });

  it('counts per scope, or under the whole mount', async () => {
    for (const [per, expected] of [['scope', ['ok', 'ok', 'DENIED']], ['mount', ['ok', 'DENIED', 'DENIED']]] as const) {
      const ctx = mounted({ per, perTool: { fetch: { perRun: 1 } } });
      const [a, b] = [ctx.scope('a'), ctx.scope('b')];
      expect([await call(a), await call(b), await call(a)]).toEqual(expected);
    }
  });

  it('forgets a scope that has ended: a new one of the same name has a budget of its own', async () => {
    const ctx = mounted({ perTool: { fetch: { perRun: 1 } } });
    const first = ctx.scope('agent');
    expect(await call(first)).toBe('ok');
    await first.dispose();
    expect(await call(ctx.scope('agent'))).toBe('ok');
  });

  it('under one mount, only the turns of the mounting scope begin a turn', async () => {
    const ctx = mounted({ per: 'mount', perTool: { fetch: { perTurn: 1 } } });
    const child = ctx.scope('child');
    await call(child);
    await preStep(child, 1);
    expect(await call(child)).toBe('DENIED');
    await preStep(ctx, 1);
    expect(await call(child)).toBe('ok');
  });
});

describe('what counts', () => {
  it('does not count calls that are invalid, unknown, denied by others or aborted before their body', async () => {
    const ctx = mounted({ together: { '*': { perRun: 1 } } });
    ctx.tools.register(aTool({ name: 'strict', parameters: { type: 'object', required: ['x'], properties: { x: { type: 'string' } } } }));
    const off = ctx.tools.guard(({ name }) => (name === 'read' ? 'not this one' : undefined));
    expect(await calls(ctx, ['strict', 'nothing', 'read'])).toEqual(['INVALID_ARGS', 'UNKNOWN_TOOL', 'DENIED']);
    expect(await call(ctx, 'fetch', { signal: AbortSignal.abort() })).toBe('ABORTED_BEFORE_DISPATCH');
    const inner = ctx.on('tools/execute', ({ callId, name }) => ({
      isError: true, callId, name, content: [], error: { message: 'no', info: { name: 'E', code: 'CACHE_DOWN', started: false } },
    }));
    expect(await call(ctx)).toBe('CACHE_DOWN');
    inner();
    off();
    expect(await calls(ctx, ['read', 'fetch'])).toEqual(['ok', 'DENIED']);
  });

  it('counts a body that failed, and a wrapper further in that threw', async () => {
    const ctx = mounted({ together: { '*': { perRun: 2 } } });
    ctx.tools.register(aTool({ name: 'fails', execute: () => { throw new Error('no'); } }));
    expect(await call(ctx, 'fails')).toBe('TOOL_FAILED');
    const off = ctx.on('tools/execute', () => { throw new Error('broken'); });
    expect(await call(ctx)).toBe('PIPELINE_FAILED');
    off();
    expect(await call(ctx)).toBe('DENIED');
  });

  it('counts a call once, however often a wrapper outside of it tries again', async () => {
    const host = aHost();
    opened.push(host);
    host.ctx.on('tools/execute', async (_exec, next) => {
      await next();
      return next();
    });
    host.ctx.plugin(toolCallLimits, { perTool: { fetch: { perRun: 2, maxRunning: 1 } } });
    host.ctx.tools.register(aTool({ name: 'fetch', execute: () => { bodies += 1; return 1; } }));
    expect(await calls(host.ctx, ['fetch', 'fetch', 'fetch'])).toEqual(['ok', 'ok', 'DENIED']);
    expect(bodies).toBe(4);
  });

  it('a call of the last turn that ends in this one takes nothing from it', async () => {
    const ctx = mounted({ perTool: { slow: { perTurn: 1 } } });
    const gate = aGate();
    ctx.tools.register(aTool({ name: 'slow', execute: async () => { await gate.opened; return 1; } }));
    const abort = new AbortController();
    const slow = call(ctx, 'slow', { signal: abort.signal });
    await vi.advanceTimersByTimeAsync(0);
    await preStep(ctx, 1);
    gate.open();
    expect(await slow).toBe('ok');
    expect(await calls(ctx, ['slow', 'slow'])).toEqual(['ok', 'DENIED']);
  });

  it('keeps counts over a change of config, and forgets them when it is unmounted', async () => {
    const host = aHost();
    opened.push(host);
    const handle = host.ctx.plugin(toolCallLimits, { perTool: { fetch: { perRun: 3 } } });
    host.ctx.tools.register(aTool({ name: 'fetch' }));
    expect(await calls(host.ctx, ['fetch', 'fetch'])).toEqual(['ok', 'ok']);
    await handle.update({ perTool: { fetch: { perRun: 2 } } });
    expect(await call(host.ctx)).toBe('DENIED');
    await expect(handle.update({ perTool: { fetch: {} } })).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    expect(await call(host.ctx)).toBe('DENIED');
    await handle.dispose();
    expect(await call(host.ctx)).toBe('ok');
    host.ctx.plugin(toolCallLimits, { perTool: { fetch: { perRun: 1 } } });
    expect(await calls(host.ctx, ['fetch', 'fetch'])).toEqual(['ok', 'DENIED']);
  });

  it('two of one kind in one scope each count for themselves', async () => {
    const ctx = mounted({ perTool: { fetch: { perRun: 2 } } });
    const second = ctx.plugin(toolCallLimits, { perTool: { fetch: { perRun: 1 } } });
    expect(await calls(ctx, ['fetch', 'fetch'])).toEqual(['ok', 'DENIED']);
    await second.update({ perTool: { fetch: { perRun: 9 } } });
    expect(await calls(ctx, ['fetch', 'fetch'])).toEqual(['ok', 'DENIED']);
  });
});

describe('two at once', () => {
  it('never both take the last one: the second is refused at the body with the same words', async () => {
    const ctx = mounted({ perTool: { fetch: { perTurn: 1 } } });
    const results = await Promise.all([1, 2, 3].map(() => ctx.tools.execute({ name: 'fetch' })));
    expect(bodies).toBe(1);
    const refused = results.filter((result) => result.isError);
    expect(refused).toHaveLength(2);
    const words = await message(ctx);
    for (const result of refused) {
      expect(result).toMatchObject({ error: { message: words, info: { code: 'DENIED', name: 'ToolDeniedError', started: false } } });
      expect(result.content).toEqual([{ type: 'text', text: `Error: ${words}` }]);
    }
  });

  it('no budget is ever exceeded, nor wasted, whatever calls meet [property]', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ perRun: fc.integer({ min: 0, max: 6 }), maxRunning: fc.integer({ min: 1, max: 3 }) }),
        fc.array(fc.constantFrom('body', 'fails', 'aborts', 'denied'), { maxLength: 14 }),
        async (limit, kinds) => {
          const host = aHost();
          host.ctx.plugin(toolCallLimits, { together: { '*': limit } });
          let entered = 0;
          const abort = AbortSignal.abort();
          host.ctx.tools.guard(({ name }) => (name === 'denied' ? 'no' : undefined));
          for (const name of ['body', 'aborts', 'denied']) {
            host.ctx.tools.register(aTool({ name, execute: async () => { entered += 1; await Promise.resolve(); return 1; } }));
          }
          host.ctx.tools.register(aTool({ name: 'fails', execute: () => { entered += 1; throw new Error('no'); } }));
          await Promise.all(kinds.map((name) => host.ctx.tools.execute({ name, ...(name === 'aborts' ? { signal: abort } : {}) })));
          const wanted = kinds.filter((kind) => kind === 'body' || kind === 'fails').length;
          expect(entered).toBe(Math.min(wanted, limit.perRun));
          await host.dispose();
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('config', () => {
  it.each<[object, string]>([
    [{ perTool: { fetch: {} } }, 'an empty limit'],
    [{ perTool: { fetch: { perTurn: -1 } } }, 'a negative budget'],
    [{ perTool: { fetch: { perTurn: 1.5 } } }, 'half a call'],
    [{ perTool: { fetch: { maxRunning: 0 } } }, 'a bound that nothing can pass'],
    [{ perTool: { fetch: { perWindow: { calls: 1 } } } }, 'a window without a length'],
    [{ perTool: { 'no.such': { perTurn: 1 } } }, 'a name that no tool can have'],
    [{ perTool: { fetch: { perTrun: 1 } } }, 'an unknown key'],
    [{ per: 'agent' }, 'an unknown way to count'],
  ])('refuses %j: %s', async (...[config]) => {
    await using host = aHost();
    expect(() => host.ctx.plugin(toolCallLimits, config)).toThrow(/tool-call-limits/);
  });

  it('without limits lets everything pass', async () => {
    expect(await calls(mounted({}), ['fetch', 'fetch'])).toEqual(['ok', 'ok']);
  });
});
