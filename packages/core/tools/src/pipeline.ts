import type { Call } from './call.ts';
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
import { preExecute } from './stages/pre-execute.ts';
import { publish } from './stages/result.ts';
import type { ToolExecutionResult } from './types.ts';

/**
 * The pipeline, whole. A call arrives with its arguments snapshot, checked and frozen and its tool captured (call.ts); each
 * stage either passes it on or ends it, and whatever ends it goes through `finish`. Never rejects.
 */
export async function runCall(call: Call): Promise<ToolExecutionResult> {
  const early = enter(call) ?? (hasPolicy(call) ? await decide(call) : undefined);
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

/** Policy: pre-execute, guards, a person if anybody asked, guards once more. */
export async function decide(call: Call): Promise<Ended | undefined> {
  const closed = gateClosed(call);
  if (closed !== undefined) return closed;
  const decision = await preExecute(call);
  if (isEnded(decision)) return decision;
  const guards = hasGuards(call) ? runGuards(call, decision, false) : decision;
  const guarded = guards instanceof Promise ? await guards : guards;
  if (isEnded(guarded)) return guarded;
  if (guarded.ask !== undefined) {
    // Nobody is asked about a call that cannot run anyway.
    const refused = overtaken(call) ?? (await approval(call, guarded.ask.reason));
    if (refused !== undefined) return refused;
    const again = await runGuards(call, {}, true);
    if (isEnded(again)) return again;
  }
  // A gate may have gone down while the call was being decided; its guards were not there to ask.
  return overtaken(call);
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
export function finish(call: Call, { result, skipsPost }: Ended): ToolExecutionResult | Promise<ToolExecutionResult> {
  const end = (shaped: ToolExecutionResult): ToolExecutionResult => publish(call, finalizeContent(call, shaped));
  const isShaped = !skipsPost && call.ctx.listeners('tools/post-execute').length > 0;
  return isShaped ? postExecute(call, result).then(end) : end(result);
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
