import { aGate, aTool } from '@sluice/testing';
import { describe, expect, it, vi } from 'vitest';
import type { Context, ToolExecutionResult, ToolLate } from '../src/index.ts';
import { codeOf, setup } from './support.ts';
import { flush, pass, useVirtualTime } from './virtual-time.ts';

const GIVEN_UP = { isError: true, error: { message: 'given up', info: { name: 'GivenUp', code: 'GIVEN_UP' } } } as unknown as ToolExecutionResult;

/** A wrapper that tells the body to stop, and shows what it gives then. */
function stopper(ctx: Context): { stop(): void; seen: ToolExecutionResult[] } {
  const controller = new AbortController();
  const seen: ToolExecutionResult[] = [];
  ctx.on('tools/execute', async (_exec, next) => {
    const result = await next({ signal: controller.signal });
    seen.push(result);
    return result;
  });
  return { stop: () => { controller.abort(); }, seen };
}

describe('a body that a wrapper told to stop', () => {
  it('and that ran to its end anyway is ABORTED, with a hint that says so', async () => {
    const { ctx } = setup();
    const { stop, seen } = stopper(ctx);
    const gate = aGate();
    ctx.tools.register(aTool({ execute: () => gate.opened.then(() => 'done') }));
    const call = ctx.tools.execute({ name: 'echo' });
    await flush();
    stop();
    gate.open();
    await call;
    expect(seen).toMatchObject([{ error: { info: { code: 'ABORTED', started: true }, hint: expect.stringContaining('ran to its end') } }]);
  });

  it('and that stopped is ABORTED, with a hint that effects are possible', async () => {
    const { ctx } = setup();
    const { stop, seen } = stopper(ctx);
    ctx.tools.register(
      aTool({
        execute: (_args, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => { reject(signal.reason as Error); });
          }),
      }),
    );
    const call = ctx.tools.execute({ name: 'echo' });
    await flush();
    stop();
    await call;
    expect(seen).toMatchObject([{ error: { info: { code: 'ABORTED', started: true }, hint: expect.stringContaining('told to stop') } }]);
    expect(JSON.stringify(seen)).not.toContain('ran to its end');
  });

  it('and that outlived its call is announced with what it gave after all', async () => {
    const { ctx } = setup();
    const late: ToolLate[] = [];
    const gate = aGate();
    ctx.on('tools/late', (event) => { late.push(event); });
    const controller = new AbortController();
    ctx.on('tools/execute', (_exec, next) => {
      void next({ signal: controller.signal });
      return GIVEN_UP;
    });
    ctx.tools.register(aTool({ execute: () => gate.opened.then(() => 'done') }));
    expect(codeOf(await ctx.tools.execute({ name: 'echo' }))).toBe('GIVEN_UP');
    controller.abort();
    gate.open();
    await flush();
    expect(late).toMatchObject([{ name: 'echo', result: { isError: false, value: 'done' } }]);
  });
});

describe('the patience with a call that was aborted', () => {
  it('ends with its stage: a body that ends later arms no timer', async () => {
    useVirtualTime();
    const { ctx } = setup();
    const controller = new AbortController();
    const body = aGate();
    const wrapper = aGate();
    ctx.on('tools/execute', async (_exec, next) => {
      void next();
      await wrapper.opened;
      return GIVEN_UP;
    });
    ctx.tools.register(aTool({ execute: () => body.opened }));
    const call = ctx.tools.execute({ name: 'echo', signal: controller.signal });
    await flush();
    controller.abort();
    await pass(150);
    wrapper.open();
    expect(codeOf(await call)).toBe('GIVEN_UP');
    body.open();
    await flush();
    expect(vi.getTimerCount()).toBe(0);
  });
});
