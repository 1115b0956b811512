import { deepStrictEqual } from 'node:assert/strict';
import type { Context } from '@sluice/core-tools';
import { leavingNothing } from './contract/leftovers.ts';
import { abortedCalls, concurrentCalls, failures, successes, throwsFurtherIn } from './contract/unrelated-calls.ts';
import { leavesNoTrace, withCallsInFlight } from './contract/unmounting.ts';
import { inWorld, mount, sameWithAndWithout, type AnyPlugin, type Subject } from './contract/world.ts';

export interface PluginCheckOptions {
  /** Config under which calls of tools named `unrelated_*` are none of the plugin's business. Default: the plugin's own. */
  readonly config?: object;
  /** Mounts what the plugin injects, besides `tools`. Also called where the plugin is not mounted, to compare with. */
  readonly setup?: (ctx: Context) => void | Promise<void>;
  /**
   * Shows in a fresh context what the plugin is for: must resolve with the plugin mounted (with `config`), and must reject,
   * not hang, without it. So the plugin's tests are known to fail when it does nothing.
   */
  readonly proof?: (ctx: Context) => void | Promise<void>;
}

export interface PluginCheck {
  /** A sentence about the plugin. */
  readonly name: string;
  /** Rejects with an AssertionError when the sentence is not true. */
  run(): Promise<void>;
}

/**
 * The contract that every plugin keeps, as checks without a test framework: inert until mounted, no effect on a call that is
 * none of its business, failures pass through, nothing left after unmounting, nothing shared between instances, no trouble
 * with aborted and concurrent calls. `factory` is called anew for every mount; it may return the same plugin each time.
 */
export function pluginChecks(factory: () => AnyPlugin, options: PluginCheckOptions = {}): PluginCheck[] {
  const { config, setup, proof } = options;
  const subject: Subject = { factory, config, setup };
  const checks: PluginCheck[] = [
    {
      name: 'does nothing until it is mounted',
      run: () =>
        inWorld(subject, async ({ ctx }) => {
          const before = ctx.inspect();
          await leavingNothing(() => { factory(); });
          deepStrictEqual(ctx.inspect(), before);
        }),
    },
    { name: 'leaves unrelated calls that succeed as they are without it', run: () => sameWithAndWithout(subject, successes) },
    { name: 'leaves unrelated calls that fail as they are without it', run: () => sameWithAndWithout(subject, failures) },
    { name: 'lets what is thrown further in pass', run: () => sameWithAndWithout(subject, throwsFurtherIn) },
    { name: 'leaves aborted calls as they are without it', run: () => sameWithAndWithout(subject, abortedCalls) },
    {
      name: 'keeps concurrent calls apart',
      async run() {
        const plain = await inWorld(subject, concurrentCalls);
        await inWorld(subject, async (world) => {
          await mount(subject, world.ctx);
          deepStrictEqual(await concurrentCalls(world), plain, 'with the plugin (actual) the results differ from those without (expected)');
        });
      },
    },
    {
      name: 'leaves nothing behind when it is unmounted',
      run: () =>
        leavingNothing(() =>
          leavesNoTrace(subject, async (world) => {
            await successes(world);
            await abortedCalls(world);
          }),
        ),
    },
    {
      name: 'can be unmounted with calls in flight',
      run: () =>
        leavingNothing(() =>
          inWorld(subject, async (world) => {
            const before = world.ctx.inspect();
            await withCallsInFlight(subject, world, (handle) => handle.dispose());
            deepStrictEqual(world.ctx.inspect(), before, 'after unmounting (actual) the context is not what it was before (expected)');
          }),
        ),
    },
    {
      name: 'can be updated with calls in flight',
      run: () =>
        leavingNothing(() =>
          inWorld(subject, async (world) => {
            const before = world.ctx.inspect();
            await withCallsInFlight(subject, world, (handle) => handle.update(config ?? {}));
            deepStrictEqual(world.ctx.inspect(), before, 'after unmounting (actual) the context is not what it was before (expected)');
          }),
        ),
    },
    {
      name: 'can be mounted again after it was unmounted',
      run: () =>
        inWorld(subject, async ({ ctx }) => {
          const first = await mount(subject, ctx);
          const tree = ctx.inspect();
          await first.dispose();
          await mount(subject, ctx);
          deepStrictEqual(ctx.inspect(), tree, 'the second mount (actual) differs from the first (expected)');
        }),
    },
    {
      name: 'shares nothing between two instances',
      run: () => sharesNothing(subject, proof),
    },
  ];
  if (proof === undefined) return checks;
  return [
    ...checks,
    {
      name: 'does what it is for, and its proof fails without it',
      async run() {
        await inWorld(subject, async ({ ctx }) => {
          await mount(subject, ctx);
          await proof(ctx);
        });
        const fails = await inWorld(subject, async ({ ctx }) => {
          try {
            await proof(ctx);
            return false;
          } catch {
            return true;
          }
        });
        deepStrictEqual(fails, true, 'the proof also passes without the plugin, so it proves nothing');
      },
    },
  ];
}

/** An instance that had work, and one that was unmounted, leave no mark on the others: in another context, in another scope. */
async function sharesNothing(subject: Subject, proof: PluginCheckOptions['proof']): Promise<void> {
  const use = async (world: Parameters<typeof successes>[0], times: number): Promise<void> => {
    for (let i = 0; i < times; i += 1) await successes(world);
    await proof?.(world.ctx);
  };
  await inWorld(subject, async (busy) => {
    await mount(subject, busy.ctx);
    await use(busy, 10);
    await sameWithAndWithout(subject, successes);
    await inWorld(subject, async (fresh) => {
      await mount(subject, fresh.ctx);
      await use(fresh, 1);
    });
  });
  const plain = await inWorld(subject, successes);
  await inWorld(subject, async (world) => {
    const gone = world.ctx.scope('gone');
    const left = world.ctx.scope('left');
    const handle = await mount(subject, gone);
    await mount(subject, left);
    const before = left.inspect();
    await use({ ...world, ctx: gone }, 10);
    await handle.dispose();
    deepStrictEqual(left.inspect(), before, 'unmounting one instance (actual) changed another (expected)');
    deepStrictEqual(await successes({ ...world, ctx: left }), plain, 'calls under the other instance (actual) are not as without it (expected)');
    await proof?.(left);
  });
}
