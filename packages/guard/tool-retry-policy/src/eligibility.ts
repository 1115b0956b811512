import { codes, namePattern, type ToolExecution, type ToolFailure } from '@sluice/core-tools';

export interface EligibilityConfig {
  /** Names or patterns (`*`) of tools that may be repeated although they do not say so themselves. */
  readonly tools: readonly string[];
  /** Codes, a tool's own or a foreign error's, that another attempt may cure. */
  readonly codes: readonly string[];
}

/** Codes that no attempt can cure, or that are somebody's decision. Config cannot change that. */
const FINAL: ReadonlySet<string> = new Set([
  codes.INVALID_ARGS,
  codes.UNKNOWN_TOOL,
  codes.DENIED,
  codes.APPROVAL_REJECTED,
  codes.APPROVAL_CANCELLED,
  codes.APPROVAL_UNAVAILABLE,
  codes.ABORTED_BEFORE_DISPATCH,
  codes.ABORTED,
  codes.BLOCKED,
  codes.PIPELINE_FAILED,
]);

/** Whether calls of a tool may be repeated at all, and whether a failure is worth it. */
export class Eligibility {
  readonly #named: readonly ((name: string) => boolean)[];
  readonly #codes: ReadonlySet<string>;

  constructor({ tools, codes: retryable }: EligibilityConfig) {
    this.#named = tools.map(namePattern);
    this.#codes = new Set(retryable);
  }

  mayRepeat({ name, tool }: ToolExecution): boolean {
    return isHarmless(tool) || this.#named.some((matches) => matches(name));
  }

  isWorthwhile({ tool }: ToolExecution, { error: { info }, stillRunning }: ToolFailure): boolean {
    if (stillRunning === true || FINAL.has(info.code)) return false;
    // Nobody knows how far a body got that was stopped in the middle; only a harmless one may simply begin again.
    if (info.code === codes.TOOL_TIMEOUT) return isHarmless(tool);
    return info.retryable === true || this.#codes.has(info.code) || (info.causeCode !== undefined && this.#codes.has(info.causeCode));
  }
}

function isHarmless(tool: ToolExecution['tool']): boolean {
  return tool?.annotations?.idempotentHint === true || tool?.annotations?.readOnlyHint === true;
}
