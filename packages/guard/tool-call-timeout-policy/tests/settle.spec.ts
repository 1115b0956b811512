import { aGate, aTool, recordHooks, type Gate } from '@sluice/testing';
import type { Context } from '@sluice/core-tools';
import { describe, expect, it, vi } from 'vitest';
import { aSlowTool, call, code, listenersOn, pass, peek, setup, text } from './support.ts';

/** A tool that runs until its gate opens, whatever its signal says. */
function stubborn(ctx: Context, overrides: Parameters<typeof aTool>[0] = {}): Gate {
  const gate = aGate();
  ctx.tools.register(aTool({ name: 'slow', timeoutMs: 50, execute: () => gate.opened.then(() => 'late value'), ...overrides }));
  return gate;
}

describe("onIgnored: 'settle'", () => {
  it('gives up on a body that ignores its signal, after the grace, and says that it still runs', async () => {
    await using bed = setup({ onIgnored: 'settle' });
    const { ctx } = bed;
    const gate = stubborn(ctx);
    const result = call(ctx);
    await pass(1_049);
    expect(await peek(result)).toBe('pending');
    await pass(1);
    expect(await result).toEqual({
      isError: true,
      callId: 'slow',
      name: 'slow',
      error: {
        message: 'tool call timed out after 50ms',
        hint: 'It did not stop when told to and may still be running: check for effects before trying again.',
        info: { name: 'ToolTimeoutError', code: 'TOOL_TIMEOUT', started: true, limitMs: 50 },
      },
      content: [
        {
          type: 'text',
          text: 'Error: tool call timed out after 50ms\nIt did not stop when told to and may still be running: check for effects before trying again.',
        },
      ],
      stillRunning: true,
    });
    gate.open();
    await pass(0);
  });

  it('announces the late outcome as tools/late, which changes nothing else', async () => {
    await using bed = setup({ onIgnored: 'settle', graceMs: 10 });
    const { ctx } = bed;
    const seen = recordHooks(ctx);
    const gate = stubborn(ctx);
    const result = call(ctx);
    await pass(60);
    const given = await result;
    await pass(940);
    expect(seen.trace()).not.toContain('tools/late');
    gate.open();
    await pass(0);
    expect(seen.events.filter(({ hook }) => hook === 'tools/late')).toMatchObject([
      { callId: 'slow', detail: { callId: 'slow', name: 'slow', elapsedMs: 1_000, result: { isError: false, value: 'late value' } } },
    ]);
    expect(seen.results()).toEqual([given]);
  });

  it('lets a late rejection harm nobody', async () => {
    await using bed = setup({ onIgnored: 'settle', graceMs: 10 });
    const { ctx } = bed;
    const seen = recordHooks(ctx);
    const gate = aGate();
    stubborn(ctx, { execute: () => gate.opened.then(() => Promise.reject(new Error('late failure'))) });
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): void => { unhandled.push(reason); };
    process.on('unhandledRejection', listener);
    const result = call(ctx);
    await pass(60);
    await result;
    gate.open();
    await pass(0);
    await new Promise((resolve) => process.nextTick(resolve));
    process.off('unhandledRejection', listener);
    expect(unhandled).toEqual([]);
    expect(seen.events.at(-1)).toMatchObject({ hook: 'tools/late', detail: { result: { isError: true, error: { message: 'late failure' } } } });
  });

  it('takes the answer of a body that ends within the grace, and then nothing still runs', async () => {
    await using bed = setup({ onIgnored: 'settle', graceMs: 100 });
    const { ctx } = bed;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, takesMs: 149 }));
    const result = call(ctx);
    await pass(149);
    const given = await result;
    expect(code(given)).toBe('TOOL_TIMEOUT');
    expect(text(given)).toContain('ran to its end');
    expect(given).not.toHaveProperty('stillRunning');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('with a grace of 0 gives up at the deadline', async () => {
    await using bed = setup({ onIgnored: 'settle', graceMs: 0 });
    const { ctx } = bed;
    const gate = stubborn(ctx);
    const result = call(ctx);
    await pass(51);
    expect(await result).toMatchObject({ stillRunning: true, error: { info: { code: 'TOOL_TIMEOUT' } } });
    gate.open();
    await pass(0);
  });

  it('waits for a grace longer than a timer can count', async () => {
    await using bed = setup({ onIgnored: 'settle', graceMs: 2 ** 31 + 1_000 });
    const { ctx } = bed;
    const gate = stubborn(ctx);
    const result = call(ctx);
    await pass(50 + 2 ** 31 + 999);
    expect(await peek(result)).toBe('pending');
    await pass(1);
    expect(code(await result)).toBe('TOOL_TIMEOUT');
    gate.open();
    await pass(0);
  });

  it('leaves alone what ends in time', async () => {
    await using bed = setup({ onIgnored: 'settle' });
    const { ctx } = bed;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, takesMs: 40 }));
    const result = call(ctx);
    await pass(40);
    expect(code(await result)).toBe('ok');
  });

  it('frees the pool place but keeps the locks: whoever needs them is told TOOL_BUSY, naming the holder', async () => {
    await using bed = setup({ onIgnored: 'settle', graceMs: 10 });
    const { ctx } = bed;
    const gate = stubborn(ctx, { locks: () => ({ write: ['file'] }) });
    ctx.tools.register(aTool({ name: 'reader', locks: () => ({ read: ['file'] }) }));
    ctx.tools.register(aTool({ name: 'elsewhere', locks: () => ({ read: ['other'] }) }));
    const batch = ctx.tools.executeAll(
      [{ name: 'slow', callId: 'holder' }, { name: 'reader' }, { name: 'elsewhere' }],
      { maxParallel: 1 },
    );
    await pass(60);
    expect((await batch).map(code)).toEqual(['TOOL_TIMEOUT', 'TOOL_BUSY', 'ok']);
    expect(text((await batch)[1]!)).toContain('holder');
    gate.open();
    await pass(0);
    expect(code(await call(ctx, 'reader'))).toBe('ok');
  });

  it('leaves no listener on the caller’s signal while the body goes on', async () => {
    await using bed = setup({ onIgnored: 'settle', graceMs: 10 });
    const { ctx } = bed;
    const { signal } = new AbortController();
    const gate = aGate();
    const bodies: AbortSignal[] = [];
    stubborn(ctx, {
      execute(_args, exec) {
        bodies.push(exec.signal);
        return gate.opened;
      },
    });
    const result = call(ctx, 'slow', { signal });
    await pass(60);
    await result;
    expect(bodies[0]?.aborted).toBe(true);
    expect(listenersOn(signal)).toBe(0);
    gate.open();
    await pass(0);
  });

  it('refuses nested calls of the body it left behind', async () => {
    await using bed = setup({ onIgnored: 'settle', graceMs: 10 });
    const { ctx } = bed;
    const gate = aGate();
    const nested: string[] = [];
    ctx.tools.register(aTool());
    stubborn(ctx, {
      async execute(_args, exec) {
        await gate.opened;
        nested.push(code(await exec.execute({ name: 'echo' })));
        return null;
      },
    });
    const result = call(ctx);
    await pass(60);
    await result;
    gate.open();
    await pass(0);
    expect(nested).toEqual(['ABORTED_BEFORE_DISPATCH']);
  });

  it('also ends a call that its caller gave up and whose body does not listen, as ABORTED', async () => {
    await using bed = setup({ onIgnored: 'settle', graceMs: 100 });
    const { ctx } = bed;
    const controller = new AbortController();
    const gate = stubborn(ctx);
    const result = call(ctx, 'slow', { signal: controller.signal });
    await pass(20);
    controller.abort();
    await pass(129);
    expect(await peek(result)).toBe('pending');
    await pass(1);
    expect(await result).toMatchObject({
      isError: true,
      stillRunning: true,
      error: { message: 'tool call aborted', info: { name: 'AbortError', code: 'ABORTED', started: true } },
    });
    gate.open();
    await pass(0);
  });
});

describe("onIgnored: 'wait', the default", () => {
  it('never leaves a body behind', async () => {
    await using bed = setup({ graceMs: 10 });
    const { ctx } = bed;
    const gate = stubborn(ctx);
    const result = call(ctx);
    await pass(3_600_000);
    expect(await peek(result)).toBe('pending');
    gate.open();
    expect(await result).not.toHaveProperty('stillRunning');
  });
});
