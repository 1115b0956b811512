import { ToolError } from '@sluice/core-tools';
import { aTool, recordHooks } from '@sluice/testing';
import { describe, expect, it, vi } from 'vitest';
import { toolCallTimeoutPolicy, ToolTimeoutError } from '../src/index.ts';
import { aSlowTool, call, code, listenersOn, pass, peek, setup, text } from './support.ts';

describe('a body within its time', () => {
  it('keeps its result, and no timer stays [T12]', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, takesMs: 49 }));
    const result = call(ctx);
    await pass(49);
    expect(await result).toMatchObject({ isError: false, value: 'done' });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps its failure', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.tools.register(
      aTool({
        name: 'slow',
        timeoutMs: 50,
        execute() {
          throw new ToolError('no', { code: 'NOPE' });
        },
      }),
    );
    expect(code(await call(ctx))).toBe('NOPE');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sees the signal of its caller itself when no deadline applies [T4]', async () => {
    await using bed = setup();
    const { ctx } = bed;
    const { signal } = new AbortController();
    const seen: AbortSignal[] = [];
    ctx.tools.register(aSlowTool({ takesMs: 0, onStart: (exec) => seen.push(exec.signal) }));
    const result = call(ctx, 'slow', { signal });
    await pass(0);
    await result;
    expect(seen).toEqual([signal]);
    expect(seen[0]).toBe(signal);
  });

  it('sees a signal of its own under a deadline; post-execute has the caller’s [T5]', async () => {
    await using bed = setup();
    const { ctx } = bed;
    const { signal } = new AbortController();
    const seen: Record<string, AbortSignal> = {};
    ctx.tools.register(aSlowTool({ timeoutMs: 50, takesMs: 10, onStart: (exec) => { seen['body'] = exec.signal; } }));
    ctx.on('tools/post-execute', (exec, _result, next) => {
      seen['post'] = exec.signal;
      return next();
    });
    const result = call(ctx, 'slow', { signal });
    await pass(10);
    await result;
    expect(seen['body']).not.toBe(signal);
    expect(seen['post']).toBe(signal);
    expect(listenersOn(signal)).toBe(0);
  });
});

describe('a body over its time', () => {
  it('is told by its signal, with the limit as the reason [U1]', async () => {
    await using bed = setup();
    const { ctx } = bed;
    let seen: AbortSignal | undefined;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, listens: true, onStart: (exec) => { seen = exec.signal; } }));
    const result = call(ctx);
    await pass(49);
    expect(seen?.aborted).toBe(false);
    await pass(1);
    expect(seen?.reason).toBeInstanceOf(ToolTimeoutError);
    expect(seen?.reason).toMatchObject({ name: 'ToolTimeoutError', code: 'TOOL_TIMEOUT', limitMs: 50, message: 'tool call timed out after 50ms' });
    await result;
  });

  it('fails as TOOL_TIMEOUT, with the limit in message and info, whatever it answers to being told [T7]', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, listens: true }));
    const result = call(ctx);
    await pass(50);
    expect(await result).toEqual({
      isError: true,
      callId: 'slow',
      name: 'slow',
      error: {
        message: 'tool call timed out after 50ms',
        hint: 'It was told to stop: part of its effects may have happened. Check before trying again.',
        info: { name: 'ToolTimeoutError', code: 'TOOL_TIMEOUT', started: true, limitMs: 50 },
      },
      content: [
        {
          type: 'text',
          text: 'Error: tool call timed out after 50ms\nIt was told to stop: part of its effects may have happened. Check before trying again.',
        },
      ],
    });
  });

  it('fails as TOOL_TIMEOUT also when it throws something else on being told [T8]', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.tools.register(
      aTool({
        name: 'slow',
        timeoutMs: 50,
        execute: (_args, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => { reject(new ToolError('connection reset', { code: 'RESET' })); });
          }),
      }),
    );
    const result = call(ctx);
    await pass(50);
    expect(code(await result)).toBe('TOOL_TIMEOUT');
  });

  it('is waited for when it ignores its signal; its late value is discarded, and the model hears that it finished [T10]', async () => {
    await using bed = setup();
    const { ctx } = bed;
    const seen = recordHooks(ctx);
    ctx.tools.register(aSlowTool({ timeoutMs: 30, takesMs: 80 }));
    const result = call(ctx);
    await pass(79);
    expect(await peek(result)).toBe('pending');
    await pass(1);
    const given = await result;
    expect(code(given)).toBe('TOOL_TIMEOUT');
    expect(text(given)).toContain('ran to its end');
    expect(JSON.stringify(given)).not.toContain('done');
    expect(seen.results()).toEqual([given]);
    expect(seen.trace()).not.toContain('tools/late');
  });

  it('holds its call for ever when it never ends and is to be waited for [T11]', async () => {
    await using bed = setup();
    const { ctx } = bed;
    let end!: () => void;
    const forever = new Promise<void>((resolve) => { end = resolve; });
    ctx.tools.register(aTool({ name: 'slow', timeoutMs: 30, execute: () => forever }));
    const result = call(ctx);
    await pass(86_400_000);
    expect(await peek(result)).toBe('pending');
    end();
    expect(code(await result)).toBe('TOOL_TIMEOUT');
  });

  it('keeps the contexts that it had deferred', async () => {
    await using bed = setup();
    const { ctx } = bed;
    const context = { source: 'slow', content: [{ type: 'text' as const, text: 'remember' }] };
    ctx.tools.register(aSlowTool({ timeoutMs: 30, listens: true, onStart: (exec) => { exec.deferContext(context); } }));
    const result = call(ctx);
    await pass(30);
    expect(await result).toMatchObject({ isError: true, additionalContexts: [context] });
  });

  it('does not end the turn, even if it had asked to', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.tools.register(aSlowTool({ timeoutMs: 30, takesMs: 40, onStart: (exec) => { exec.concludeTurn(); } }));
    const result = call(ctx);
    await pass(40);
    expect(await result).not.toHaveProperty('concludesTurn');
  });

  it('still goes through post-execute, and its tool has the last word on content', async () => {
    await using bed = setup();
    const { ctx } = bed;
    const seen: string[] = [];
    ctx.tools.register({
      ...aSlowTool({ timeoutMs: 30, listens: true }),
      finalizeContent: (_exec, result) => (result.isError ? [{ type: 'text', text: 'Error: too slow' }] : undefined),
    });
    ctx.on('tools/post-execute', (_exec, result, next) => {
      seen.push(code(result));
      return next();
    });
    const result = call(ctx);
    await pass(30);
    expect(text(await result)).toBe('Error: too slow');
    expect(seen).toEqual(['TOOL_TIMEOUT']);
  });
});

describe('the clock', () => {
  it('starts when the body may run: policy and questions to a person are not charged [T6]', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, takesMs: 40 }));
    ctx.on('tools/pre-execute', async (_exec, next) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return next();
    });
    ctx.tools.guard(() => ({ ask: 'may it?' }));
    ctx.provide('approval', {
      async request() {
        await new Promise((resolve) => setTimeout(resolve, 60_000));
        return { kind: 'allowed-once' };
      },
    });
    const result = call(ctx);
    await pass(60_239);
    expect(await peek(result)).toBe('pending');
    await pass(1);
    expect(code(await result)).toBe('ok');
  });

  it('starts after the wait for locks', async () => {
    await using bed = setup();
    const { ctx } = bed;
    const lock = (): { write: string[] } => ({ write: ['file'] });
    ctx.tools.register({ ...aSlowTool({ timeoutMs: 50, takesMs: 40 }), locks: lock });
    const results = ['a', 'b', 'c'].map((callId) => call(ctx, 'slow', { callId }));
    await pass(120);
    expect((await Promise.all(results)).map(code)).toEqual(['ok', 'ok', 'ok']);
  });

  it('is one per call: calls at the same time end at their own deadlines', async () => {
    await using bed = setup();
    const { ctx } = bed;
    for (const ms of [10, 20, 30]) ctx.tools.register(aSlowTool({ name: `slow_${ms}`, timeoutMs: ms, listens: true }));
    ctx.tools.register(aSlowTool({ name: 'quick', timeoutMs: 10, takesMs: 5 }));
    const names = ['slow_30', 'quick', 'slow_10', 'slow_20', 'slow_10'];
    const endedAt: Record<string, number> = {};
    const began = performance.now();
    const results = names.map(async (name, i) => {
      // One call id for all: they are kept apart all the same.
      const result = await call(ctx, name, { callId: 'shared' });
      endedAt[`${i} ${name}`] = performance.now() - began;
      return result;
    });
    await pass(30);
    expect((await Promise.all(results)).map(code)).toEqual(['TOOL_TIMEOUT', 'ok', 'TOOL_TIMEOUT', 'TOOL_TIMEOUT', 'TOOL_TIMEOUT']);
    expect(endedAt).toEqual({ '0 slow_30': 30, '1 quick': 5, '2 slow_10': 10, '3 slow_20': 20, '4 slow_10': 10 });
  });

  it('runs in batches, and its timeouts harm no sibling', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.tools.register({ ...aSlowTool({ timeoutMs: 20, listens: true }), isConcurrencySafe: () => true });
    ctx.tools.register({ ...aSlowTool({ name: 'quick', timeoutMs: 20, takesMs: 15 }), isConcurrencySafe: () => true });
    const results = ctx.tools.executeAll([{ name: 'slow' }, { name: 'quick' }, { name: 'slow' }, { name: 'quick' }]);
    await pass(20);
    expect((await results).map(code)).toEqual(['TOOL_TIMEOUT', 'ok', 'TOOL_TIMEOUT', 'ok']);
  });
});

describe('what the policy is', () => {
  it('registers one wrapper and two observers at most, no tool and no service [T1] [T2]', async () => {
    await using bed = setup({ idle: { hardMaxMs: 1_000 } });
    const { ctx, policy } = bed;
    const node = ctx.inspect().children.find(({ name }) => name === 'tool-call-timeout-policy');
    expect(policy.status).toBe('active');
    expect(node).toMatchObject({
      listeners: { 'tools/execute': 1, 'tools/hold': 1, 'tools/progress': 1 },
      services: [],
      contributions: [],
      effects: [],
    });
  });

  it('needs nothing: tools may be mounted after it', async () => {
    await using bed = setup();
    const { ctx } = bed;
    await expect(ctx.ready()).resolves.toBeUndefined();
  });

  it('reads the definition that the calling scope sees [T3]', async () => {
    await using bed = setup();
    const { ctx } = bed;
    const agent = ctx.scope('agent');
    ctx.tools.register(aSlowTool({ timeoutMs: 100, listens: true }));
    agent.tools.register(aSlowTool({ timeoutMs: 10, listens: true }));
    const results = [call(ctx), call(agent)];
    await pass(10);
    expect(await peek(results[0]!)).toBe('pending');
    expect(text((await results[1])!)).toContain('10ms');
    await pass(90);
    expect(text((await results[0])!)).toContain('100ms');
  });

  it('binds only its own scope when it is mounted in one', async () => {
    await using bed = setup();
    const { ctx, policy } = bed;
    await policy.dispose();
    const agent = ctx.scope('agent');
    agent.plugin(toolCallTimeoutPolicy);
    ctx.tools.register(aSlowTool({ timeoutMs: 10, takesMs: 20 }));
    const results = [call(ctx), call(agent)];
    await pass(20);
    expect((await Promise.all(results)).map(code)).toEqual(['ok', 'TOOL_TIMEOUT']);
  });
});
