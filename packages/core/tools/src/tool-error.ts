import type { ContentBlock } from './blocks.ts';

const brand = Symbol.for('sluice.tool-error');

export interface ToolErrorOptions {
  /** Becomes `error.info.code`, unless it is one of core's own codes: then it is `causeCode` under `TOOL_FAILED`. */
  readonly code?: string;
  /** For the model: how to do it right. */
  readonly hint?: string;
  /** What the model reads in place of the message; the first text is marked `Error: `. */
  readonly content?: readonly ContentBlock[];
  /** Another attempt with the same arguments may succeed. */
  readonly retryable?: boolean;
  /** For the logger only; never serialised. */
  readonly cause?: unknown;
}

/** Thrown by a body to fail on purpose, with words for the model. Any other throw works too and is `TOOL_FAILED`. */
export class ToolError extends Error {
  readonly code?: string;
  readonly hint?: string;
  readonly content?: readonly ContentBlock[];
  readonly retryable?: boolean;

  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'ToolError';
    if (options.code !== undefined) this.code = options.code;
    if (options.hint !== undefined) this.hint = options.hint;
    if (options.content !== undefined) this.content = options.content;
    if (options.retryable !== undefined) this.retryable = options.retryable;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** Also true for a ToolError of another copy of this package. */
export function isToolError(value: unknown): value is ToolError {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}
