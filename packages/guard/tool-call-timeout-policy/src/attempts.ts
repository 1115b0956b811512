import type { ToolExecution } from '@sluice/core-tools';
import type { Deadline } from './deadline.ts';

/** A deadline of one attempt, and whether progress starts it over. */
export interface Limit {
  readonly deadline: Deadline;
  readonly restarts: boolean;
}

interface Attempt {
  readonly exec: ToolExecution;
  readonly limits: readonly Limit[];
  /** Where it is in the list. */
  place: number;
}

/**
 * The attempts under a deadline now, so that a question to a person pauses them and progress starts idle ones over. Holds and
 * lineage name calls by call id, which need not be unique: then too much is paused rather than too little.
 */
export class Attempts {
  // A list and no map: every attempt comes and goes, and few are ever looked for.
  readonly #attempts: Attempt[] = [];
  /** Questions open per call id: an attempt that starts while one is open starts paused. */
  readonly #held = new Map<string, number>();

  /** The disposer forgets the attempt and cancels its deadlines. */
  add(exec: ToolExecution, limits: readonly Limit[]): () => void {
    const attempt: Attempt = { exec, limits, place: this.#attempts.length };
    this.#attempts.push(attempt);
    if (this.#held.size > 0) {
      for (let open = this.#held.get(exec.callId) ?? 0; open > 0; open -= 1) {
        for (const { deadline } of limits) deadline.pause();
      }
    }
    return () => {
      for (const { deadline } of limits) deadline.cancel();
      this.#remove(attempt);
    };
  }

  hold(callId: string, held: boolean): void {
    const open = Math.max(0, (this.#held.get(callId) ?? 0) + (held ? 1 : -1));
    if (open === 0) this.#held.delete(callId);
    else this.#held.set(callId, open);
    for (const { limits } of this.#of(callId)) {
      for (const { deadline } of limits) {
        if (held) deadline.pause();
        else deadline.resume();
      }
    }
  }

  /** Progress of a call is also progress of those that wait for it. */
  progress(exec: ToolExecution): void {
    for (const attempt of this.#of(exec.callId)) if (attempt.exec.id === exec.id) restart(attempt);
    const seen = new Set<string>();
    const waiting = [exec.parentCallId, exec.parentCallId === undefined ? undefined : exec.rootCallId];
    for (const callId of waiting) {
      if (callId === undefined || seen.has(callId)) continue;
      seen.add(callId);
      for (const attempt of this.#of(callId)) {
        restart(attempt);
        waiting.push(attempt.exec.parentCallId);
      }
    }
  }

  /**
   * From now on neither holds nor progress are heard. Idle deadlines are lifted, since they could only be wrong, and those
   * that stand still stay so; those that run go on.
   */
  deafen(): void {
    for (const { limits } of this.#attempts) for (const { deadline, restarts } of limits) if (restarts) deadline.cancel();
  }

  #of(callId: string): Attempt[] {
    return this.#attempts.filter(({ exec }) => exec.callId === callId);
  }

  #remove(attempt: Attempt): void {
    const last = this.#attempts.pop() as Attempt;
    if (last === attempt) return;
    this.#attempts[attempt.place] = last;
    last.place = attempt.place;
  }
}

function restart({ limits }: Attempt): void {
  for (const { deadline, restarts } of limits) if (restarts) deadline.restart();
}
