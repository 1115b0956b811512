import { aTool } from '@sluice/testing';
import type { ApprovalService, Context } from '@sluice/core-tools';
import { describe, expect, it } from 'vitest';
import { aSlowTool, call, code, pass, peek, setup } from './support.ts';

const hold = (ctx: Context, held: boolean, callId = 'slow'): void => { ctx.emit('tools/hold', { callId, held }); };

/** A person who thinks for so long, then says yes. */
function slowApprover(ms: number): ApprovalService {
  return {
    async request() {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return { kind: 'allowed-once' };
    },
  };
}

describe('while a person is being asked', () => {
  it('the deadline of that call stands still, and goes on where it was', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, listens: true }));
    const result = call(ctx);
    await pass(30);
    hold(ctx, true);
    await pass(86_400_000);
    expect(await peek(result)).toBe('pending');
    hold(ctx, false);
    await pass(19);
    expect(await peek(result)).toBe('pending');
    await pass(1);
    expect(code(await result)).toBe('TOOL_TIMEOUT');
  });

  it('for several questions at once, it stands still until the last is answered', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, listens: true }));
    const result = call(ctx);
    await pass(10);
    hold(ctx, true);
    hold(ctx, true);
    await pass(1_000);
    hold(ctx, false);
    await pass(1_000);
    expect(await peek(result)).toBe('pending');
    hold(ctx, false);
    await pass(39);
    expect(await peek(result)).toBe('pending');
    await pass(1);
    expect(code(await result)).toBe('TOOL_TIMEOUT');
  });

  it('other calls are on their own time', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, listens: true }));
    const results = [call(ctx, 'slow', { callId: 'held' }), call(ctx, 'slow', { callId: 'free' })];
    hold(ctx, true, 'held');
    await pass(50);
    expect(await peek(results[0]!)).toBe('pending');
    expect(code((await results[1])!)).toBe('TOOL_TIMEOUT');
    hold(ctx, false, 'held');
    await pass(50);
    expect(code((await results[0])!)).toBe('TOOL_TIMEOUT');
  });

  it('an attempt that starts meanwhile starts with its time standing still', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, listens: true }));
    hold(ctx, true);
    const result = call(ctx);
    await pass(1_000);
    expect(await peek(result)).toBe('pending');
    hold(ctx, false);
    await pass(50);
    expect(code(await result)).toBe('TOOL_TIMEOUT');
  });

  it('an answer too many changes nothing', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, listens: true }));
    hold(ctx, false);
    const result = call(ctx);
    await pass(10);
    hold(ctx, false);
    await pass(20);
    hold(ctx, true);
    await pass(100);
    hold(ctx, false);
    await pass(19);
    expect(await peek(result)).toBe('pending');
    await pass(1);
    expect(code(await result)).toBe('TOOL_TIMEOUT');
  });

  it('for a nested call, the deadlines of all calls around it stand still too', async () => {
    await using bed = setup();
    const { ctx } = bed;
    const chain = (name: string, next: string): ReturnType<typeof aTool> =>
      aTool({ name, timeoutMs: 50, execute: async (_args, exec) => code(await exec.execute({ name: next, callId: `${name}-${next}` })) });
    ctx.tools.register(chain('outer', 'middle'));
    ctx.tools.register(chain('middle', 'inner'));
    ctx.tools.register(aSlowTool({ name: 'inner', timeoutMs: 50, takesMs: 40 }));
    ctx.tools.guard(({ name }) => (name === 'inner' ? { ask: 'may it?' } : undefined));
    ctx.provide('approval', slowApprover(60_000));
    const result = call(ctx, 'outer');
    await pass(60_039);
    expect(await peek(result)).toBe('pending');
    await pass(1);
    expect(await result).toMatchObject({ isError: false, value: 'ok' });
  });

  it('but what a nested call does otherwise is on the clock of the calls around it', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.tools.register(aTool({ name: 'outer', timeoutMs: 50, execute: async (_args, exec) => code(await exec.execute({ name: 'inner' })) }));
    ctx.tools.register(aSlowTool({ name: 'inner', listens: true }));
    const result = call(ctx, 'outer');
    await pass(50);
    expect(code(await result)).toBe('TOOL_TIMEOUT');
  });
});

describe('a question that is over when the caller has gone', () => {
  it('leaves nothing standing still for the next call', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, listens: true }));
    ctx.tools.guard(({ arguments: args }) => ((args as { ask?: boolean }).ask === true ? { ask: 'may it?' } : undefined));
    ctx.provide('approval', slowApprover(1_000_000));
    const controller = new AbortController();
    const asked = ctx.tools.execute({ name: 'slow', callId: 'slow', arguments: { ask: true }, signal: controller.signal });
    await pass(10);
    controller.abort();
    await pass(100);
    expect(code(await asked)).toBe('ABORTED_BEFORE_DISPATCH');
    const next = call(ctx);
    await pass(50);
    expect(code(await next)).toBe('TOOL_TIMEOUT');
    await pass(1_000_000);
  });
});
