import type { ListenerEntry } from '@sluice/core-context';
import type { Call } from '../call.ts';
import { disown } from '../disown.ts';
import { codes } from '../errors.ts';
import { aborted, fail, withContexts } from '../outcome.ts';
import { gaveUp, withPatience } from '../patience.ts';
import { ended, endedByHook, type Ended } from '../pipeline-state.ts';
import { AttemptSignals, isSignalSource, type SignalSource } from '../signal.ts';
import { HookFailure, isPromise, Nonsense, rejectQuietly, settleWith } from '../waterfall.ts';
import type { ToolExecution, ToolExecutionResult } from '../types.ts';
import { authoredResult } from './authored-result.ts';
import { body } from './body.ts';

interface Patch {
  readonly signal?: SignalSource;
}

/** What an inner layer is given: the call, under the signals that outer wrappers added. */
interface Inside {
  readonly exec: ToolExecution;
  readonly added: readonly SignalSource[];
}

/**
 * Wrappers around the body. Unlike the other waterfalls, `next` takes a signal to add for everything inside, and knows about
 * attempts: no second body starts while one runs, and none after the call settled.
 */
export async function execute(call: Call): Promise<Ended> {
  const chain = new WrapperChain(call, call.ctx.listeners('tools/execute'));
  try {
    const work = chain.enter(0, { exec: call.exec, added: [] });
    const result = await (chain.isAttempt(work) ? work : withPatience(call, work));
    return settled(call, result === gaveUp ? unfinished(call, call.latest) : result);
  } catch (error) {
    call.settled = true;
    const failure = chain.failure ?? new HookFailure('tools/execute', 'core-tools', error);
    const ending = endedByHook(call, failure, call.latest);
    return call.latest === undefined ? { ...ending, result: withContexts(ending.result, contextsSoFar(call)) } : ending;
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
  readonly #call: Call;
  readonly #entries: readonly ListenerEntry[];
  #attempt: Promise<ToolExecutionResult> | undefined;
  #fused: AttemptSignals[] | undefined;

  constructor(call: Call, entries: readonly ListenerEntry[]) {
    this.#call = call;
    this.#entries = entries;
  }

  /** Whether this is the body's own promise: everybody passed it on, so nobody but the body is waited for. */
  isAttempt(promise: Promise<ToolExecutionResult>): boolean {
    return promise === this.#attempt;
  }

  /** Rejects with what a wrapper threw; who it was is in `failure`. */
  enter(index: number, inside: Inside): Promise<ToolExecutionResult> {
    const call = this.#call;
    const entry = this.#entries[index];
    if (entry === undefined) {
      const attempt = body(call, inside.added);
      if (call.running !== undefined) call.running.ended ??= attempt;
      return (this.#attempt = attempt);
    }
    const accept = (answer: unknown): ToolExecutionResult => (call.latest = authoredResult(call, answer));
    const failed = (error: unknown): unknown => {
      // By identity, since anything may be thrown: what an outer wrapper passes on is not its own.
      if (this.failure === undefined || this.failure.cause !== error) this.failure = new HookFailure('tools/execute', entry.plugin, error);
      return error;
    };
    let handed: Promise<ToolExecutionResult> | undefined;
    const next = (patch?: Patch): Promise<ToolExecutionResult> => {
      if (call.settled) return Promise.resolve(call.latest ?? aborted(call));
      if (call.running !== undefined) return Promise.resolve(call.latest?.isError === true ? call.latest : stillRunning(call));
      return (handed = this.enter(index + 1, this.#patched(index + 1, inside, patch)));
    };
    let answer: unknown;
    try {
      answer = entry.enter(inside.exec, next);
      if (!isPromise(answer)) return Promise.resolve(accept(answer));
    } catch (error) {
      disown(answer);
      return rejectQuietly(failed(error));
    }
    if (answer === handed) {
      entry.leave();
      return handed;
    }
    return settleWith(entry, answer, accept, failed);
  }

  /** Takes the chain's listeners off the signals it fused. */
  release(): void {
    for (const signals of this.#fused ?? []) signals.release();
  }

  /** Inner wrappers see the added signal too, or one that waits could not hear of an outer deadline. @throws Nonsense */
  #patched(index: number, inside: Inside, patch: Patch | undefined): Inside {
    if (patch === undefined) return inside;
    const { signal } = patch;
    if (signal === undefined) return inside;
    if (!isSignalSource(signal)) throw new Nonsense('it passed next() a signal that is no AbortSignal');
    const added = [...inside.added, signal];
    // The body makes its own.
    if (index === this.#entries.length) return { exec: inside.exec, added };
    const { signal: outer, ...identity } = this.#call.exec;
    const signals = new AttemptSignals([outer, ...added]);
    (this.#fused ??= []).push(signals);
    return { exec: Object.freeze(signals.giveTo(identity)), added };
  }
}

/** Asked for another attempt side by side with one that runs. */
function stillRunning(call: Call): ToolExecutionResult {
  return fail(call, { code: codes.TOOL_BUSY, message: `an attempt of this call of "${call.exec.name}" is still running` });
}
