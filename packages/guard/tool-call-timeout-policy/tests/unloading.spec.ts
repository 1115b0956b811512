import { aTool } from '@sluice/testing';
import { describe, expect, it, vi } from 'vitest';
import { toolCallTimeoutPolicy } from '../src/index.ts';
import { aSlowTool, call, code, pass, peek, setup, text } from './support.ts';

describe('unmounting the policy', () => {
  it('takes its listeners away at once: the next call is on no deadline [T14]', async () => {
    await using bed = setup();
    const { ctx, policy } = bed;
    const { signal } = new AbortController();
    const seen: AbortSignal[] = [];
    ctx.tools.register(aSlowTool({ timeoutMs: 50, takesMs: 200, onStart: (exec) => seen.push(exec.signal) }));
    const disposed = policy.dispose();
    expect(ctx.listeners('tools/execute')).toHaveLength(0);
    expect(ctx.listeners('tools/hold')).toHaveLength(0);
    const result = call(ctx, 'slow', { signal });
    await pass(200);
    expect(code(await result)).toBe('ok');
    expect(seen).toEqual([signal]);
    await disposed;
  });

  it('leaves calls in flight their deadline, and itself nothing once they have ended', async () => {
    await using bed = setup();
    const { ctx, policy } = bed;
    ctx.tools.register(aSlowTool({ name: 'told', timeoutMs: 50, listens: true }));
    ctx.tools.register(aSlowTool({ name: 'in_time', timeoutMs: 50, takesMs: 40 }));
    ctx.tools.register(aSlowTool({ name: 'ignores', timeoutMs: 50, takesMs: 90 }));
    const results = ['told', 'in_time', 'ignores'].map((name) => call(ctx, name));
    await pass(10);
    const disposed = policy.dispose();
    await pass(80);
    expect((await Promise.all(results)).map(code)).toEqual(['TOOL_TIMEOUT', 'ok', 'TOOL_TIMEOUT']);
    await disposed;
    expect(policy.status).toBe('disposed');
    expect(ctx.inspect().children.map(({ name }) => name)).toEqual(['core-tools']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('in the middle of a hundred calls breaks none of them', async () => {
    await using bed = setup();
    const { ctx, policy } = bed;
    ctx.tools.register(aTool({ name: 'slow', timeoutMs: 50, execute: async ({ ms }) => new Promise((resolve) => setTimeout(resolve, Number(ms), ms)) }));
    const results = Array.from({ length: 100 }, async (_, i) => {
      await new Promise((resolve) => setTimeout(resolve, i));
      return ctx.tools.execute({ name: 'slow', arguments: { ms: i } });
    });
    await pass(45);
    const disposed = policy.dispose();
    await pass(300);
    const given = await Promise.all(results);
    await disposed;
    // Those that began while it was there and took longer than it allows.
    expect(given.map(code)).toEqual(given.map((_, i) => (i <= 45 && i > 50 ? 'TOOL_TIMEOUT' : 'ok')));
    expect(given).toHaveLength(100);
  });

  it('while a person is being asked lifts the deadlines that stand still, since nobody would hear the answer', async () => {
    await using bed = setup();
    const { ctx, policy } = bed;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, takesMs: 5_000 }));
    const result = call(ctx);
    await pass(10);
    ctx.emit('tools/hold', { callId: 'slow', held: true });
    const disposed = policy.dispose();
    await pass(1_000);
    ctx.emit('tools/hold', { callId: 'slow', held: false });
    await pass(4_000);
    expect(code(await result)).toBe('ok');
    await disposed;
  });

  it('lifts idle deadlines, since nobody would hear the progress; the hard one stays', async () => {
    await using bed = setup({ idle: { hardMaxMs: 300 } });
    const { ctx, policy } = bed;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, listens: true }));
    const result = call(ctx);
    await pass(10);
    const disposed = policy.dispose();
    await pass(289);
    expect(await peek(result)).toBe('pending');
    await pass(1);
    expect(text(await result)).toContain('300ms');
    await disposed;
  });

  it('from within a call that it bounds ends well', async () => {
    await using bed = setup();
    const { ctx, policy } = bed;
    ctx.tools.register(
      aTool({
        name: 'slow',
        timeoutMs: 5_000,
        async execute() {
          await policy.dispose();
          return 'done';
        },
      }),
    );
    const result = call(ctx);
    await pass(1_000);
    expect(await result).toMatchObject({ value: 'done' });
  });
});

describe('updating the policy', () => {
  it('leaves calls in flight the limit they began with; the next one gets the new one', async () => {
    await using bed = setup({ defaultMs: 50 });
    const { ctx, policy } = bed;
    ctx.tools.register(aSlowTool({ listens: true }));
    const old = call(ctx);
    await pass(10);
    const updated = policy.update({ defaultMs: 20 });
    const fresh = call(ctx);
    await pass(20);
    expect(text(await fresh)).toContain('20ms');
    expect(await peek(old)).toBe('pending');
    await pass(20);
    expect(text(await old)).toContain('50ms');
    await updated;
  });
});

describe('mounting the policy', () => {
  it('while calls are in flight bounds only those that come after', async () => {
    await using bed = setup();
    const { ctx, policy } = bed;
    await policy.dispose();
    ctx.tools.register(aSlowTool({ timeoutMs: 50, takesMs: 100 }));
    const before = call(ctx);
    await pass(10);
    ctx.plugin(toolCallTimeoutPolicy);
    const after = call(ctx);
    await pass(100);
    expect([await before, await after].map(code)).toEqual(['ok', 'TOOL_TIMEOUT']);
  });
});

describe('disposing the context', () => {
  it('ends the calls in flight, under a deadline or not, and leaves no timer', async () => {
    vi.useFakeTimers();
    await using bed = setup({ defaultMs: 50_000 });
    const { ctx } = bed;
    ctx.tools.register(aSlowTool({ listens: true }));
    const result = call(ctx);
    await pass(10);
    const disposed = ctx.dispose();
    await pass(0);
    expect(code(await result)).toBe('ABORTED');
    await disposed;
    expect(vi.getTimerCount()).toBe(0);
  });
});
