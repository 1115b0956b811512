import type { AdditionalContext, ToolExecutionResult } from './types.ts';

const NONE: readonly AdditionalContext[] = Object.freeze([]);

/** One entry into the body, with what the body said through its run context. Only the accepted attempt's state counts. */
export class Attempt {
  readonly previous: Attempt | undefined;
  contexts: readonly AdditionalContext[] = NONE;
  concludesTurn = false;
  /** What was given to `exec.content`, unchecked; `undefined` leaves it to `render`. */
  content: unknown;
  /** False from the moment the body ended: what it says later is too late. */
  live = true;
  /** `performance.now()` when the body was entered; milliseconds. */
  readonly startedAt = performance.now();
  /** What this attempt gave; the very object that wrappers see. */
  result: ToolExecutionResult | undefined;
  /** Settles when the body has ended and the result is made. */
  ended: Promise<unknown> | undefined;

  constructor(previous: Attempt | undefined) {
    this.previous = previous;
  }
}
