import { createContext, tools, type Context, type Plugin } from '@sluice/core-tools';
import { describe, expect, it } from 'vitest';
import { aCall, aGate, aTool } from './factories.ts';

// A suite does not know the config of the plugin it is given.
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
type AnyPlugin = Plugin<any>;

export interface DescribePluginOptions {
  /** Config that lets an unrelated tool named `echo` run. */
  readonly config?: object;
  /** Mounts what the plugin injects, besides `tools`. */
  readonly setup?: (ctx: Context) => void | Promise<void>;
}

/**
 * The contract that every plugin keeps: inert until mounted, no effect on a call that is none of its business, failures pass
 * through, nothing left after unmounting, no state shared between instances, no trouble with aborted and concurrent calls.
 * `factory` is called anew for every test.
 */
export function describePlugin(factory: () => AnyPlugin, options: DescribePluginOptions = {}): void {
  const mounted = async (ctx: Context): Promise<Context> => {
    ctx.plugin(tools);
    await options.setup?.(ctx);
    ctx.tools.register(aTool());
    ctx.tools.register(aTool({ name: 'fails', execute: () => { throw new Error('as told'); } }));
    return ctx;
  };
  const withPlugin = async (use: (ctx: Context) => Promise<void>): Promise<void> => {
    const ctx = await mounted(createContext());
    try {
      const handle = ctx.plugin(factory(), options.config);
      await handle.ready;
      await use(ctx);
    } finally {
      await ctx.dispose();
    }
  };
  const without = async (use: (ctx: Context) => Promise<unknown>): Promise<unknown> => {
    const ctx = await mounted(createContext());
    try {
      return await use(ctx);
    } finally {
      await ctx.dispose();
    }
  };

  describe(`the plugin contract of ${factory().name}`, () => {
    it('does nothing until it is mounted', async () => {
      const ctx = await mounted(createContext());
      const before = ctx.inspect();
      factory();
      expect(ctx.inspect()).toEqual(before);
      await ctx.dispose();
    });

    it('leaves an unrelated call exactly as it is without the plugin', async () => {
      const call = aCall({ callId: 'same' });
      const plain = await without((ctx) => ctx.tools.execute(call));
      await withPlugin(async (ctx) => {
        expect(await ctx.tools.execute(call)).toEqual(plain);
      });
    });

    it('leaves a failing body exactly as it fails without the plugin', async () => {
      const call = aCall({ name: 'fails', callId: 'same' });
      const plain = await without((ctx) => ctx.tools.execute(call));
      await withPlugin(async (ctx) => {
        expect(await ctx.tools.execute(call)).toEqual(plain);
      });
    });

    it('removes everything when it is unmounted, with calls in flight', async () => {
      const ctx = await mounted(createContext());
      const gate = aGate();
      ctx.tools.register(aTool({ name: 'waits', execute: () => gate.opened.then(() => 'done') }));
      const before = ctx.inspect();
      const handle = ctx.plugin(factory(), options.config);
      await handle.ready;
      const inFlight = ctx.tools.execute(aCall({ name: 'waits' }));
      await Promise.resolve();
      const unmounted = handle.dispose();
      gate.open();
      await unmounted;
      await inFlight;
      expect(ctx.inspect()).toEqual(before);
      expect(await ctx.tools.execute(aCall())).toMatchObject({ isError: false });
      await ctx.dispose();
    });

    it('shares nothing between two instances', async () => {
      await withPlugin(async (first) => {
        await withPlugin(async (second) => {
          for (let i = 0; i < 12; i += 1) await first.tools.execute(aCall({ callId: 'busy' }));
          const call = aCall({ callId: 'same' });
          const plain = await without((ctx) => ctx.tools.execute(call));
          expect(await second.tools.execute(call)).toEqual(plain);
        });
      });
    });

    it('lets a call that was aborted before entry be just that', async () => {
      await withPlugin(async (ctx) => {
        const result = await ctx.tools.execute(aCall({ signal: AbortSignal.abort() }));
        expect(result).toMatchObject({ isError: true, error: { info: { code: 'ABORTED_BEFORE_DISPATCH', started: false } } });
      });
    });

    it('keeps concurrent calls apart', async () => {
      await withPlugin(async (ctx) => {
        const results = await Promise.all(
          Array.from({ length: 50 }, (_, i) => ctx.tools.execute(aCall({ callId: `c${i}`, arguments: { i } }))),
        );
        expect(results.map((result) => (result.isError ? result.error : result.value))).toEqual(
          Array.from({ length: 50 }, (_, i) => ({ i })),
        );
      });
    });
  });
}
