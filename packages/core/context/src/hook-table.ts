import { Chain, NO_LISTENERS, type ListenerRecord } from './chain.ts';
import { compareKeys } from './order.ts';
import type { ListenerEntry } from './types.ts';

const NEVER = -1;

/**
 * The listeners of one hook in one scope, and the chain of that hook as this scope sees it: its own listeners and those
 * of the scopes above, in order. A change anywhere costs one number; each scope compiles its chain again when it is next read.
 */
export class HookTable {
  readonly #parent: HookTable | undefined;
  readonly #listed: Set<Chain>;
  readonly #records: ListenerRecord[] = [];
  #version = 0;
  #chain: Chain | undefined;
  #entries: readonly ListenerEntry[] = NO_LISTENERS;
  #compiledAt = NEVER;
  #isClosed = false;

  /** `listed` holds all chains of the hook. */
  constructor(parent: HookTable | undefined, listed: Set<Chain>) {
    this.#parent = parent;
    this.#listed = listed;
  }

  add(record: ListenerRecord): void {
    const after = this.#records.findIndex((other) => compareKeys(other.key, record.key) > 0);
    this.#records.splice(after < 0 ? this.#records.length : after, 0, record);
    this.#version++;
  }

  remove(record: ListenerRecord): void {
    const index = this.#records.indexOf(record);
    if (index < 0) return;
    this.#records.splice(index, 1);
    this.#version++;
  }

  listeners(): readonly ListenerEntry[] {
    // Versions only grow, so the sum is the same only if none of them changed.
    let versions = this.#version;
    for (let table = this.#parent; table !== undefined; table = table.#parent) versions += table.#version;
    if (versions !== this.#compiledAt) this.#compile(versions);
    return this.#entries;
  }

  /** Its scope has ended: no chain of it is kept for longer than something in it is in flight. */
  close(): void {
    this.#isClosed = true;
    this.#chain?.retire();
  }

  #compile(versions: number): void {
    this.#drop();
    this.#compiledAt = versions;
    const records: ListenerRecord[] = [...this.#records];
    for (let table = this.#parent; table !== undefined; table = table.#parent) records.push(...table.#records);
    if (records.length === 0) return;
    records.sort((a, b) => compareKeys(a.key, b.key));
    this.#chain = new Chain(records, this.#listed, (stale) => {
      if (this.#chain === stale) this.#drop();
    });
    this.#entries = this.#chain.entries;
    if (this.#isClosed) this.#chain.retire();
  }

  #drop(): void {
    this.#chain?.retire();
    this.#chain = undefined;
    this.#entries = NO_LISTENERS;
    this.#compiledAt = NEVER;
  }
}
