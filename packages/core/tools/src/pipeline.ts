import type { Call } from './call.ts';
import { andThen, type MaybePromise } from './maybe.ts';
import { aborted, fail } from './outcome.ts';
import { ended, endedFinally, isEnded, type Ended } from './pipeline-state.ts';
import { approval } from './stages/approval.ts';
import { body } from './stages/body.ts';
import { execute } from './stages/execute.ts';
import { finalizeContent } from './stages/finalize-content.ts';
import { gateClosed, overtaken } from './stages/gate.ts';
import { runGuards } from './stages/guard.ts';
import { lock } from './stages/lock.ts';
import { postExecute } from './stages/post-execute.ts';
import { preExecute, type Allowed } from './stages/pre-execute.ts';
import { publish } from './stages/result.ts';
import type { ToolExecutionResult } from './types.ts';

/**
 * The pipeline, whole. A call arrives with its arguments snapshot, checked and frozen and its tool captured (call.ts); each
 * stage either passes it on or ends it, and whatever ends it goes through `finish`. Never rejects.
 */
export async function runCall(call: Call): Promise<ToolExecutionResult> {
  const decided = enter(call) ?? (hasPolicy(call) ? decide(call) : undefined);
  const early = decided instanceof Promise ? await decided : decided;
  return finish(call, early ?? (await dispatch(call)));
}

/** `tools/call`, and the calls that cannot run: invalid, unknown, given up before they began. */
export function enter(call: Call): Ended | undefined {
  call.engine.live.add(call);
  call.ctx.emit('tools/call', call.exec);
  if (call.rejection !== undefined) {
    const result = call.isCollapsed && call.isAborted ? aborted(call) : fail(call, call.rejection);
    return { result, skipsPost: call.isAborted || call.isCollapsed };
  }
  return call.isAborted ? endedFinally(aborted(call)) : undefined;
}

/** Policy: pre-execute, then guards. Policy that answers at once is asked at once. */
export function decide(call: Call): MaybePromise<Ended | undefined> {
  return gateClosed(call) ?? andThen(preExecute(call), (decision) => (isEnded(decision) ? decision : guard(call, decision)));
}

/** Guards, then a person if anybody asked. */
function guard(call: Call, allowed: Allowed): MaybePromise<Ended | undefined> {
  return andThen(hasGuards(call) ? runGuards(call, allowed, false) : allowed, (guarded) => {
    if (isEnded(guarded)) return guarded;
    // A gate may have gone down while the call was being decided; its guards were not there to ask.
    return guarded.ask === undefined ? overtaken(call) : ask(call, guarded.ask.reason);
  });
}

/** A person, then guards once more. Nobody is asked about a call that cannot run anyway. */
async function ask(call: Call, reason: string | undefined): Promise<Ended | undefined> {
  const refused = overtaken(call) ?? (await approval(call, reason));
  if (refused !== undefined) return refused;
  const again = await runGuards(call, {}, true);
  return isEnded(again) ? again : overtaken(call);
}

/** Locks, then the wrappers around the body. Cancellation replaces a success, never a more specific failure. */
export async function dispatch(call: Call): Promise<Ended> {
  if (call.tool?.locks !== undefined) {
    // Waiting may have been long: what policy said still holds, but a gate may have gone down.
    const refused = (await lock(call)) ?? gateClosed(call);
    if (refused !== undefined) {
      call.releaseLocks();
      return refused;
    }
  }
  const isWrapped = call.ctx.listeners('tools/execute').length > 0;
  const done = isWrapped ? await execute(call) : ended(await body(call));
  call.leaveBody();
  const { result } = done;
  return !result.isError && call.isAborted ? ended(aborted(call, result.additionalContexts)) : done;
}

/** Every outcome's way out: post-execute, the tool's last word, `tools/result`. */
export function finish(call: Call, { result, skipsPost }: Ended): MaybePromise<ToolExecutionResult> {
  const end = (shaped: ToolExecutionResult): ToolExecutionResult => publish(call, finalizeContent(call, shaped));
  const isShaped = !skipsPost && call.ctx.listeners('tools/post-execute').length > 0;
  return isShaped ? andThen(postExecute(call, result), end) : end(result);
}

export function hasPolicy(call: Call): boolean {
  return (
    call.ctx.listeners('tools/pre-execute').length > 0 ||
    hasGuards(call) ||
    call.ctx.closedGates().length > 0
  );
}

function hasGuards(call: Call): boolean {
  return call.engine.registry.guards(call.ctx.scopeRef).length > 0;
}
