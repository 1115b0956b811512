import type { Call } from '../call.ts';
import { disown } from '../disown.ts';
import { codes } from '../errors.ts';
import { aborted, fail } from '../outcome.ts';
import { gaveUp, withPatience } from '../patience.ts';
import { ended, endedByHook, type Ended } from '../pipeline-state.ts';
import { answerRecord, HookFailure, isThenable, Nonsense } from '../waterfall.ts';
import type { RegisteredGuard } from '../registry/registry.ts';
import { gateClosed } from './gate.ts';
import { isText, type Allowed } from './pre-execute.ts';

type Verdict = { kind: 'pass' } | { kind: 'deny'; reason: string; code?: string } | { kind: 'ask'; reason: string };
const PASS: Verdict = { kind: 'pass' };

/** Guards that may join while a call is being judged: one that registers another each time it is asked would never end it. */
const MAX_JOINING = 1_000;

/**
 * Checks that can only tighten. The first denial wins over everything; the first question is kept, unless the call is
 * already waved through by a person (`asked`). A guard that an earlier one registers is consulted too.
 */
export async function runGuards(call: Call, allowed: Allowed, asked: boolean): Promise<Allowed | Ended> {
  const { registry } = call.engine;
  const scope = call.ctx.scopeRef;
  let guards = registry.guards(scope);
  const most = guards.length + MAX_JOINING;
  let result = allowed;
  const consulted = new Set<RegisteredGuard>();
  for (;;) {
    const current = guards.find((each) => !consulted.has(each));
    // At this very moment: a gate that went down took its guards out of the list, and may be back before anybody looks again.
    if (current === undefined) return gateClosed(call) ?? result;
    consulted.add(current);
    const { guard } = current;
    let said: unknown;
    try {
      if (consulted.size > most) throw new Error(`${MAX_JOINING} guards were registered while this call was being judged, this one last`);
      const answer: unknown = guard(call.exec);
      said = isThenable(answer) ? await withPatience(call, Promise.resolve(answer)) : answer;
      if (said === gaveUp) return ended(aborted(call));
      const verdict = parseVerdict(said);
      if (verdict.kind === 'deny') return ended(fail(call, { code: verdict.code ?? codes.DENIED, message: verdict.reason, listener: current.plugin }));
      if (verdict.kind === 'ask' && !asked && result.ask === undefined) result = { ask: { reason: verdict.reason } };
    } catch (error) {
      disown(said);
      return endedByHook(call, new HookFailure('a guard', current.plugin, error));
    }
    guards = registry.guards(scope);
  }
}

/** @throws Nonsense for everything but a clear verdict: `null`, an empty reason, `true` and the like are no permission */
function parseVerdict(answer: unknown): Verdict {
  if (answer === undefined) return PASS;
  if (typeof answer === 'string') {
    if (answer === '') throw new Nonsense('it denied with an empty reason');
    return { kind: 'deny', reason: answer };
  }
  const { deny, ask, code } = answerRecord(answer, 'undefined, a reason, { deny } or { ask }');
  if (isText(deny)) {
    if (code !== undefined && !isText(code)) throw new Nonsense('it denied with a code that is no non-empty string');
    return code === undefined ? { kind: 'deny', reason: deny } : { kind: 'deny', reason: deny, code };
  }
  if (deny === undefined && isText(ask)) return { kind: 'ask', reason: ask };
  throw new Nonsense('its verdict is neither { deny: reason } nor { ask: reason }');
}
