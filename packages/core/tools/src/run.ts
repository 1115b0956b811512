import { snapshotJson } from '@sluice/core-schema';
import type { Attempt } from './attempt.ts';
import type { Call } from './call.ts';
import { checkContext } from './content.ts';
import { disown } from './disown.ts';
import { executeAllNested, executeNested } from './nested.ts';
import type { AttemptSignals } from './signal.ts';
import type { ToolProgress, ToolRun } from './types.ts';

/** The body's side of a call. Own closures, so that a body may take it apart; late use is a debug line and nothing else. */
export function createRun(call: Call, attempt: Attempt, signals: AttemptSignals): ToolRun {
  const { exec } = call;
  const isLate = (what: string): boolean => {
    if (attempt.live && !call.settled) return false;
    call.ctx.logger.debug(`core-tools: ${what} of call "${exec.callId}" came after the body or its call had ended; dropped`);
    return true;
  };
  const run: Mutable<Omit<ToolRun, 'signal'>> = {
    id: exec.id,
    callId: exec.callId,
    rootCallId: exec.rootCallId,
    name: exec.name,
    arguments: exec.arguments,
    scopePath: exec.scopePath,
    execute: (input) => executeNested(call, attempt, signals.signal, input),
    executeAll: (inputs, options) => executeAllNested(call, attempt, signals.signal, inputs, options),
    deferContext(context) {
      if (isLate('deferContext')) return;
      const checked = checkContext(context);
      if (!checked.ok) throw new TypeError(`core-tools: deferContext: ${checked.problem}`);
      attempt.contexts = [...attempt.contexts, checked.context];
    },
    concludeTurn() {
      if (!isLate('concludeTurn')) attempt.concludesTurn = true;
    },
    content(blocks) {
      if (!isLate('content')) attempt.content = blocks;
    },
    progress(progress) {
      if (!isLate('progress')) report(call, progress);
    },
  };
  if (exec.parentCallId !== undefined) run.parentCallId = exec.parentCallId;
  if (exec.argumentsText !== undefined) run.argumentsText = exec.argumentsText;
  if (exec.tool !== undefined) run.tool = exec.tool;
  return Object.freeze(signals.giveTo(run));
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const fields = { message: 'string', completed: 'number', total: 'number' } as const;

function report(call: Call, progress: ToolProgress): void {
  if (call.ctx.listeners('tools/progress').length === 0) {
    disown(progress);
    return;
  }
  const snapshot = snapshotJson(progress, call.engine.limits);
  const value = snapshot.ok ? (snapshot.value as unknown as Record<string, unknown> | null) : null;
  const isSound =
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(fields).every(([key, type]) => value[key] === undefined || typeof value[key] === type);
  if (isSound) {
    call.ctx.emit('tools/progress', call.exec, value);
    return;
  }
  disown(progress);
  call.ctx.logger.warn(`core-tools: malformed progress of call "${call.exec.callId}" dropped`);
}
