import type { Disposer } from '@sluice/core-context';
import { isLazyAbortController, type LazyAbortController } from './lazy-abort-controller.ts';

/** Something an attempt can be under: a signal, or what becomes one when it is read. */
export type SignalSource = AbortSignal | LazyAbortController;

/** One of those who wait on a signal. */
export interface Watch {
  /** Idempotent. */
  stop(): void;
}

/** A signal with its one native listener, and who waits on it, as a ring: coming and going costs one object. */
class Watched {
  readonly first = new Watcher(this, undefined, true);
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#run, { once: true });
  }

  readonly #run = (): void => {
    watched.delete(this.#signal);
    const { first } = this;
    // Each is taken out before it is called: it may take out others, or add some that are for nobody any more.
    for (let each = first.next; each !== first; each = first.next) {
      each.unlink();
      each.callback?.();
    }
  };

  release(): void {
    if (this.first.next !== this.first || watched.get(this.#signal) !== this) return;
    watched.delete(this.#signal);
    this.#signal.removeEventListener('abort', this.#run);
  }
}

class Watcher implements Watch {
  readonly callback: (() => void) | undefined;
  next: Watcher = this;
  #previous: Watcher = this;
  readonly #of: Watched;
  readonly #keeps: boolean;

  constructor(of: Watched, callback: (() => void) | undefined, keeps: boolean) {
    this.#of = of;
    this.callback = callback;
    this.#keeps = keeps;
  }

  linkBefore(other: Watcher): void {
    this.next = other;
    this.#previous = other.#previous;
    other.#previous.next = this;
    other.#previous = this;
  }

  unlink(): boolean {
    if (this.next === this) return false;
    this.#previous.next = this.next;
    this.next.#previous = this.#previous;
    this.next = this.#previous = this;
    return true;
  }

  stop(): void {
    if (this.unlink() && !this.#keeps) this.#of.release();
  }
}

/**
 * One native listener per signal, however many of ours wait on it: Node warns about a leak from eleven on, and adding and
 * removing one costs more than a small call. The listener goes when the last watcher goes.
 */
const watched = new WeakMap<AbortSignal, Watched>();

/**
 * Calls `callback` once when `signal` aborts. Must not be aborted yet. `keep` leaves the one native listener on a signal of
 * our own, for the next call.
 */
export function watch(signal: AbortSignal, callback: () => void, keep = false): Watch {
  let of = watched.get(signal);
  if (of === undefined) watched.set(signal, (of = new Watched(signal)));
  const watcher = new Watcher(of, callback, keep);
  watcher.linkBefore(of.first);
  return watcher;
}

/**
 * Calls `callback` once when `signal` aborts. Must not be aborted yet. However many wait on a signal, it has one native
 * listener, gone with the last of them. The disposer is idempotent.
 */
export function onAbort(signal: AbortSignal, callback: () => void): Disposer {
  const one = watch(signal, callback);
  return () => { one.stop(); };
}

export interface Fused {
  readonly signal: AbortSignal;
  /** Takes the listeners off the sources. Idempotent. */
  release(): void;
}

const nothing = (): void => undefined;

/**
 * A signal that aborts with the first of `sources`, with that source's reason; among those aborted already, the last named
 * wins. One distinct source is passed through as it is. Not `AbortSignal.any`: on Node 22 that leaks per call on a
 * long-lived signal (decision 0004). On the source named `kept`, a long-lived one of our own, the one native listener stays.
 */
export function fuse(sources: readonly AbortSignal[], kept?: AbortSignal): Fused {
  const distinct = new Set(sources);
  if (distinct.size === 1) return { signal: sources[0] as AbortSignal, release: nothing };
  const controller = new AbortController();
  const already = sources.findLast((source) => source.aborted);
  if (already !== undefined) {
    controller.abort(already.reason);
    return { signal: controller.signal, release: nothing };
  }
  const watches: Watch[] = [];
  const release = (): void => {
    for (const each of watches.splice(0)) each.stop();
  };
  for (const source of distinct) {
    watches.push(
      watch(
        source,
        () => {
          release();
          controller.abort(source.reason);
        },
        source === kept,
      ),
    );
  }
  return { signal: controller.signal, release };
}

/** The signals that one attempt is under; fused into one when somebody asks for it. */
export class AttemptSignals {
  readonly #sources: readonly SignalSource[];
  readonly #kept: AbortSignal | undefined;
  #fused: Fused | undefined;
  #isReleased = false;

  /** Outermost first; at least one. `kept` as for `fuse`. */
  constructor(sources: readonly SignalSource[], kept?: AbortSignal) {
    this.#sources = sources;
    this.#kept = kept;
  }

  get signal(): AbortSignal {
    if (this.#fused === undefined) {
      this.#fused = fuse(this.#sources.map((source) => (isLazyAbortController(source) ? source.signal : source)), this.#kept);
      // Whoever looks only now must not leave a listener behind that nobody would take off.
      if (this.#isReleased) this.#fused.release();
    }
    return this.#fused.signal;
  }

  get aborted(): boolean {
    for (const source of this.#sources) if (source.aborted) return true;
    return false;
  }

  /** The attempt is over. */
  release(): void {
    this.#isReleased = true;
    this.#fused?.release();
  }

  /**
   * Gives `run` an own `signal`: the only source, or one that is made when first read. Most bodies never look, and a
   * controller costs as much as the rest of a small call.
   */
  giveTo<T extends object>(run: T): T & { readonly signal: AbortSignal } {
    const only = this.#sources.length === 1 ? this.#sources[0] : undefined;
    if (only !== undefined && !isLazyAbortController(only)) return Object.assign(run, { signal: only });
    new SignalsOf(run, this);
    // One getter for all runs: with a closure each, every call would make a hidden class of its own.
    return Object.defineProperty(run, 'signal', lazySignal) as T & { readonly signal: AbortSignal };
  }
}

// eslint-disable-next-line @typescript-eslint/no-extraneous-class -- only to be extended
class Itself {
  constructor(object: object) {
    // Makes the constructor of a subclass put its private field on this very object.
    return object;
  }
}

/** Signals as a private field of a run: seen by nobody, and half the price of a hidden property or a weak map. */
class SignalsOf extends Itself {
  readonly #signals: AttemptSignals;

  constructor(run: object, signals: AttemptSignals) {
    super(run);
    this.#signals = signals;
  }

  static get(run: SignalsOf): AttemptSignals {
    return run.#signals;
  }
}

const lazySignal = {
  enumerable: true,
  get(this: SignalsOf): AbortSignal {
    return SignalsOf.get(this).signal;
  },
};

/** What `next({ signal })` takes. Never throws, whatever the value does. */
export function isSignalSource(value: unknown): value is SignalSource {
  return isAbortSignal(value) || isLazyAbortController(value);
}

/** Never throws, whatever the value does. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  try {
    // Another realm's signal (a test environment's, say) is as good if it behaves like one; one of ours that does not is none.
    return (
      typeof value === 'object' &&
      value !== null &&
      (value instanceof AbortSignal || Object.prototype.toString.call(value) === '[object AbortSignal]') &&
      typeof (value as AbortSignal).aborted === 'boolean' &&
      typeof (value as AbortSignal).addEventListener === 'function' &&
      typeof (value as AbortSignal).removeEventListener === 'function'
    );
  } catch {
    return false;
  }
}
