import { createContext, tools, type Context } from '../src/index.ts';
import { aCall, aGate, aTool } from '@sluice/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const warnings: string[] = [];

function mounted(): Context {
  warnings.length = 0;
  const ctx = createContext({ logger: { debug() {}, info() {}, warn: (message) => { warnings.push(message); }, error() {} } });
  ctx.plugin(tools);
  return ctx;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
});

describe('disposing a context', () => {
  it('tells the bodies of its calls to stop, and resolves when they have', async () => {
    const ctx = mounted();
    const seen: string[] = [];
    ctx.tools.register(
      aTool({
        execute: (_args, exec) =>
          new Promise((_resolve, reject) => {
            exec.signal.addEventListener('abort', () => {
              seen.push('told');
              setTimeout(() => { reject(exec.signal.reason as Error); }, 30);
            });
          }),
      }),
    );
    const call = ctx.scope('agent').tools.execute(aCall());
    void call.then(() => seen.push('ended'));
    const disposed = ctx.dispose().then(() => seen.push('disposed'));
    await vi.advanceTimersByTimeAsync(30);
    await disposed;
    expect(seen).toEqual(['told', 'ended', 'disposed']);
    expect(await call).toMatchObject({ isError: true, error: { info: { code: 'ABORTED', started: true } } });
  });

  it('waits 5 s for a body that does not listen, then names it and goes on', async () => {
    const ctx = mounted();
    const gate = aGate();
    ctx.tools.register(aTool({ name: 'deaf', execute: () => gate.opened.then(() => 'done') }));
    const call = ctx.tools.execute(aCall({ name: 'deaf', callId: 'c1' }));
    let isDisposed = false;
    const disposed = ctx.dispose().then(() => { isDisposed = true; });
    await vi.advanceTimersByTimeAsync(4_900);
    expect(isDisposed).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    await disposed;
    expect(warnings.join('\n')).toContain('call "c1" of "deaf"');
    gate.open();
    expect(await call).toMatchObject({ isError: true, error: { info: { code: 'ABORTED' } } });
  });

  it('is not held up by a call that has ended', async () => {
    const ctx = mounted();
    ctx.tools.register(aTool());
    await ctx.tools.execute(aCall());
    await ctx.tools.executeAll([aCall(), aCall({ name: 'nobody' })]);
    await ctx.dispose();
    expect(warnings).toEqual([]);
  });
});
