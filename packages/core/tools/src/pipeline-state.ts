import type { Call } from './call.ts';
import { fail, replaceByFailure, type FailureParts } from './outcome.ts';
import { logFailure, pipelineFailed, type HookFailure } from './waterfall.ts';
import type { ToolExecutionResult } from './types.ts';

/** A call that has its result; later stages may still shape it. */
export interface Ended {
  readonly result: ToolExecutionResult;
  /** A policy or wrapper hook failed, or the caller had given up before entry: post-execute has no say. */
  readonly skipsPost: boolean;
}

export function ended(result: ToolExecutionResult): Ended {
  return { result, skipsPost: false };
}

export function endedFinally(result: ToolExecutionResult): Ended {
  return { result, skipsPost: true };
}

export function isEnded(value: object): value is Ended {
  return 'result' in value;
}

/** `PIPELINE_FAILED` naming the plugin; what earlier stages collected survives. */
export function endedByHook(call: Call, failure: HookFailure, replaced?: ToolExecutionResult): Ended {
  logFailure(call, failure);
  const parts: FailureParts = pipelineFailed(failure);
  return endedFinally(replaced === undefined ? fail(call, parts) : replaceByFailure(call, replaced, parts));
}
