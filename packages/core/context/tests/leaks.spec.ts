import { createContext, type Context } from '@sluice/core-context';
import { describe, expect, it } from 'vitest';
import { aPlugin, EMPTY, heapAfterGc } from './support.ts';

/** Bytes that each instance holds, so that one kept by mistake cannot be overlooked among what the test itself allocates. */
const BALLAST = 80_000;

/** A plugin that uses all that a context has, each part with the instance's ballast in its closure. */
function busy(isSignalUsed: boolean) {
  return aPlugin((ctx) => {
    const ballast = new Array<number>(BALLAST / 8).fill(0.5);
    const keep = (): void => { ballast[0] = 1; };
    ctx.on('host-test/said', keep);
    ctx.on('host-test/ask', (_question, next) => { keep(); return next(); }, { prepend: true });
    ctx.effect(() => keep);
    ctx.contribute({ label: 'x', attach: keep, detach: keep });
    ctx.scope('inside').provide('hostTestStore', { name: String(ballast.length) });
    // Node.js spends more on one signal than all the rest costs.
    if (isSignalUsed) ctx.signal.addEventListener('abort', keep);
  }, { inject: ['hostTestClock'] });
}

async function use(ctx: Context): Promise<void> {
  ctx.emit('host-test/said', 'x');
  await ctx.waterfall('host-test/ask', ['?'], () => '');
}

/** How many bytes a cycle leaves behind. */
async function bytesPerCycle(cycles: number, cycle: () => Promise<void> | void): Promise<number> {
  for (let i = 0; i < 100; i++) await cycle();
  const before = await heapAfterGc();
  for (let i = 0; i < cycles; i++) await cycle();
  return ((await heapAfterGc()) - before) / cycles;
}

describe('nothing of an ended instance is kept', { timeout: 60_000 }, () => {
  // Half an instance per cycle: what the test, the compiler and late finalizers keep is far less.
  const limit = BALLAST / 2;
  const logger = { debug() {}, info() {}, warn() {}, error() {} };

  it('over 10,000 times mounting, using and unmounting a plugin', async () => {
    const ctx = createContext({ logger });
    ctx.provide('hostTestClock', { now: () => 1 });
    const agent = ctx.scope('agent');
    expect(await bytesPerCycle(10_000, async () => {
      const handle = ctx.plugin(busy(false));
      await use(agent);
      await handle.dispose();
    })).toBeLessThan(limit);
    expect(ctx.inspect().counts).toEqual({ ...EMPTY, services: 1, scopes: 1 });
  });

  it('in a scope that has seen it and is not read again', async () => {
    const ctx = createContext({ logger });
    ctx.provide('hostTestClock', { now: () => 1 });
    let scopes = 0;
    expect(await bytesPerCycle(200, async () => {
      const handle = ctx.plugin(busy(false));
      await use(ctx.scope(`idle ${scopes++}`));
      await handle.dispose();
    })).toBeLessThan(limit);
  });

  it('over updating one, whose scopes are not read again', async () => {
    const ctx = createContext({ logger });
    ctx.provide('hostTestClock', { now: () => 1 });
    await use(ctx.scope('idle'));
    const handle = ctx.plugin(busy(true));
    expect(await bytesPerCycle(500, async () => {
      await handle.update({});
      await use(ctx);
    })).toBeLessThan(limit);
  });

  it('over losing and getting a service', async () => {
    const ctx = createContext({ logger });
    ctx.plugin(busy(true));
    expect(await bytesPerCycle(500, async () => {
      const off = ctx.provide('hostTestClock', { now: () => 1 });
      await use(ctx);
      await off();
    })).toBeLessThan(limit);
  });

  it('over making, using and ending a scope with a plugin in it', async () => {
    const ctx = createContext({ logger });
    ctx.provide('hostTestClock', { now: () => 1 });
    expect(await bytesPerCycle(500, async () => {
      const scope = ctx.scope('short');
      scope.plugin(busy(true));
      await use(scope);
      await scope.dispose();
      // A call that ends late still tells its scope.
      await use(scope);
    })).toBeLessThan(limit);
  });

  it('over making and ending a whole tree', async () => {
    expect(await bytesPerCycle(500, async () => {
      const ctx = createContext({ logger });
      ctx.provide('hostTestClock', { now: () => 1 });
      ctx.plugin(busy(true));
      await use(ctx);
      await ctx.dispose();
    })).toBeLessThan(limit);
  });

  it('in a context that has read its service and does not read it again', async () => {
    const ctx = createContext({ logger });
    const readers = Array.from({ length: 200 }, (_unused, i) => ctx.scope(`reader ${i}`));
    let cycles = 0;
    expect(await bytesPerCycle(100, async () => {
      const handle = ctx.plugin(aPlugin((inner) => {
        const ballast = new Array<number>(BALLAST / 8).fill(0.5);
        inner.provide('hostTestClock', { bind: () => ({ now: () => ballast.length }) });
      }));
      readers[cycles++]!.hostTestClock.now();
      await handle.dispose();
    })).toBeLessThan(limit);
  });

  it('when its handle is kept', async () => {
    const ctx = createContext({ logger });
    ctx.provide('hostTestClock', { now: () => 1 });
    const kept: unknown[] = [];
    expect(await bytesPerCycle(500, async () => {
      const handle = ctx.plugin(busy(false));
      kept.push(handle);
      await use(ctx);
      await handle.dispose();
    })).toBeLessThan(limit);
  });
});

describe('the hot path', { timeout: 60_000 }, () => {
  it('allocates nothing for a synchronous listener, nor to find it', async () => {
    const ctx = createContext();
    let sum = 0;
    ctx.on('host-test/said', ((n: number) => { sum += n; }) as never);
    const agent = ctx.scope('agent');
    const CALLS = 100_000;
    const call = (): void => {
      for (let i = 0; i < CALLS; i++) agent.listeners('host-test/said')[0]!.invoke(1);
    };
    // What the compiler has not seen often enough does allocate, and it works in the background, at its leisure on a busy machine.
    let least = Infinity;
    let rounds = 0;
    for (; rounds < 100 && least >= 8; rounds++) {
      await heapAfterGc();
      const before = process.memoryUsage().heapUsed;
      call();
      least = Math.min(least, (process.memoryUsage().heapUsed - before) / CALLS);
    }
    // The smallest object has 16 bytes.
    expect(least).toBeLessThan(8);
    expect(sum).toBe(rounds * CALLS);
  });
});
