import { Deferred } from './async.ts';
import type { ChainEntry } from './chain.ts';
import type { Fiber } from './fiber.ts';

/** Waits until no listener entry of a fiber is in flight and none can be reached any more by a chain in flight. */
export class Drain {
  readonly #fiber: Fiber;
  readonly #ended = new Deferred<void>();
  #blockers: ChainEntry[];
  #unwatch: (() => void)[] = [];

  /** The drain of a fiber whose listeners have been detached; undefined when there is nothing to wait for. */
  static of(fiber: Fiber): Drain | undefined {
    const blockers = blockersOf(fiber);
    return blockers.length === 0 ? undefined : new Drain(fiber, blockers);
  }

  private constructor(fiber: Fiber, blockers: ChainEntry[]) {
    this.#fiber = fiber;
    this.#blockers = blockers;
    this.#watch();
  }

  get promise(): Promise<void> {
    return this.#ended.promise;
  }

  get isDone(): boolean {
    return this.#blockers.length === 0;
  }

  /** Whether whoever is on the call stack now is inside what this drain waits for. */
  get isOnStack(): boolean {
    return this.#blockers.some((entry) => entry.isOnStack);
  }

  /** What it waits for, such as `2 calls in tools/execute`. */
  describe(): string[] {
    const calls = new Map<string, number>();
    for (const entry of this.#blockers) calls.set(entry.hook, (calls.get(entry.hook) ?? 0) + entry.active);
    return [...calls].filter(([, count]) => count > 0).map(([hook, count]) => `${count} call${count === 1 ? '' : 's'} in ${hook}`);
  }

  #watch(): void {
    this.#unwatch = this.#blockers.map((entry) => entry.watch(() => this.#check()));
  }

  #check(): void {
    if (this.#blockers.some((entry) => entry.active > 0)) return;
    for (const unwatch of this.#unwatch) unwatch();
    // An outer entry may have entered further ones before it left.
    this.#blockers = blockersOf(this.#fiber);
    if (this.#blockers.length > 0) this.#watch();
    else this.#ended.resolve();
  }
}

function blockersOf(fiber: Fiber): ChainEntry[] {
  const blockers: ChainEntry[] = [];
  fiber.host.chains.forEachOf(fiber, (chain) => {
    if (chain.active > 0) blockers.push(...chain.blockersOf(fiber));
  });
  return blockers;
}
