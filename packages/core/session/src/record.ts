import { contextOf, type Context, type Notification } from '@sluice/core-context';
import type { JsonObject } from '@sluice/core-schema';
import type { ApprovalOutcome, ApprovalRequest, ToolExecution, ToolExecutionResult } from '@sluice/core-tools';
import type { NestedCallEvent, NestedResultEvent } from './events.ts';
import type { Session } from './session.ts';

// As @sluice/approval declares them; the same declaration twice is one.
declare module '@sluice/core-context' {
  interface Hooks {
    'approval/asked': Notification<[request: ApprovalRequest]>;
    'approval/decided': Notification<[request: ApprovalRequest, outcome: ApprovalOutcome]>;
  }
}

/** Writes down what happens below a model's calls in a scope, and holds bodies back until it is kept. */
export function record(ctx: Context, session: Session): void {
  // A scope further down may have a log of its own.
  const isOurs = ({ scopePath }: ToolExecution): boolean => contextOf(scopePath)?.get('session') === session;
  /** Calls between entry and result, by id; for telling whose questions are asked, and which calls a program made. */
  const live = new Map<string, ToolExecution>();
  const programs = new Set<string>();

  ctx.on('tools/code-dispatch-start', (exec) => {
    if (!isOurs(exec)) return;
    programs.add(exec.id);
    session.append('tools/code-dispatch-start', nestedCall(exec));
  });
  ctx.on('tools/code-dispatch', (exec, result) => {
    if (programs.delete(exec.id)) session.append('tools/code-dispatch', nestedResult(exec, result));
  });
  ctx.on('tools/call', (exec) => {
    if (!isOurs(exec)) return;
    live.set(exec.id, exec);
    if (exec.parentCallId !== undefined && !programs.has(exec.id)) session.append('tools/nested-call', nestedCall(exec));
  });
  ctx.on('tools/result', (exec, result) => {
    if (!live.delete(exec.id)) return;
    if (exec.parentCallId !== undefined && !programs.has(exec.id)) session.append('tools/nested-result', nestedResult(exec, result));
  });

  const isOurQuestion = ({ callId, scope }: ApprovalRequest): boolean => {
    for (const exec of live.values()) if (exec.callId === callId && exec.scopePath.join('/') === (scope ?? '')) return true;
    return false;
  };
  ctx.on('approval/asked', (request) => {
    if (!isOurQuestion(request)) return;
    const { id, callId, toolName, reason } = request;
    session.append('approval/asked', { id, callId, toolName, ...(reason === undefined ? {} : { reason }) });
  });
  ctx.on('approval/decided', (request, outcome) => {
    if (isOurQuestion(request)) session.append('approval/decided', { id: request.id, callId: request.callId, outcome: outcome as unknown as JsonObject });
  });

  // What ran must not be unknown after a crash, so a log that cannot be kept lets nothing run that changes something.
  ctx.on('tools/execute', async (exec, next) => {
    if (exec.tool?.annotations?.readOnlyHint !== true && isOurs(exec)) await session.flush();
    return next();
  });
}

function nestedCall(exec: ToolExecution): NestedCallEvent {
  const { id, callId, parentCallId = '', rootCallId, name } = exec;
  return { id, callId, parentCallId, rootCallId, name, ...(exec.arguments === undefined ? {} : { arguments: exec.arguments }) };
}

function nestedResult({ id, callId, rootCallId, name }: ToolExecution, result: ToolExecutionResult): NestedResultEvent {
  const { content, isError } = result;
  const error = result.isError ? { error: { name: result.error.info.name, code: result.error.info.code } } : {};
  return { id, callId, rootCallId, name, content, isError, ...error };
}
