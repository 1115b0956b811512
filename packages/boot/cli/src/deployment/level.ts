import type { Context, PluginHandle } from '@sluice/core-context';
import { isSameConfig } from '../plugins/check-config.ts';
import type { ReadPlugin } from './read.ts';

export interface MountedPlugin {
  read: ReadPlugin;
  readonly handle: PluginHandle;
}

/** What a change of one list does. */
export interface ListPlan {
  readonly kept: ReadonlyMap<string, MountedPlugin>;
  readonly ending: readonly MountedPlugin[];
  readonly updating: readonly MountedPlugin[];
  readonly mounting: readonly ReadPlugin[];
}

/** The plugins of the root, or of one scope: those that are mounted, in order. */
export class Level {
  readonly ctx: Context;
  mounted: readonly MountedPlugin[] = [];

  constructor(ctx: Context) {
    this.ctx = ctx;
  }

  /** What is to be done to get to this list. Changes nothing. */
  plan(next: readonly ReadPlugin[]): ListPlan {
    const same = this.mounted.filter(({ read }) => next.some((each) => isSamePlugin(each, read)));
    const kept = new Map(inOrder(same, next).map((each) => [each.read.entry.id, each]));
    return {
      kept,
      ending: this.mounted.filter((each) => !kept.has(each.read.entry.id)),
      updating: next.flatMap(({ entry, config }) => {
        const each = kept.get(entry.id);
        return each === undefined || isSameConfig(each.read.config, config) ? [] : [each];
      }),
      mounting: next.filter(({ entry }) => !kept.has(entry.id)),
    };
  }

  /**
   * Does it, all in one go as far as it is synchronous: what ends is out of force, and what is mounted in its place, before
   * anything else runs. `endings` and `updates` settle later.
   */
  apply(next: readonly ReadPlugin[], { kept, ending }: ListPlan, work: { endings: Promise<unknown>[]; updates: Promise<void>[]; failures: Failure[] }): void {
    for (const { handle } of [...ending].reverse()) work.endings.push(handle.dispose());
    const mounted: MountedPlugin[] = [];
    for (const [index, read] of next.entries()) {
      const each = kept.get(read.entry.id);
      if (each === undefined) {
        const after = next.slice(index + 1).flatMap(({ entry }) => kept.get(entry.id)?.handle ?? [])[0];
        try {
          mounted.push({ read, handle: this.ctx.plugin(read.plugin, read.config as never, after && { before: after }) });
        } catch (error) {
          work.failures.push({ read, error });
        }
        continue;
      }
      mounted.push(each);
      if (isSameConfig(each.read.config, read.config)) each.read = read;
      else work.updates.push(this.#update(each, read, work.failures));
    }
    this.mounted = mounted;
  }

  async #update(each: MountedPlugin, read: ReadPlugin, failures: Failure[]): Promise<void> {
    try {
      await each.handle.update(read.config);
      each.read = read;
    } catch (error) {
      failures.push({ read, error });
    }
  }
}

export interface Failure {
  readonly read: ReadPlugin;
  readonly error: unknown;
}

function isSamePlugin(a: ReadPlugin, b: ReadPlugin): boolean {
  return a.entry.id === b.entry.id && a.plugin === b.plugin;
}

/** The most of them that stand in the new list in the order they stand in now: the others have to move. */
function inOrder(mounted: readonly MountedPlugin[], next: readonly ReadPlugin[]): readonly MountedPlugin[] {
  const wanted = mounted.map(({ read }) => next.findIndex(({ entry }) => entry.id === read.entry.id));
  // The longest increasing subsequence, by the best one that ends at each place.
  const best: (readonly number[])[] = [];
  for (const [index, place] of wanted.entries()) {
    const before = best.filter((chain) => (wanted[chain.at(-1) as number] as number) < place);
    const longest = before.reduce<readonly number[]>((a, b) => (b.length > a.length ? b : a), []);
    best.push([...longest, index]);
  }
  const longest = best.reduce<readonly number[]>((a, b) => (b.length > a.length ? b : a), []);
  return longest.map((index) => mounted[index] as MountedPlugin);
}
