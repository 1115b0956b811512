import type { ToolExecution } from '@sluice/core-tools';
import type { Account } from './account.ts';
import type { Share } from './meter.ts';
import type { Ticket } from './slots.ts';

/** A call that has been let in at least once. */
export interface Entry {
  readonly id: string;
  readonly callId: string;
  readonly rootCallId: string;
  readonly account: Account;
  readonly share: Share;
  /** Counted, and a second attempt of the same call is not counted again. Until it has its result or was given back. */
  isCounted: boolean;
  /** Its hold on places; undefined while it has none. */
  ticket: Ticket | undefined;
  /** Another call under the same call id. */
  older: Entry | undefined;
}

const NONE: ReadonlySet<Ticket> = new Set();

/**
 * The calls that are counted or running, by the id that their nested calls name them with. Call ids need not be unique: a
 * nested call then counts as a child of every call that it may be a child of, so that it never waits for its own parent.
 */
export class Calls {
  readonly #latest = new Map<string, Entry>();

  /** The entry of this very call, if an attempt of it has been counted. */
  find(callId: string, id: string): Entry | undefined {
    for (let entry = this.#latest.get(callId); entry !== undefined; entry = entry.older) if (entry.id === id && entry.isCounted) return entry;
    return undefined;
  }

  add(entry: Entry): void {
    entry.older = this.#latest.get(entry.callId);
    this.#latest.set(entry.callId, entry);
  }

  /** Forgets it, unless it is still counted or running. */
  drop(entry: Entry): void {
    if (entry.isCounted || entry.ticket !== undefined) return;
    const latest = this.#latest.get(entry.callId);
    if (latest === entry) {
      if (entry.older === undefined) this.#latest.delete(entry.callId);
      else this.#latest.set(entry.callId, entry.older);
      return;
    }
    for (let newer = latest; newer !== undefined; newer = newer.older) if (newer.older === entry) newer.older = entry.older;
  }

  /** Tickets of the running calls of an account that a call is nested in. */
  ancestorsOf({ parentCallId, rootCallId }: ToolExecution, account: Account): ReadonlySet<Ticket> {
    if (parentCallId === undefined) return NONE;
    const ancestors = new Set<Ticket>();
    for (let parent = this.#latest.get(parentCallId); parent !== undefined; parent = parent.older) {
      if (parent.ticket === undefined || parent.account !== account || parent.rootCallId !== rootCallId) continue;
      ancestors.add(parent.ticket);
      for (const each of parent.ticket.ancestors) ancestors.add(each);
    }
    return ancestors.size === 0 ? NONE : ancestors;
  }
}
