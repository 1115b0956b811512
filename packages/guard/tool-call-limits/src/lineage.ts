import type { ToolExecution } from '@sluice/core-tools';
import type { Ticket } from './slots.ts';

interface Running {
  readonly rootCallId: string;
  readonly ticket: Ticket;
}

/**
 * The running calls, by the id that their nested calls name them with. Call ids need not be unique: a nested call then counts
 * as a child of every call that it may be a child of, so that it never waits for its own parent.
 */
export class Lineage {
  readonly #running = new Map<string, Set<Running>>();

  /** The disposer forgets the call. */
  add({ callId, rootCallId }: ToolExecution, ticket: Ticket): () => void {
    const namesakes = this.#running.get(callId) ?? new Set();
    const running: Running = { rootCallId, ticket };
    this.#running.set(callId, namesakes.add(running));
    return () => {
      namesakes.delete(running);
      if (namesakes.size === 0 && this.#running.get(callId) === namesakes) this.#running.delete(callId);
    };
  }

  ancestorsOf({ parentCallId, rootCallId }: ToolExecution): ReadonlySet<Ticket> {
    if (parentCallId === undefined) return NONE;
    const ancestors = new Set<Ticket>();
    for (const parent of this.#running.get(parentCallId) ?? []) {
      if (parent.rootCallId !== rootCallId) continue;
      ancestors.add(parent.ticket);
      for (const each of parent.ticket.ancestors) ancestors.add(each);
    }
    return ancestors.size === 0 ? NONE : ancestors;
  }
}

const NONE: ReadonlySet<Ticket> = new Set();
