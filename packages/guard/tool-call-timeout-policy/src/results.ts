import type { ToolExecution, ToolExecutionResult } from '@sluice/core-tools';
import type { ToolTimeoutError } from './tool-timeout-error.ts';

/** `late` is what the attempt gave after all; `undefined` if it has not ended. */
export function timedOut(
  { callId, name }: ToolExecution,
  { message, limitMs }: ToolTimeoutError,
  late: ToolExecutionResult | undefined,
): ToolExecutionResult {
  const hint = hintFor(late);
  return {
    isError: true,
    callId,
    name,
    // Core knows better whether a body was entered, and says so in place of `started` here.
    error: { message, hint, info: { name: 'ToolTimeoutError', code: 'TOOL_TIMEOUT', started: true, limitMs } },
    content: [{ type: 'text', text: `Error: ${message}\n${hint}` }],
    ...(late?.additionalContexts === undefined ? {} : { additionalContexts: late.additionalContexts }),
  };
}

/** The caller, or an outer wrapper, had given up before the deadline, and the body does not hear. */
export function gaveUpAfterAbort({ callId, name }: ToolExecution): ToolExecutionResult {
  const message = 'tool call aborted';
  return {
    isError: true,
    callId,
    name,
    error: { message, hint: STILL_RUNNING, info: { name: 'AbortError', code: 'ABORTED', started: true } },
    content: [{ type: 'text', text: `Error: ${message}\n${STILL_RUNNING}` }],
  };
}

const STILL_RUNNING = 'It did not stop when told to and may still be running: check for effects before trying again.';

function hintFor(late: ToolExecutionResult | undefined): string {
  if (late === undefined) return STILL_RUNNING;
  if (!late.isError) return 'It finished after the deadline, so its effects have happened: check before trying again.';
  const { info, hint } = late.error;
  if (!info.started) return 'Its time passed before it began: nothing ran.';
  // Core knows whether the body stopped when told to or ran to its end.
  if (info.code === 'ABORTED' && hint !== undefined) return hint;
  return 'It was told to stop; part of its effects may have happened. Check before trying again.';
}
