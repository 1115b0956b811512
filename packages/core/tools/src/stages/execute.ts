import type { ListenerEntry } from '@sluice/core-context';
import type { Call } from '../call.ts';
import { disown } from '../disown.ts';
import { codes } from '../errors.ts';
import { aborted, fail, withContexts } from '../outcome.ts';
import { gaveUp, withPatience } from '../patience.ts';
import { ended, endedByHook, type Ended } from '../pipeline-state.ts';
import { AttemptSignals, isAbortSignal } from '../signal.ts';
import { HookFailure, isPromise, Nonsense, rejectQuietly, settleWith } from '../waterfall.ts';
import type { ToolExecution, ToolExecutionResult } from '../types.ts';
import { authoredResult } from './authored-result.ts';
import { body } from './body.ts';

interface Patch {
  readonly signal?: AbortSignal;
}

/** What an inner layer is given: the call, under the signals that outer wrappers added. */
interface Inside {
  readonly exec: ToolExecution;
  readonly added: readonly AbortSignal[];
}

/**
 * Wrappers around the body. Unlike the other waterfalls, `next` takes a signal to add for everything inside, and knows about
 * attempts: no second body starts while one runs, and none after the call settled.
 */
export async function execute(call: Call): Promise<Ended> {
  const chain = new WrapperChain(call, call.ctx.listeners('tools/execute'));
  try {
    const result = await withPatience(call, chain.enter(0, { exec: call.exec, added: [] }));
    return settled(call, result === gaveUp ? unfinished(call, chain.latest) : result);
  } catch (error) {
    call.settled = true;
    const failure = chain.failure ?? new HookFailure('tools/execute', 'core-tools', error);
    const ending = endedByHook(call, failure, chain.latest);
    return chain.latest === undefined ? { ...ending, result: withContexts(ending.result, contextsSoFar(call)) } : ending;
  } finally {
    chain.release();
  }
}

/** The wrappers hang after an abort: what they have got so far stands, unless it is a success. */
function unfinished(call: Call, latest: ToolExecutionResult | undefined): ToolExecutionResult {
  return latest?.isError === true ? latest : aborted(call, latest === undefined ? contextsSoFar(call) : latest.additionalContexts);
}

/** From here on no attempt may start. A body that is still running is on its own: the failure says so. */
function settled(call: Call, result: ToolExecutionResult): Ended {
  call.settled = true;
  if (call.running === undefined || !result.isError) return ended(result);
  return ended(Object.freeze({ ...result, stillRunning: true as const }));
}

function contextsSoFar(call: Call): NonNullable<ToolExecutionResult['additionalContexts']> {
  return call.attempt?.contexts ?? [];
}

class WrapperChain {
  failure: HookFailure | undefined;
  /** What the last `next()` that was answered gave. */
  latest: ToolExecutionResult | undefined;
  readonly #call: Call;
  readonly #entries: readonly ListenerEntry[];
  #fused: AttemptSignals[] | undefined;

  constructor(call: Call, entries: readonly ListenerEntry[]) {
    this.#call = call;
    this.#entries = entries;
  }

  /** Rejects with what a wrapper threw; who it was is in `failure`. */
  enter(index: number, inside: Inside): Promise<ToolExecutionResult> {
    const call = this.#call;
    const entry = this.#entries[index];
    if (entry === undefined) {
      const attempt = body(call, inside.added);
      if (call.running !== undefined) call.running.ended ??= attempt;
      return attempt;
    }
    let latest: ToolExecutionResult | undefined;
    const accept = (answer: unknown): ToolExecutionResult => authoredResult(call, answer);
    const failed = (error: unknown): unknown => {
      // By identity, since anything may be thrown: what an outer wrapper passes on is not its own.
      if (this.failure === undefined || this.failure.cause !== error) this.failure = new HookFailure('tools/execute', entry.plugin, error);
      return error;
    };
    const remember = (result: unknown): ToolExecutionResult => (this.latest = latest = result as ToolExecutionResult);
    const next = (patch?: Patch): Promise<ToolExecutionResult> => {
      if (call.settled) return Promise.resolve(latest ?? aborted(call));
      if (call.running !== undefined) return Promise.resolve(latest?.isError === true ? latest : stillRunning(call));
      return settleWith(this.enter(index + 1, this.#patched(inside, patch)), remember, asItIs);
    };
    let answer: unknown;
    try {
      answer = entry.invoke(inside.exec, next);
      return isPromise(answer) ? settleWith(answer, accept, failed) : Promise.resolve(accept(answer));
    } catch (error) {
      disown(answer);
      return rejectQuietly(failed(error));
    }
  }

  /** Takes the chain's listeners off the signals it fused. */
  release(): void {
    for (const signals of this.#fused ?? []) signals.release();
  }

  /** Inner wrappers see the added signal too, or one that waits could not hear of an outer deadline. @throws Nonsense */
  #patched(inside: Inside, patch: Patch | undefined): Inside {
    if (patch === undefined) return inside;
    const { signal } = patch;
    if (signal === undefined) return inside;
    if (!isAbortSignal(signal)) throw new Nonsense('it passed next() a signal that is no AbortSignal');
    const { signal: outer, ...identity } = inside.exec;
    const signals = new AttemptSignals([outer, signal]);
    (this.#fused ??= []).push(signals);
    return { exec: Object.freeze(signals.giveTo(identity)), added: [...inside.added, signal] };
  }
}

function asItIs(error: unknown): unknown {
  return error;
}

/** Asked for another attempt side by side with one that runs. */
function stillRunning(call: Call): ToolExecutionResult {
  return fail(call, { code: codes.TOOL_BUSY, message: `an attempt of this call of "${call.exec.name}" is still running` });
}
