import { createContext, definePlugin, type Context, type ListenerEntry, type Plugin, type PluginHandle, type ServiceName } from '@sluice/core-context';
import { describe, expectTypeOf, it } from 'vitest';
import { aContext, type Clock } from './support.ts';

// Nothing in here is about what happens at run time, so most of it is never run.
const never = (code: () => void): number => code.length;
const { ctx } = aContext();

describe('types', () => {
  it('of services come from declaration merging', () => {
    never(() => {
      expectTypeOf(ctx.hostTestClock).toEqualTypeOf<Clock>();
      expectTypeOf(ctx.get('hostTestClock')).toEqualTypeOf<Clock | undefined>();
      expectTypeOf<'hostTestClock'>().toExtend<ServiceName>();
      ctx.provide('hostTestClock', { now: () => 1 });
      ctx.provide('hostTestClock', { bind: (reader) => ({ now: () => reader.scopePath.length }) });
      // @ts-expect-error -- now() must return a number
      ctx.provide('hostTestClock', { now: () => 'x' });
      // @ts-expect-error -- no package declares this service
      ctx.provide('hostTestNothing', {});
      // @ts-expect-error -- no package declares this service
      String(ctx.hostTestNothing);
      // @ts-expect-error -- a service is provided, not assigned to something else
      ctx.hostTestClock = 5;
    });
  });

  it('of listeners are inferred from the hook', () => {
    never(() => {
      ctx.on('host-test/said', (word) => {
        expectTypeOf(word).toEqualTypeOf<string>();
      });
      ctx.on('host-test/ask', async (question, next) => {
        expectTypeOf(question).toEqualTypeOf<string>();
        expectTypeOf(next).toEqualTypeOf<() => Promise<string>>();
        return next();
      });
      ctx.on('host-test/patched', (_question, next) => {
        expectTypeOf(next).toEqualTypeOf<(patch?: { loud: boolean }) => Promise<string>>();
        return next({ loud: true });
      });
      ctx.on('host-test/ask', () => 'at once');
      // @ts-expect-error -- this waterfall answers a string
      ctx.on('host-test/ask', () => 5);
      // @ts-expect-error -- no package declares this hook
      ctx.on('host-test/nothing', () => undefined);
    });
  });

  it('of notification listeners allow any answer but a promise', () => {
    const words: string[] = [];
    never(() => {
      ctx.on('host-test/said', (word) => words.push(word));
      ctx.on('host-test/said', (word) => word);
      ctx.on('host-test/said', () => ({ a: 1 }));
      ctx.on('host-test/said', () => words);
      ctx.on('host-test/said', () => () => undefined);
      ctx.on('host-test/said', (word) => new Set<string>().add(word));
      ctx.on('host-test/said', (word) => { words.push(word); });
      // @ts-expect-error -- nobody would wait for it
      ctx.on('host-test/said', async (word) => { await Promise.resolve(word); });
      // @ts-expect-error -- nobody would wait for it
      ctx.on('host-test/said', () => Promise.resolve());
    });
  });

  it('of emit and waterfall follow the kind of the hook', () => {
    never(() => {
      ctx.emit('host-test/said', 'x');
      // @ts-expect-error -- the word is missing
      ctx.emit('host-test/said');
      // @ts-expect-error -- a waterfall is not emitted
      ctx.emit('host-test/ask', 'x');
      expectTypeOf(ctx.waterfall('host-test/ask', ['x'], () => 'y')).toEqualTypeOf<Promise<string>>();
      // @ts-expect-error -- the innermost must answer a string
      void ctx.waterfall('host-test/ask', ['x'], () => 5);
      // @ts-expect-error -- only its owner knows what a patch means, and runs it over ctx.listeners()
      void ctx.waterfall('host-test/patched', ['x'], () => 'y');
      expectTypeOf(ctx.listeners('host-test/patched')).toEqualTypeOf<readonly ListenerEntry[]>();
    });
  });

  it('of a config are those of apply, and every part of it may be left to defaults', () => {
    const plugin = definePlugin({ name: 'x', config: { type: 'object' }, apply(_ctx, config: { size: number; word: string }) { expectTypeOf(config.size).toEqualTypeOf<number>(); } });
    const explicit = definePlugin<{ size: number }>({ name: 'x', config: { type: 'object' }, apply: (_ctx, { size }) => { expectTypeOf(size).toEqualTypeOf<number>(); } });
    expectTypeOf(plugin).toEqualTypeOf<Plugin<{ size: number; word: string }>>();
    never(() => {
      expectTypeOf(ctx.plugin(plugin)).toEqualTypeOf<PluginHandle>();
      ctx.plugin(plugin, { size: 1 });
      // @ts-expect-error -- size is a number
      ctx.plugin(plugin, { size: 'x' });
      // @ts-expect-error -- sise is no key of the config
      ctx.plugin(plugin, { sise: 1 });
      ctx.plugin(explicit, {});
      // @ts-expect-error -- no service of that name is declared
      definePlugin({ name: 'x', inject: ['hostTestNothing'], apply: () => undefined });
      // @ts-expect-error -- apply is missing
      definePlugin({ name: 'x' });
      definePlugin({ name: 'x', inject: ['hostTestClock'], apply: () => async () => undefined });
      definePlugin({ name: 'x', apply: async () => () => undefined });
      // @ts-expect-error -- an object is no cleanup
      definePlugin({ name: 'x', apply: () => ({ dispose() {} }) });
    });
  });

  it('let plugins of any config be kept in one list', () => {
    const plugins: Plugin<never>[] = [definePlugin<{ a: number }>({ name: 'a', apply: () => undefined }), definePlugin({ name: 'b', apply: () => undefined })];
    never(() => {
      for (const plugin of plugins) ctx.plugin(plugin);
    });
  });

  it('of contexts can be disposed of by the language', () => {
    never(() => {
      void (async () => {
        await using root = createContext();
        expectTypeOf(root).toEqualTypeOf<Context>();
      })();
    });
    expectTypeOf<Context>().toExtend<AsyncDisposable>();
    expectTypeOf<PluginHandle>().toExtend<AsyncDisposable>();
  });
});
