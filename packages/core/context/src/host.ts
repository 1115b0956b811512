import { ChainIndex } from './chain-index.ts';
import type { Fiber } from './fiber.ts';
import type { Mount } from './mount.ts';
import { compareKeys } from './order.ts';
import type { Context, Logger } from './types.ts';

/** What all contexts of one tree share. */
export class Host {
  readonly logger: Logger;
  readonly graceMs: number;
  /** Makes the context of a fiber; a constructor argument, so that plugins need not know the context class. */
  readonly contextOf: (fiber: Fiber) => Context;
  readonly chains = new ChainIndex();
  readonly #waiters = new Map<string, Set<Mount>>();
  readonly #changed = new Set<string>();
  #batches = 0;
  #isSettling = false;

  constructor(logger: Logger, graceMs: number, contextOf: (fiber: Fiber) => Context) {
    this.logger = logger;
    this.graceMs = graceMs;
    this.contextOf = contextOf;
  }

  /** From now on the plugin hears when a service that it injects comes or goes. */
  addWaiter(mount: Mount): void {
    for (const name of mount.injects) {
      const mounts = this.#waiters.get(name);
      if (mounts === undefined) this.#waiters.set(name, new Set([mount]));
      else mounts.add(mount);
    }
  }

  removeWaiter(mount: Mount): void {
    for (const name of mount.injects) {
      const mounts = this.#waiters.get(name);
      if (mounts?.delete(mount) === true && mounts.size === 0) this.#waiters.delete(name);
    }
  }

  /** Runs several changes as one: plugins hear of services only when all are made. */
  batch(change: () => void): void {
    this.#batches++;
    try {
      change();
    } finally {
      this.#batches--;
      this.#settle();
    }
  }

  serviceChanged(name: string): void {
    this.#changed.add(name);
    this.#settle();
  }

  // Ends what stands on a service that is no longer the nearest, innermost first, and then starts what can start, in order.
  #settle(): void {
    if (this.#batches > 0 || this.#isSettling) return;
    this.#isSettling = true;
    try {
      while (this.#changed.size > 0) {
        const mounts = this.#takeAffected();
        for (const mount of mounts.toReversed()) mount.release();
        for (const mount of mounts) mount.tryStart();
      }
    } finally {
      this.#isSettling = false;
    }
  }

  #takeAffected(): Mount[] {
    const affected = new Set<Mount>();
    for (const name of this.#changed) for (const mount of this.#waiters.get(name) ?? []) affected.add(mount);
    this.#changed.clear();
    return [...affected].sort((a, b) => compareKeys(a.key, b.key));
  }
}
