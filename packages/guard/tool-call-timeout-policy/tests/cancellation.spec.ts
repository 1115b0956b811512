import { describe, expect, it } from 'vitest';
import { aSlowTool, call, code, listenersOn, pass, setup } from './support.ts';

describe("the caller's abort", () => {
  it('before the deadline is ABORTED, also when the body only ends after it [T9]', async () => {
    for (const [takesMs, listens] of [[Infinity, true], [80, false]] as const) {
      await using bed = setup();
      const { ctx } = bed;
      const controller = new AbortController();
      ctx.tools.register(aSlowTool({ timeoutMs: 50, takesMs, listens }));
      const result = call(ctx, 'slow', { signal: controller.signal });
      await pass(20);
      controller.abort();
      await pass(60);
      expect(code(await result)).toBe('ABORTED');
      expect(listenersOn(controller.signal)).toBe(0);
    }
  });

  it('after the deadline, while the body cleans up, leaves it TOOL_TIMEOUT [T9]', async () => {
    await using bed = setup();
    const { ctx } = bed;
    const controller = new AbortController();
    ctx.tools.register(aSlowTool({ timeoutMs: 50, takesMs: 80 }));
    const result = call(ctx, 'slow', { signal: controller.signal });
    await pass(60);
    controller.abort();
    await pass(20);
    expect(code(await result)).toBe('TOOL_TIMEOUT');
    expect(listenersOn(controller.signal)).toBe(0);
  });

  it('reaches the body with its own reason', async () => {
    await using bed = setup();
    const { ctx } = bed;
    const controller = new AbortController();
    let signal: AbortSignal | undefined;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, listens: true, onStart: (exec) => { signal = exec.signal; } }));
    const result = call(ctx, 'slow', { signal: controller.signal });
    await pass(20);
    const reason = new Error('enough');
    controller.abort(reason);
    await result;
    expect(signal?.reason).toBe(reason);
  });

  it('before entry arms nothing', async () => {
    await using bed = setup();
    const { ctx } = bed;
    const signal = AbortSignal.abort();
    ctx.tools.register(aSlowTool({ timeoutMs: 50 }));
    expect(code(await call(ctx, 'slow', { signal }))).toBe('ABORTED_BEFORE_DISPATCH');
    expect(listenersOn(signal)).toBe(0);
  });

  it('is not mixed up with the deadline at the very moment of it', async () => {
    await using bed = setup();
    const { ctx } = bed;
    const controller = new AbortController();
    ctx.tools.register(aSlowTool({ timeoutMs: 50, listens: true }));
    // Armed before the deadline is, so it fires first.
    setTimeout(() => { controller.abort(); }, 50);
    const result = call(ctx, 'slow', { signal: controller.signal });
    await pass(50);
    expect(code(await result)).toBe('ABORTED');
  });
});

describe('many calls under one signal', () => {
  it('leave no listener on it, however they end', async () => {
    await using bed = setup();
    const { ctx } = bed;
    const { signal } = new AbortController();
    for (const [name, takesMs] of [['in_time', 10], ['too_late', 90]] as const) ctx.tools.register(aSlowTool({ name, timeoutMs: 50, takesMs }));
    ctx.tools.register(aSlowTool({ name: 'told', timeoutMs: 50, listens: true }));
    const results = Array.from({ length: 60 }, (_, i) => call(ctx, ['in_time', 'too_late', 'told'][i % 3], { signal, callId: `c${i}` }));
    await pass(0);
    expect(listenersOn(signal)).toBeLessThanOrEqual(1);
    await pass(90);
    const codes = (await Promise.all(results)).map(code);
    expect(codes.filter((each) => each === 'ok')).toHaveLength(20);
    expect(codes.filter((each) => each === 'TOOL_TIMEOUT')).toHaveLength(40);
    expect(listenersOn(signal)).toBe(0);
  });
});
