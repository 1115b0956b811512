import { expect, it, vi } from 'vitest';
import { inspect } from 'node:util';
import { createContext, definePlugin, type Notification, type Waterfall } from '../src/index.ts';

declare module '../src/index.ts' {
  interface Services { hostTestClock: { now(): number } }
  interface Hooks { 'host-test/said': Notification<[word: string]>; 'host-test/ask': Waterfall<[question: string], number> }
}

it('works', async () => {
  const ctx = createContext();
  const seen: string[] = [];
  const p = definePlugin({ name: 'p', inject: ['hostTestClock'], apply(c, config: { a?: number }) {
    seen.push(`start ${c.hostTestClock.now()}`);
    c.on('host-test/said', (w) => seen.push(w));
    c.on('host-test/ask', async (q, next) => (await next()) + q.length);
    c.effect(() => () => { seen.push('clean'); }, 'x');
    void config;
    return () => { seen.push('bye'); };
  } });
  const h = ctx.plugin(p, {});
  expect(h.status).toBe('waiting');
  await expect(ctx.ready()).rejects.toThrow('waits for');
  const off = ctx.provide('hostTestClock', { now: () => 1 });
  expect(h.status).toBe('active');
  ctx.emit('host-test/said', 'hi');
  expect(await ctx.waterfall('host-test/ask', ['abc'], () => 1)).toBe(4);
  console.log(inspect(ctx.inspect(), { depth: 9 }), ctx);
  await off();
  expect(h.status).toBe('waiting');
  ctx.provide('hostTestClock', { now: () => 2 });
  expect(h.status).toBe('active');
  await ctx.dispose();
  expect(seen).toEqual(['start 1', 'hi', 'bye', 'clean', 'start 2', 'bye', 'clean']);
  console.log(ctx.inspect());
  expect(() => (ctx as any).foo).toThrow('has no service');
  void vi;
});
