import { LazyAbortController, type ToolExecution, type ToolExecutionResult } from '@sluice/core-tools';
import type { Attempts } from './attempts.ts';
import { Deadline } from './deadline.ts';
import { gaveUpAfterAbort, timedOut } from './results.ts';
import { ToolTimeoutError } from './tool-timeout-error.ts';

/** Milliseconds, and whether progress starts them over. */
export interface Budget {
  readonly ms: number;
  readonly restarts: boolean;
}

type Next = (patch?: { signal?: LazyAbortController }) => Promise<ToolExecutionResult>;

/**
 * One attempt within its budgets. The first to run out aborts the body's signal, and from then on the attempt has timed out,
 * whatever the body still says. With `graceMs`, a body that does not end in time is left behind.
 */
// Chained by hand: as an async function it would cost each call two promises more.
export function underDeadline(
  exec: ToolExecution,
  next: Next,
  budgets: readonly Budget[],
  attempts: Attempts,
  graceMs: number | undefined,
): Promise<ToolExecutionResult> {
  const controller = new LazyAbortController();
  const state: { timeout?: ToolTimeoutError; grace?: Deadline; giveUp?: () => void } = {};
  const pass = (ms: number): void => {
    if (state.timeout !== undefined) return;
    // After an abort by the caller or an outer wrapper, what happens is their doing. A body that does not listen is not waited
    // for any longer either.
    if (!exec.signal.aborted) {
      state.timeout = new ToolTimeoutError(ms);
      controller.abort(state.timeout);
    }
    if (graceMs !== undefined) state.grace ??= new Deadline(graceMs, () => state.giveUp?.());
  };
  const limits = budgets.map(({ ms, restarts }) => ({ restarts, deadline: new Deadline(ms, () => { pass(ms); }) }));
  const forget = attempts.add(exec, limits);
  const end = (): void => {
    state.grace?.cancel();
    forget();
  };

  const attempt = next({ signal: controller });
  const ended = graceMs === undefined ? attempt : Promise.race([attempt, ignored(state)]);
  return ended.then(
    (result) => {
      end();
      if (state.timeout !== undefined) return timedOut(exec, state.timeout, result);
      return result ?? gaveUpAfterAbort(exec);
    },
    (error: unknown) => {
      end();
      throw error;
    },
  );
}

/** Fulfils when the grace period after the deadline has passed, too. */
function ignored(state: { giveUp?: () => void }): Promise<undefined> {
  return new Promise((resolve) => {
    state.giveUp = () => { resolve(undefined); };
  });
}
