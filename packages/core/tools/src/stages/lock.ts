import type { JsonValue } from '@sluice/core-schema';
import type { Call } from '../call.ts';
import { codes } from '../errors.ts';
import type { LockRequest, LockSettled } from '../locks.ts';
import { aborted, fail } from '../outcome.ts';
import { gaveUp, withPatience } from '../patience.ts';
import { ended, type Ended } from '../pipeline-state.ts';
import { checkLockKeys, type RegisteredTool } from '../registry/registered-tool.ts';

const EVERYTHING: LockRequest = Object.freeze({ read: [], write: [], everything: true });

/** The keys that a call of `tool` needs; a tool that cannot say needs everything. */
export async function lockRequest(tool: RegisteredTool, args: JsonValue): Promise<LockRequest> {
  try {
    return tool.locks === undefined ? EVERYTHING : checkLockKeys(await tool.locks(args));
  } catch {
    return EVERYTHING;
  }
}

/** Takes all keys at once, after policy and before any deadline runs. Waiting ends with the caller's patience. */
export async function lock(call: Call): Promise<undefined | Ended> {
  const { tool } = call;
  if (tool?.locks === undefined) return undefined;
  const request = await withPatience(call, (call.lockRequest ??= lockRequest(tool, call.exec.arguments as JsonValue)));
  if (request === gaveUp || call.isAborted) return ended(aborted(call));
  const answer = call.engine.locks.acquire(call, request);
  if (answer.kind !== 'wait') return take(call, answer);

  const unwatch = call.onAbort(answer.cancel);
  const withdrawn = new Promise<undefined>((resolve) => {
    call.onAbort(() => { resolve(undefined); });
  });
  const settled = await Promise.race([answer.settled, withdrawn]);
  unwatch();
  return settled === undefined ? ended(aborted(call)) : take(call, settled);
}

function take(call: Call, answer: LockSettled): undefined | Ended {
  if (answer.kind === 'granted') {
    call.holdLocks(answer.release);
    return undefined;
  }
  const { name, callId } = answer.holder.exec;
  const why = answer.deadlock
    ? `it waits for what this call holds (call "${callId}" of "${name}")`
    : `the body of call "${callId}" of "${name}" is still running after its call settled`;
  return ended(
    fail(call, {
      code: codes.TOOL_BUSY,
      message: `tool "${call.exec.name}" needs what is in use: ${why}`,
      hint: 'Nothing ran. Try again later, or work on something else first.',
    }),
  );
}
