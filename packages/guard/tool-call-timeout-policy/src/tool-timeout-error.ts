/** Reason of the signal that a body sees when its deadline has passed. */
export class ToolTimeoutError extends Error {
  readonly code = 'TOOL_TIMEOUT';
  /** Milliseconds. */
  readonly limitMs: number;

  constructor(limitMs: number) {
    super(`tool call timed out after ${limitMs}ms`);
    this.name = 'ToolTimeoutError';
    this.limitMs = limitMs;
  }
}
