import type { Context } from '@sluice/core-context';
import { FsError, fsCodes, isFsError, throwIfCancelled, type FsCode } from './errors.ts';
import type { FsDecision, FsEditIntent, FsWriteIntent } from './events.ts';
import type { FsPrecondition } from './types.ts';

const ALLOW: FsDecision = Object.freeze({ kind: 'allow' });

/**
 * A policy that is mounted and not ready has not said yes.
 *
 * @throws FsError `FS_DENIED`
 */
export function assertGatesOpen(ctx: Context, path: string, operation: string): void {
  const [gate] = ctx.closedGates();
  if (gate === undefined) return;
  throw new FsError('FS_DENIED', path, { operation, detail: `may not be changed while the policy "${gate}" is not ready`, hint: 'Nothing was changed. Try again in a moment.' });
}

/**
 * Asks the policies in view of a scope. Resolves with the precondition that the change is allowed under.
 *
 * @throws FsError with the policy's own code, or `FS_DENIED`; also when a policy throws or answers nonsense
 */
export async function permission(
  ctx: Context,
  hook: 'fs/write-intent' | 'fs/edit-intent',
  operation: string,
  intent: FsWriteIntent | FsEditIntent,
): Promise<FsPrecondition | undefined> {
  const { path, ifVersion } = intent;
  let answer: unknown;
  try {
    const asked = ctx.waterfall(hook as 'fs/write-intent', [Object.freeze(intent) as FsWriteIntent], () => ALLOW);
    answer = await unlessAborted(asked, intent.signal);
    throwIfCancelled(intent.signal, path, operation);
  } catch (cause) {
    if (isFsError(cause)) throw cause;
    ctx.logger.error(`fs: a listener on ${hook} failed, so that ${operation} "${path}" is denied`, cause);
    throw denied(path, operation, 'may not be changed: the policy for it failed', undefined, undefined, cause);
  }
  const decision = parse(answer);
  if (decision === undefined) {
    ctx.logger.error(`fs: a listener on ${hook} answered nonsense, so that ${operation} "${path}" is denied`, answer);
    throw denied(path, operation, 'may not be changed: the policy for it failed', undefined, undefined, undefined);
  }
  if (decision.kind === 'deny') throw denied(path, operation, decision.reason, decision.code, decision.hint, undefined);
  const narrowed = decision.ifVersion;
  if (narrowed === undefined || narrowed === ifVersion) return ifVersion;
  // Both have to hold, and they cannot.
  if (ifVersion !== undefined) throw new FsError('FS_STALE', path, { operation });
  return narrowed;
}

/** Does not wait for a policy that takes no notice of the signal. */
function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (signal === undefined) return answer;
  return new Promise((resolve, reject) => {
    const abort = (): void => { resolve(undefined); };
    signal.addEventListener('abort', abort, { once: true });
    answer.then(resolve, reject).finally(() => { signal.removeEventListener('abort', abort); });
  });
}

function denied(path: string, operation: string, detail: string, code: FsCode = 'FS_DENIED', hint: string | undefined, cause: unknown): FsError {
  return new FsError(code, path, { operation, detail, ...(hint === undefined ? {} : { hint }), ...(cause === undefined ? {} : { cause }) });
}

/** Fails closed: what is not exactly a decision is none. */
function parse(answer: unknown): FsDecision | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  try {
    const { kind, reason, code, hint, ifVersion } = answer as Readonly<Record<string, unknown>>;
    if (kind === 'allow') {
      if (ifVersion === undefined) return ALLOW;
      return ifVersion === null || typeof ifVersion === 'string' ? { kind, ifVersion } : undefined;
    }
    if (kind !== 'deny' || typeof reason !== 'string' || reason === '') return undefined;
    const known = typeof code === 'string' && Object.hasOwn(fsCodes, code) ? { code: code as FsCode } : {};
    return { kind, reason, ...known, ...(typeof hint === 'string' ? { hint } : {}) };
  } catch {
    return undefined;
  }
}
