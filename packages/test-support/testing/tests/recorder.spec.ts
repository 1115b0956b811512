import { describe, expect, it } from 'vitest';
import { aCall, aGate, aHost, aTool, recordHooks } from '../src/index.ts';

describe('recordHooks', () => {
  it('traces one call through every hook, from the outside', async () => {
    await using host = aHost();
    const { ctx } = host;
    ctx.on('tools/pre-execute', (_exec, next) => next());
    const seen = recordHooks(ctx);
    ctx.tools.register(
      aTool({
        execute(args, exec) {
          exec.progress({ message: 'half' });
          return args;
        },
      }),
    );
    const result = await ctx.tools.execute(aCall({ callId: 'c1' }));
    expect(seen.trace('c1')).toEqual([
      'tools/call',
      'tools/pre-execute:enter',
      'tools/pre-execute:leave',
      'tools/execute:enter',
      'tools/progress',
      'tools/execute:leave',
      'tools/post-execute:enter',
      'tools/post-execute:leave',
      'tools/result',
    ]);
    expect(seen.trace()).toEqual(['tools/change', ...seen.trace('c1')]);
    expect(seen.results()).toEqual([result]);
  });

  it('keeps what each hook answered or carried', async () => {
    await using host = aHost();
    const { ctx } = host;
    const seen = recordHooks(ctx);
    ctx.tools.register(aTool());
    ctx.on('tools/pre-execute', () => ({ kind: 'deny', reason: 'no' }));
    await ctx.tools.execute(aCall({ callId: 'c1' }));
    const detail = (hook: string, phase: string): unknown =>
      seen.events.find((event) => event.hook === hook && event.phase === phase)?.detail;
    expect(detail('tools/change', 'event')).toMatchObject({ kind: 'register', name: 'echo' });
    expect(detail('tools/pre-execute', 'leave')).toEqual({ kind: 'deny', reason: 'no' });
    expect(detail('tools/result', 'event')).toMatchObject({ isError: true });
    expect(detail('tools/call', 'event')).toBeUndefined();
    expect(seen.events.every(({ atMs }) => atMs >= 0)).toBe(true);
  });

  it('records what is thrown further in and lets it pass', async () => {
    await using host = aHost();
    const { ctx } = host;
    const seen = recordHooks(ctx);
    ctx.tools.register(aTool());
    const fault = new Error('a fault');
    ctx.on('tools/execute', () => {
      throw fault;
    });
    const result = await ctx.tools.execute(aCall());
    expect(result).toMatchObject({ isError: true, error: { info: { code: 'PIPELINE_FAILED' } } });
    expect(seen.events.find(({ phase }) => phase === 'throw')).toMatchObject({ hook: 'tools/execute', detail: fault });
  });

  it('records questions to a person and bodies that end too late', async () => {
    await using host = aHost();
    const { ctx } = host;
    const seen = recordHooks(ctx);
    const gate = aGate();
    ctx.provide('approval', { request: () => Promise.resolve({ kind: 'allowed-once' }) });
    ctx.tools.guard(() => ({ ask: 'may it?' }));
    ctx.tools.register(aTool({ execute: () => gate.opened.then(() => 'late') }));
    ctx.on('tools/execute', ({ callId, name }, next) => {
      void next();
      const info = { name: 'GivenUp', code: 'GIVEN_UP', started: true };
      return { isError: true, callId, name, error: { message: 'given up', info }, content: [] };
    });
    await ctx.tools.execute(aCall({ callId: 'c1' }));
    gate.open();
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen.events.filter(({ hook }) => hook === 'tools/hold').map(({ detail }) => detail)).toEqual([
      { callId: 'c1', held: true },
      { callId: 'c1', held: false },
    ]);
    expect(seen.events.at(-1)).toMatchObject({ hook: 'tools/late', callId: 'c1', detail: { result: { value: 'late' } } });
  });

  it('can be cleared, and stops when it is disposed', async () => {
    await using host = aHost();
    const { ctx } = host;
    const before = ctx.inspect();
    const seen = recordHooks(ctx);
    const off = ctx.tools.register(aTool());
    seen.clear();
    expect(seen.events).toEqual([]);
    await ctx.tools.execute(aCall({ callId: 'c1' }));
    const recorded = seen.trace();
    seen.dispose();
    await ctx.tools.execute(aCall({ callId: 'c2' }));
    expect(seen.trace()).toEqual(recorded);
    off();
    expect(ctx.inspect()).toEqual(before);
  });
});
