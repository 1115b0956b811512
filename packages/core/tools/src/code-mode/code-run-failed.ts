import type { CodeErrorKind } from '../services.ts';

/** A program failed. Thrown by `run_code`'s body only, so it may carry a code of core's own. */
export class CodeRunFailed extends Error {
  readonly kind: CodeErrorKind | 'unavailable';
  /** What it printed before. */
  readonly logs: readonly string[];

  constructor(kind: CodeErrorKind | 'unavailable', message: string, logs: readonly string[]) {
    super(message);
    this.kind = kind;
    this.logs = logs;
  }
}
