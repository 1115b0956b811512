import type { Chain } from './chain.ts';
import type { Fiber } from './fiber.ts';

/** All current chains of a tree, and older ones in which something is in flight, by hook. */
export class ChainIndex {
  readonly #byHook = new Map<string, Set<Chain>>();

  of(hook: string): Set<Chain> {
    let chains = this.#byHook.get(hook);
    if (chains === undefined) {
      chains = new Set();
      this.#byHook.set(hook, chains);
    }
    return chains;
  }

  /** Calls back with each chain of a hook that the fiber has listened on. */
  forEachOf(fiber: Fiber, callback: (chain: Chain) => void): void {
    for (const hook of fiber.hooks ?? []) for (const chain of this.#byHook.get(hook) ?? []) callback(chain);
  }
}
