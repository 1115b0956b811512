import type { ToolExecution } from '@sluice/core-tools';
import type { Deadline } from './deadline.ts';

interface Entry {
  readonly execId: string;
  readonly deadline: Deadline;
  readonly restarts: boolean;
}

/** Deadlines that run now, so that a question to a person pauses them and progress starts them over. */
export class DeadlinesByCall {
  readonly #byCallId = new Map<string, Set<Entry>>();
  /** Questions open per call id: an attempt that starts while one is open starts paused. */
  readonly #held = new Map<string, number>();

  /** The disposer forgets the deadline and cancels it. */
  add({ id, callId }: ToolExecution, deadline: Deadline, restarts: boolean): () => void {
    const entry: Entry = { execId: id, deadline, restarts };
    const entries = this.#byCallId.get(callId) ?? new Set();
    this.#byCallId.set(callId, entries.add(entry));
    for (let i = this.#held.get(callId) ?? 0; i > 0; i -= 1) deadline.pause();
    return () => {
      deadline.cancel();
      entries.delete(entry);
      if (entries.size === 0 && this.#byCallId.get(callId) === entries) this.#byCallId.delete(callId);
    };
  }

  hold(callId: string, held: boolean): void {
    const open = Math.max(0, (this.#held.get(callId) ?? 0) + (held ? 1 : -1));
    if (open === 0) this.#held.delete(callId);
    else this.#held.set(callId, open);
    for (const { deadline } of this.#byCallId.get(callId) ?? []) {
      if (held) deadline.pause();
      else deadline.resume();
    }
  }

  restart({ id, callId }: ToolExecution): void {
    for (const { execId, deadline, restarts } of this.#byCallId.get(callId) ?? []) {
      if (restarts && execId === id) deadline.restart();
    }
  }
}
