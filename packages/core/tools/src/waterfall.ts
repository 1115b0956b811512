import type { ListenerEntry } from '@sluice/core-context';
import type { Call } from './call.ts';
import { disown } from './disown.ts';
import { codes } from './errors.ts';
import type { MaybePromise } from './maybe.ts';
import type { FailureParts } from './outcome.ts';
import { withPatience, type gaveUp } from './patience.ts';
import { thrownMessage } from './thrown.ts';

/** A listener, guard or wrapper threw or answered nonsense. Carries who and where; the original error goes to the logger. */
export class HookFailure extends Error {
  readonly hook: string;
  readonly plugin: string;

  constructor(hook: string, plugin: string, cause: unknown) {
    super(thrownMessage(cause), { cause });
    this.hook = hook;
    this.plugin = plugin;
  }
}

/** Thrown for an answer that is no answer; caught where the answering plugin is known. */
export class Nonsense extends Error {}

export function logFailure(call: Call, failure: HookFailure): void {
  call.ctx.logger.error(`core-tools: ${failure.hook} of plugin "${failure.plugin}" failed on call "${call.exec.callId}"`, failure.cause);
}

export function pipelineFailed(failure: HookFailure): FailureParts {
  return {
    code: codes.PIPELINE_FAILED,
    message: `${failure.hook} of plugin "${failure.plugin}" failed: ${failure.message}`,
    causeCode: foreignCode(failure.cause),
    listener: failure.plugin,
  };
}

/**
 * One run of a waterfall: the listeners as they were when the call entered the hook, first one outermost. `next` is addressed
 * by index, so calling it again runs everything inside anew. Each answer is parsed where it is given. The first failure
 * sticks: an outer listener that swallows it cannot turn it into an answer, or a broken policy would count as no policy.
 *
 * Promises are chained by hand: every async function here would cost each listener of each call three more of them. And who
 * returns the very promise that `next` gave it passes on what is inside: no promise is spent on it, nor any waiting.
 */
export class WaterfallRun<D> {
  failure: HookFailure | undefined;
  /** The plugin whose answer it is; undefined when nobody had an opinion. Who passes an answer on did not decide it. */
  decidedBy: string | undefined;
  readonly #hook: string;
  readonly #entries: readonly ListenerEntry[];
  readonly #enterListener: (entry: ListenerEntry, next: () => Promise<D>) => unknown;
  readonly #last: () => D;
  readonly #parse: (answer: unknown) => D;
  #answer: D | undefined;
  /** `#answer` as `next` hands it out, made once. */
  #handedAnswer: { readonly answer: D; readonly promise: Promise<D> } | undefined;
  #isOver = false;

  /** `enter` hands an entry the hook's arguments and `next`. */
  constructor(
    hook: string,
    entries: readonly ListenerEntry[],
    enter: (entry: ListenerEntry, next: () => Promise<D>) => unknown,
    last: () => D,
    parse: (answer: unknown) => D,
  ) {
    this.#hook = hook;
    this.#entries = entries;
    this.#enterListener = enter;
    this.#last = last;
    this.#parse = parse;
  }

  /**
   * Runs it for a call and gives what `use` makes of its answer, or `failed` of a failure, its own included. From then on a
   * `next()` runs nothing.
   */
  settle<R>(call: Call, use: (answer: D | typeof gaveUp) => R, failed: (failure: HookFailure) => R): MaybePromise<R> {
    const blame = (error: unknown): R => {
      this.#isOver = true;
      return failed(this.failure ?? new HookFailure(this.#hook, 'core-tools', error));
    };
    const finish = (answer: D | typeof gaveUp): R => {
      this.#isOver = true;
      // An answer in spite of a failure does not count.
      if (this.failure !== undefined) return failed(this.failure);
      try {
        return use(answer);
      } catch (error) {
        return blame(error);
      }
    };
    let answer: MaybePromise<D>;
    try {
      answer = this.#enter(0);
    } catch (error) {
      return blame(error);
    }
    return answer instanceof Promise ? withPatience(call, answer).then(finish, blame) : finish(answer);
  }

  /** A promise only if a listener takes its time. Rejects with, or throws, what a listener threw. */
  #enter(index: number): MaybePromise<D> {
    const entry = this.#entries[index];
    if (entry === undefined) return (this.#answer = this.#last());
    let inside: MaybePromise<D> | undefined;
    let handed: Promise<D> | undefined;
    const next = (): Promise<D> => {
      if (this.#isOver) return rejectQuietly(new Error(`core-tools: next() came after ${this.#hook} was over for this call`));
      try {
        inside = this.#enter(index + 1);
        handed = inside instanceof Promise ? inside : this.#handOut(inside);
      } catch (error) {
        inside = handed = rejectQuietly(error);
      }
      return handed;
    };
    let answer: unknown;
    try {
      answer = this.#enterListener(entry, next);
      if (!isPromise(answer)) return this.#accept(entry, answer);
    } catch (error) {
      disown(answer);
      throw this.#failed(entry, error);
    }
    if (answer === handed) {
      entry.leave();
      return inside as MaybePromise<D>;
    }
    return settleWith(
      entry,
      answer,
      (value) => this.#accept(entry, value),
      (error) => this.#failed(entry, error),
    );
  }

  #handOut(answer: D): Promise<D> {
    if (this.#handedAnswer?.answer !== answer) this.#handedAnswer = { answer, promise: Promise.resolve(answer) };
    return this.#handedAnswer.promise;
  }

  #accept(entry: ListenerEntry, answer: unknown): D {
    if (this.#answer !== undefined && answer === this.#answer) return this.#answer;
    this.#answer = this.#parse(answer);
    this.decidedBy = entry.plugin;
    return this.#answer;
  }

  #failed(entry: ListenerEntry, error: unknown): unknown {
    this.failure ??= new HookFailure(this.#hook, entry.plugin, error);
    return error;
  }
}

/**
 * What an entered listener promised, its value parsed and its failure noted; the listener has left when it settles. A listener
 * may drop the promise that `next` gave it, and a dropped rejection must not end the process; so a rejection is marked as
 * seen, at no cost to a promise that fulfils.
 */
export function settleWith<T>(
  entry: ListenerEntry,
  promise: Promise<unknown>,
  parse: (value: unknown) => T,
  note: (error: unknown) => unknown,
): Promise<T> {
  const fail = (error: unknown): never => {
    const noted = note(error);
    settled.catch(ignore);
    throw noted;
  };
  const settled: Promise<T> = promise.then(
    (value) => {
      entry.leave();
      try {
        return parse(value);
      } catch (error) {
        disown(value);
        return fail(error);
      }
    },
    (error: unknown) => {
      entry.leave();
      return fail(error);
    },
  );
  return settled;
}

export function rejectQuietly(error: unknown): Promise<never> {
  // Whatever was thrown goes on as it is.
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- see above
  const rejected = Promise.reject(error);
  rejected.catch(ignore);
  return rejected;
}

function ignore(): void {
  // Somebody else tells.
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

export function isPromise(value: unknown): value is Promise<never> {
  return value instanceof Promise;
}

/** An answer's own data as a record. @throws Nonsense */
export function answerRecord(answer: unknown, expected: string): Readonly<Record<string, unknown>> {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    throw new Nonsense(`it answered ${answer === null ? 'null' : typeof answer} instead of ${expected}`);
  }
  return answer as Readonly<Record<string, unknown>>;
}

function foreignCode(cause: unknown): string | undefined {
  try {
    const code = (cause as { code?: unknown } | null | undefined)?.code;
    return typeof code === 'string' && code !== '' ? code.slice(0, 200) : undefined;
  } catch {
    return undefined;
  }
}
