import type { ListenerEntry } from '@sluice/core-context';
import type { Call } from '../call.ts';
import { codes } from '../errors.ts';
import { aborted, fail, withContexts } from '../outcome.ts';
import { gaveUp, withPatience } from '../patience.ts';
import { ended, endedByHook, type Ended } from '../pipeline-state.ts';
import { isAbortSignal } from '../signal.ts';
import { HookFailure, isPromise, Nonsense, rejectQuietly, settleWith } from '../waterfall.ts';
import type { ToolExecutionResult } from '../types.ts';
import { authoredResult } from './authored-result.ts';
import { body } from './body.ts';

interface Patch {
  readonly signal?: AbortSignal;
}

/**
 * Wrappers around the body. Unlike the other waterfalls, `next` takes a signal to add for everything inside, and knows about
 * attempts: no second body starts while one runs, and none after the call settled.
 */
export async function execute(call: Call): Promise<Ended> {
  const chain = new WrapperChain(call, call.ctx.listeners('tools/execute'));
  try {
    const result = await withPatience(call, chain.enter(0, []));
    return settled(call, result === gaveUp ? unfinished(call, chain.latest) : result);
  } catch (error) {
    call.settled = true;
    const failure = chain.failure ?? new HookFailure('tools/execute', 'core-tools', error);
    const ending = endedByHook(call, failure, chain.latest);
    return chain.latest === undefined ? { ...ending, result: withContexts(ending.result, contextsSoFar(call)) } : ending;
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

  constructor(call: Call, entries: readonly ListenerEntry[]) {
    this.#call = call;
    this.#entries = entries;
  }

  /** Rejects with what a wrapper threw; who it was is in `failure`. */
  enter(index: number, added: readonly AbortSignal[]): Promise<ToolExecutionResult> {
    const call = this.#call;
    const entry = this.#entries[index];
    if (entry === undefined) {
      const attempt = body(call, added);
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
      return settleWith(this.enter(index + 1, withSignal(added, patch)), remember, identity);
    };
    try {
      const answer = entry.invoke(call.exec, next);
      return isPromise(answer) ? settleWith(answer, accept, failed) : Promise.resolve(accept(answer));
    } catch (error) {
      return rejectQuietly(failed(error));
    }
  }
}

function identity(error: unknown): unknown {
  return error;
}

/** @throws Nonsense for a patch that is none; it fails the wrapper that gave it */
function withSignal(added: readonly AbortSignal[], patch: Patch | undefined): readonly AbortSignal[] {
  if (patch === undefined) return added;
  const { signal } = patch;
  if (signal === undefined) return added;
  if (!isAbortSignal(signal)) throw new Nonsense('it passed next() a signal that is no AbortSignal');
  return [...added, signal];
}

/** Asked for another attempt side by side with one that runs. */
function stillRunning(call: Call): ToolExecutionResult {
  return fail(call, { code: codes.TOOL_BUSY, message: `an attempt of this call of "${call.exec.name}" is still running` });
}
