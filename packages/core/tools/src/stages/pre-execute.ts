import type { Call } from '../call.ts';
import { codes } from '../errors.ts';
import type { MaybePromise } from '../maybe.ts';
import { aborted, fail } from '../outcome.ts';
import { gaveUp } from '../patience.ts';
import { ended, endedByHook, type Ended } from '../pipeline-state.ts';
import { answerRecord, Nonsense, WaterfallRun } from '../waterfall.ts';
import type { PreToolDecision } from '../types.ts';

const ALLOW: PreToolDecision = Object.freeze({ kind: 'allow' });

/** What policy lets through: with a question for a person, or without. */
export interface Allowed {
  readonly ask?: { readonly reason?: string };
}
const FREELY: Allowed = Object.freeze({});

/** Extensible policy. No listener, no opinion: allow. */
export function preExecute(call: Call): MaybePromise<Allowed | Ended> {
  const entries = call.ctx.listeners('tools/pre-execute');
  if (entries.length === 0) return FREELY;
  const waterfall = new WaterfallRun(
    'tools/pre-execute',
    entries,
    (entry, next) => entry.enter(call.exec, next),
    () => ALLOW,
    parseDecision,
  );
  return waterfall.settle<Allowed | Ended>(
    call,
    (decision) => (decision === gaveUp ? ended(aborted(call)) : decided(call, decision, waterfall.decidedBy)),
    (failure) => endedByHook(call, failure),
  );
}

function decided(call: Call, decision: PreToolDecision, decidedBy: string | undefined): Allowed | Ended {
  switch (decision.kind) {
    case 'allow':
      return FREELY;
    case 'ask':
      return { ask: decision.reason === undefined ? {} : { reason: decision.reason } };
    case 'deny':
      return ended(fail(call, { code: decision.code ?? codes.DENIED, message: decision.reason, listener: decidedBy }));
  }
}

/** Fails closed: an answer that is not exactly a decision is a failure, never a permission. Frozen, so that it stays what was parsed. */
export function parseDecision(answer: unknown): PreToolDecision {
  if (answer === ALLOW) return ALLOW;
  const { kind, reason, code } = answerRecord(answer, "{ kind: 'allow' | 'deny' | 'ask' }");
  switch (kind) {
    case 'allow':
      return ALLOW;
    case 'deny':
      if (!isText(reason)) throw new Nonsense('it denied without a reason (a non-empty string)');
      if (code !== undefined && !isText(code)) throw new Nonsense('it denied with a code that is no non-empty string');
      return Object.freeze(code === undefined ? { kind, reason } : { kind, reason, code });
    case 'ask':
      if (reason !== undefined && typeof reason !== 'string') throw new Nonsense('it asked with a reason that is no string');
      return Object.freeze(reason === undefined || reason === '' ? { kind } : { kind, reason });
    default:
      throw new Nonsense(`it answered a decision of unknown kind ${JSON.stringify(String(kind).slice(0, 40))}`);
  }
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
