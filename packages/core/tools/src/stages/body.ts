import { Attempt } from '../attempt.ts';
import type { Call } from '../call.ts';
import { aborted, fail, FINISHED_HINT, STOPPED_HINT } from '../outcome.ts';
import { unknownTool } from '../rejection.ts';
import { createRun } from '../run.ts';
import { AttemptSignals, type SignalSource } from '../signal.ts';
import { failureOfThrown, isAbortOf } from '../thrown.ts';
import type { ToolExecutionResult } from '../types.ts';
import { validateOutput } from './validate-output.ts';

const NONE_ADDED: readonly SignalSource[] = Object.freeze([]);

/**
 * One attempt: the captured tool's body under the caller's signal and those that wrappers added. Waits for the body however
 * long it takes; a thrown error is a result like any other. Never rejects.
 */
export async function body(call: Call, added: readonly SignalSource[] = NONE_ADDED): Promise<ToolExecutionResult> {
  const { exec, tool } = call;
  if (tool === undefined || !call.isRegistered) return (call.latest = fail(call, unknownTool(exec.name, call)));
  const foreign = added.length === 0 ? added : added.filter((signal) => signal !== exec.signal);
  // One source is passed to the body as it is; the context's own signal joins only where signals are fused anyway.
  const signals = new AttemptSignals(foreign.length === 0 ? [exec.signal] : [exec.signal, call.ctx.signal, ...foreign], call.ctx.signal);
  const isAborted = (): boolean => signals.aborted || call.ctx.signal.aborted;
  if (isAborted()) return (call.latest = aborted(call));

  const attempt = new Attempt(call.attempt);
  call.attempt = attempt;
  call.running = attempt;
  call.started = true;
  let result: ToolExecutionResult;
  try {
    const run = createRun(call, attempt, signals);
    const value: unknown = await (tool.executeInside?.(exec.arguments, { call, attempt, run }) ?? tool.execute(exec.arguments, run));
    leave(call, attempt);
    const { contexts, concludesTurn } = attempt;
    result = validateOutput(call, tool, value, { attempt, contexts, concludesTurn });
    // The body may not have noticed. If its call has settled, nobody waits for its value, and what is announced is what it gave.
    if (!result.isError && isAborted() && !call.settled) result = aborted(call, contexts, FINISHED_HINT);
  } catch (thrown) {
    leave(call, attempt);
    const { contexts } = attempt;
    const stopped = isAborted() && isAbortOf(thrown, signals.signal);
    result = stopped ? aborted(call, contexts, STOPPED_HINT) : fail(call, { ...failureOfThrown(thrown), contexts });
    if (!isAborted()) call.ctx.logger.debug(`core-tools: the body of "${tool.name}" threw`, thrown);
  }
  signals.release();
  attempt.result = call.latest = result;
  if (call.settled) announceLate(call, attempt, result);
  return result;
}

/** The body has ended, before anything is said of it: what it says itself is too late now. */
function leave(call: Call, attempt: Attempt): void {
  attempt.live = false;
  call.running = undefined;
}

/** The call was settled without this body; its end frees the locks and is told, and changes nothing else. */
function announceLate(call: Call, attempt: Attempt, result: ToolExecutionResult): void {
  call.releaseLocks();
  call.engine.live.delete(call);
  const { callId, name } = call.exec;
  call.ctx.emit('tools/late', Object.freeze({ callId, name, result, elapsedMs: performance.now() - attempt.startedAt }));
}
