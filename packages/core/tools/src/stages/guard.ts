import type { Call } from '../call.ts';
import { disown } from '../disown.ts';
import { codes } from '../errors.ts';
import type { MaybePromise } from '../maybe.ts';
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
 * already waved through by a person (`asked`). A guard that an earlier one registers is consulted too. A promise only if a
 * guard takes its time.
 */
export function runGuards(call: Call, allowed: Allowed, asked: boolean): MaybePromise<Allowed | Ended> {
  return new GuardRun(call, allowed, asked).run();
}

class GuardRun {
  readonly #call: Call;
  readonly #asked: boolean;
  readonly #most: number;
  readonly #consulted: RegisteredGuard[] = [];
  /** The list as it was at first; while it is that, the next guard is the next in it. */
  readonly #atFirst: readonly RegisteredGuard[];
  #result: Allowed;

  constructor(call: Call, allowed: Allowed, asked: boolean) {
    this.#call = call;
    this.#asked = asked;
    this.#result = allowed;
    this.#atFirst = this.#guards();
    this.#most = this.#atFirst.length + MAX_JOINING;
  }

  run(): MaybePromise<Allowed | Ended> {
    for (;;) {
      const current = this.#next();
      // At this very moment: a gate that went down took its guards out of the list, and may be back before anybody looks again.
      if (current === undefined) return gateClosed(this.#call) ?? this.#result;
      this.#consulted.push(current);
      let answer: unknown;
      let isPending: boolean;
      try {
        if (this.#consulted.length > this.#most) throw new Error(`${MAX_JOINING} guards were registered while this call was being judged, this one last`);
        const { guard } = current;
        answer = guard(this.#call.exec);
        isPending = isThenable(answer);
      } catch (error) {
        return this.#failed(current, error, answer);
      }
      if (isPending) return this.#goOnAfter(current, answer);
      const end = this.#heard(current, answer);
      if (end !== undefined) return end;
    }
  }

  async #goOnAfter(current: RegisteredGuard, answer: unknown): Promise<Allowed | Ended> {
    let said: unknown;
    try {
      said = await withPatience(this.#call, Promise.resolve(answer));
    } catch (error) {
      return this.#failed(current, error, said);
    }
    if (said === gaveUp) return ended(aborted(this.#call));
    return this.#heard(current, said) ?? this.run();
  }

  /** How the call ends by this verdict, if it does. */
  #heard(current: RegisteredGuard, said: unknown): Ended | undefined {
    try {
      const verdict = parseVerdict(said);
      if (verdict.kind === 'deny') return ended(fail(this.#call, { code: verdict.code ?? codes.DENIED, message: verdict.reason, listener: current.plugin }));
      if (verdict.kind === 'ask' && !this.#asked && this.#result.ask === undefined) this.#result = { ask: { reason: verdict.reason } };
      return undefined;
    } catch (error) {
      return this.#failed(current, error, said);
    }
  }

  #failed({ plugin }: RegisteredGuard, error: unknown, said: unknown): Ended {
    disown(said);
    return endedByHook(this.#call, new HookFailure('a guard', plugin, error));
  }

  #guards(): readonly RegisteredGuard[] {
    return this.#call.engine.registry.guards(this.#call.ctx.scopeRef);
  }

  #next(): RegisteredGuard | undefined {
    const guards = this.#guards();
    if (guards === this.#atFirst) return guards[this.#consulted.length];
    const consulted = new Set(this.#consulted);
    return guards.find((each) => !consulted.has(each));
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
