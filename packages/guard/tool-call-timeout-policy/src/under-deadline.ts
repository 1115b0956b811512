import type { ToolExecution, ToolExecutionResult } from '@sluice/core-tools';
import { Deadline } from './deadline.ts';
import type { DeadlinesByCall } from './deadlines-by-call.ts';
import { ToolTimeoutError } from './tool-timeout-error.ts';

export interface Limit {
  readonly ms: number;
  /** Progress starts it over. */
  readonly restarts?: boolean;
}

type Next = (patch?: { signal?: AbortSignal }) => Promise<ToolExecutionResult>;

/**
 * One attempt under its limits. The first to pass aborts the body's signal, and from then on the attempt has timed out,
 * whatever the body still says. With `graceMs`, a body that does not end in time is left behind.
 */
export async function underDeadline(
  exec: ToolExecution,
  next: Next,
  limits: readonly Limit[],
  deadlines: DeadlinesByCall,
  graceMs: number | undefined,
): Promise<ToolExecutionResult> {
  const controller = new AbortController();
  const state: { passed?: ToolTimeoutError; grace?: ReturnType<typeof setTimeout> } = {};
  let giveUp!: () => void;
  const ignored = new Promise<undefined>((resolve) => {
    giveUp = () => { resolve(undefined); };
  });
  const forget = limits.map(({ ms, restarts = false }) => {
    const deadline = new Deadline(ms, () => {
      // The caller's abort came first: whatever happens now is its doing.
      if (state.passed !== undefined || exec.signal.aborted) return;
      state.passed = new ToolTimeoutError(ms);
      controller.abort(state.passed);
      if (graceMs !== undefined) state.grace = setTimeout(giveUp, graceMs);
    });
    return deadlines.add(exec, deadline, restarts);
  });

  try {
    const attempt = next({ signal: controller.signal });
    const result = graceMs === undefined ? await attempt : await Promise.race([attempt, ignored]);
    if (state.passed !== undefined) return timedOut(exec, state.passed, result);
    return result ?? (await attempt);
  } finally {
    clearTimeout(state.grace);
    for (const each of forget) each();
  }
}

/** `late` is what the body gave after all; `undefined` if it has not ended. */
function timedOut(
  { callId, name }: ToolExecution,
  { message, limitMs }: ToolTimeoutError,
  late: ToolExecutionResult | undefined,
): ToolExecutionResult {
  const hint = hintFor(late);
  return {
    isError: true,
    callId,
    name,
    error: { message, hint, info: { name: 'ToolTimeoutError', code: 'TOOL_TIMEOUT', started: true, limitMs } },
    content: [{ type: 'text', text: `Error: ${message}\n${hint}` }],
    ...(late?.additionalContexts === undefined ? {} : { additionalContexts: late.additionalContexts }),
  };
}

function hintFor(late: ToolExecutionResult | undefined): string {
  if (late === undefined) return 'It did not stop when told to and may still be running: check for effects before trying again.';
  if (!late.isError) return 'It finished after the deadline, so its effects have happened: check before trying again.';
  if (!late.error.info.started) return 'Its time passed before it began: nothing ran.';
  return 'It was told to stop; part of its effects may have happened. Ask for less, or check before trying again.';
}
