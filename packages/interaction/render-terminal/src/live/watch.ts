import type { Context, Notification } from '@sluice/core-context';
import type { ApprovalOutcome, ApprovalRequest, ToolExecution, ToolExecutionResult } from '@sluice/core-tools';
import type { Beat } from '../story/beat.ts';
import { beatsOf, type LoggedEvent } from '../story/from-session.ts';
import { sessionOf, type Cast, type Part } from './cast.ts';
import { Questions } from './questions.ts';

// As @sluice/approval declares them; the same declaration twice is one.
declare module '@sluice/core-context' {
  interface Hooks {
    'approval/asked': Notification<[request: ApprovalRequest]>;
    'approval/decided': Notification<[request: ApprovalRequest, outcome: ApprovalOutcome]>;
  }
}

export interface Audience {
  /** `isUrgent`: also while somebody else has the terminal. */
  tell(part: Part, beat: Beat, isUrgent?: boolean): void;
  /** Somebody else has the terminal from now on, or no longer. */
  lend(isLent: boolean): void;
}

/** A call between entry and result. */
interface Live {
  readonly part: Part;
  /** Its id in that story. */
  readonly id: string;
  /** Its session writes it down, so its story comes from there. */
  readonly isLogged: boolean;
}

/**
 * Turns what happens into beats. Where a session keeps a log the story is told from the log's events, so that it is the one
 * that a replay tells; everything else comes from the hooks of calls.
 */
export function watch(ctx: Context, cast: Cast, audience: Audience): void {
  const live = new Map<string, Live>();
  const questions = new Questions();
  const nowhere = cast.ofScope(ctx.scopePath);

  // The package of the session declares this hook, and need not be there.
  const onEvent = ctx.on.bind(ctx) as unknown as (hook: string, listener: (event: LoggedEvent, session: object) => void) => void;
  onEvent('session/event', (event, session) => {
    const part = cast.ofSession(session);
    for (const beat of beatsOf(event)) audience.tell(part, beat, beat.kind === 'asked' && questions.isFirst(beat.id));
  });

  ctx.on('tools/call', (exec) => {
    const session = sessionOf(exec.scopePath);
    const part = session === undefined ? cast.ofScope(exec.scopePath) : cast.ofSession(session);
    const id = session === undefined ? undefined : loggedId(exec, part, live);
    live.set(exec.id, { part, id: id ?? exec.id, isLogged: id !== undefined });
    if (id === undefined) audience.tell(part, callBeat(exec));
  });
  ctx.on('tools/progress', (exec, progress) => {
    const known = live.get(exec.id);
    if (known !== undefined) audience.tell(known.part, { kind: 'progress', id: known.id, progress });
  });
  ctx.on('tools/result', (exec, result) => {
    const known = live.get(exec.id);
    live.delete(exec.id);
    if (known === undefined || known.isLogged) return;
    audience.tell(known.part, resultBeat(known.id, result));
    // A nested call's contexts are its caller's business.
    if (exec.parentCallId !== undefined) return;
    for (const { source, content } of result.additionalContexts ?? []) audience.tell(known.part, { kind: 'context', source, content });
  });

  ctx.on('tools/hold', ({ held }) => {
    questions.hold(held);
    audience.lend(questions.isOpen);
  });
  // A question has the id of its call.
  ctx.on('approval/asked', ({ id, callId, toolName, reason }) => {
    questions.asked(id);
    audience.lend(true);
    const part = live.get(id)?.part ?? nowhere;
    if (!part.hasLog) audience.tell(part, { kind: 'asked', id, callId, toolName, reason }, questions.isFirst(id));
  });
  ctx.on('approval/decided', ({ id, callId }, outcome) => {
    questions.decided(id);
    const part = live.get(id)?.part ?? nowhere;
    if (!part.hasLog) audience.tell(part, { kind: 'decided', id, callId, outcome: { ...outcome } });
    audience.lend(questions.isOpen);
  });
}

/** Undefined for a call that no session writes down: one that was made past the loop. */
function loggedId(exec: ToolExecution, { story }: Part, live: ReadonlyMap<string, Live>): string | undefined {
  if (exec.parentCallId !== undefined) return exec.id;
  const taken = new Set([...live.values()].filter((call) => call.part.story === story).map(({ id }) => id));
  return story.openCall(exec.callId, exec.name, (id) => taken.has(id));
}

function callBeat({ id, callId, parentCallId, name, arguments: args, argumentsText }: ToolExecution): Beat {
  return { kind: 'call', id, callId, parentCallId, name, arguments: args, argumentsText };
}

function resultBeat(id: string, result: ToolExecutionResult): Beat {
  const { name, content, isError, meta } = result;
  return {
    kind: 'result',
    id,
    name,
    content,
    isError,
    ...(meta === undefined ? {} : { meta }),
    ...(result.isError ? { code: result.error.info.code, stillRunning: result.stillRunning === true } : {}),
  };
}
