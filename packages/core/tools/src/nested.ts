import type { Attempt } from './attempt.ts';
import { Call } from './call.ts';
import { codes } from './errors.ts';
import { fail } from './outcome.ts';
import { readInput, type ReadInput } from './read-input.ts';
import { fuse, isAbortSignal } from './signal.ts';
import type { ExecuteAllOptions, ToolCallInput, ToolExecutionResult } from './types.ts';

/** A call made by a body: through the whole pipeline, in the same scope, under the body's signal and root call. */
export async function executeNested(
  parent: Call,
  attempt: Attempt,
  signal: AbortSignal,
  input: ToolCallInput,
): Promise<ToolExecutionResult> {
  const read = readInput(input, parent.engine.limits);
  if (isOver(parent, attempt)) return refused(parent, read);
  const fused = fuse(read.signal === undefined ? [signal] : [signal, read.signal]);
  try {
    return await parent.engine.run(new Call(parent.engine, parent.ctx, read, fused.signal, parent));
  } finally {
    fused.release();
  }
}

export async function executeAllNested(
  parent: Call,
  attempt: Attempt,
  signal: AbortSignal,
  inputs: readonly ToolCallInput[],
  options: ExecuteAllOptions = {},
): Promise<ToolExecutionResult[]> {
  if (isOver(parent, attempt)) return inputs.map((input) => refused(parent, readInput(input, parent.engine.limits)));
  const extra = options.signal;
  if (extra !== undefined && !isAbortSignal(extra)) throw new TypeError('core-tools: signal must be an AbortSignal');
  const fused = fuse(extra === undefined ? [signal] : [signal, extra]);
  try {
    return await parent.engine.runAll(parent.engine, parent.ctx, inputs, { ...options, signal: fused.signal }, parent);
  } finally {
    fused.release();
  }
}

function isOver(parent: Call, attempt: Attempt): boolean {
  return !attempt.live || parent.settled;
}

function refused(parent: Call, read: ReadInput): ToolExecutionResult {
  return fail(
    { exec: { callId: read.callId ?? parent.engine.mintId(), name: read.name }, started: false },
    {
      code: codes.ABORTED_BEFORE_DISPATCH,
      message: `the call "${parent.exec.callId}" that makes this nested call has settled; nothing ran`,
    },
  );
}
