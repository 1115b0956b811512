import { asPromise, isThenable } from './async.ts';
import { pluginDisposed } from './errors.ts';
import type { Fiber } from './fiber.ts';
import type { OrderKey } from './order.ts';
import type { ListenerEntry } from './types.ts';

/** One registered listener. */
export interface ListenerRecord {
  readonly hook: string;
  readonly key: OrderKey;
  readonly fiber: Fiber;
  readonly listener: (...args: unknown[]) => unknown;
}

/**
 * The listeners of one hook as one scope sees them, fixed. It counts what is in flight, because an entry that is in
 * flight may still go on to the entries further in: until it has left, their plugins must not be cleaned up.
 */
export class Chain {
  readonly entries: readonly ChainEntry[];
  /** Entries in flight. */
  active = 0;
  /** Entries that are on the call stack right now. */
  sync = 0;
  /** No longer anybody's current chain, so it is only listed while something is in flight. */
  #retired = false;
  readonly #listed: Set<Chain>;
  readonly #onStale: (chain: Chain) => void;

  /** `listed` holds all chains of the hook; `onStale` is told when the chain should be kept by nobody any more. */
  constructor(records: readonly ListenerRecord[], listed: Set<Chain>, onStale: (chain: Chain) => void) {
    this.entries = Object.freeze(records.map((record) => new ChainEntry(record, this)));
    this.#listed = listed;
    this.#onStale = onStale;
    listed.add(this);
  }

  retire(): void {
    this.#retired = true;
    if (this.active === 0) this.#listed.delete(this);
  }

  enter(): void {
    if (this.active++ === 0 && this.#retired) this.#listed.add(this);
    this.sync++;
  }

  leave(): void {
    if (--this.active === 0 && this.#retired) this.#listed.delete(this);
  }

  /** A scope that is not read would keep an ended plugin in memory with its chain. */
  forget(fiber: Fiber): void {
    if (this.entries.some((entry) => entry.belongsTo(fiber))) this.#onStale(this);
  }

  /** The entries in flight that are, or may still go on to, an entry of this fiber. */
  blockersOf(fiber: Fiber): ChainEntry[] {
    const innermost = this.entries.findLastIndex((entry) => entry.belongsTo(fiber));
    return this.entries.slice(0, innermost + 1).filter((entry) => entry.active > 0);
  }
}

export class ChainEntry implements ListenerEntry {
  readonly plugin: string;
  /** Calls of this entry that have not ended. */
  active = 0;
  readonly #record: ListenerRecord;
  readonly #chain: Chain;
  // There are as many entries as listeners times scopes, so what few of them need is made when needed.
  #watchers: Set<() => void> | undefined;
  #leaveLater: (() => void) | undefined;

  constructor(record: ListenerRecord, chain: Chain) {
    this.plugin = record.fiber.owner;
    this.#record = record;
    this.#chain = chain;
  }

  get hook(): string {
    return this.#record.hook;
  }

  // Each registration has a key of its own, and nothing can be done with it.
  get registration(): object {
    return this.#record.key;
  }

  belongsTo(fiber: Fiber): boolean {
    return this.#record.fiber === fiber;
  }

  /** Whether something of this entry's chain is on the call stack: whoever waits for the chain then waits for itself. */
  get isOnStack(): boolean {
    return this.#chain.sync > 0;
  }

  /** Calls back each time no call of this entry is left. Returns the undo. */
  watch(callback: () => void): () => void {
    const watchers = (this.#watchers ??= new Set());
    watchers.add(callback);
    return () => watchers.delete(callback);
  }

  invoke(...args: unknown[]): unknown {
    const result = this.enter(...args);
    if (!(result instanceof Promise)) return result;
    this.#leaveLater ??= this.leave.bind(this);
    result.then(this.#leaveLater, this.#leaveLater);
    return result;
  }

  // No call of this may allocate: `args` must not leave the function except by being spread into the listener.
  enter(...args: unknown[]): unknown {
    if (this.#record.fiber.isCleaningUp) {
      // Reached only when an outer listener goes on after it has ended. A policy that is being cleaned up cannot judge, so a
      // waterfall fails here; a notification has nobody left to tell.
      if (typeof args[args.length - 1] === 'function') throw pluginDisposed(this.plugin);
      return undefined;
    }
    this.active++;
    this.#chain.enter();
    let result: unknown;
    let isPending: boolean;
    try {
      // Detached: a listener's `this` is nobody's business of ours.
      const { listener } = this.#record;
      result = listener(...args);
      isPending = isThenable(result);
    } catch (error) {
      this.#chain.sync--;
      this.leave();
      throw error;
    }
    this.#chain.sync--;
    if (isPending) return asPromise(result as PromiseLike<unknown>);
    this.leave();
    return result;
  }

  leave(): void {
    this.#chain.leave();
    if (--this.active === 0 && this.#watchers !== undefined) for (const watcher of [...this.#watchers]) watcher();
  }
}

/** Nothing listens: the one chain that is shared by all. */
export const NO_LISTENERS: readonly ListenerEntry[] = Object.freeze([]);
