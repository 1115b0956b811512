import type { Disposer } from '@sluice/core-context';
import { isLazyAbortController, type LazyAbortController } from './lazy-abort-controller.ts';

/** Something an attempt can be under: a signal, or what becomes one when it is read. */
export type SignalSource = AbortSignal | LazyAbortController;

/**
 * One native listener per signal, however many of ours wait on it: Node warns about a leak from eleven on, and adding and
 * removing one costs more than a small call. The listener goes when the last watcher goes.
 */
const watched = new WeakMap<AbortSignal, { watchers: Set<() => void>; run: () => void }>();

/**
 * Calls `watcher` once when `signal` aborts. Must not be aborted yet. The disposer is idempotent. `keep` leaves the one
 * native listener on a signal of our own, for the next call.
 */
export function onAbort(signal: AbortSignal, watcher: () => void, keep = false): Disposer {
  let entry = watched.get(signal);
  if (entry === undefined) {
    const watchers = new Set<() => void>();
    const run = (): void => {
      watched.delete(signal);
      for (const each of watchers) each();
    };
    entry = { watchers, run };
    watched.set(signal, entry);
    signal.addEventListener('abort', run, { once: true });
  }
  const { watchers, run } = entry;
  // A fresh closure, so that the same function may watch twice.
  const own = (): void => {
    watcher();
  };
  watchers.add(own);
  return () => {
    if (watchers.delete(own) && !keep && watchers.size === 0 && watched.get(signal)?.watchers === watchers) {
      watched.delete(signal);
      signal.removeEventListener('abort', run);
    }
  };
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
  const disposers: Disposer[] = [];
  const release = (): void => {
    for (const dispose of disposers.splice(0)) dispose();
  };
  for (const source of distinct) {
    disposers.push(
      onAbort(
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
    Object.defineProperty(run, signalsOf, { value: this });
    // One getter for all runs: with a closure each, every call would make a hidden class of its own.
    return Object.defineProperty(run, 'signal', lazySignal) as T & { readonly signal: AbortSignal };
  }
}

const signalsOf = Symbol('signals');
const lazySignal = {
  enumerable: true,
  get(this: { [signalsOf]: AttemptSignals }): AbortSignal {
    return this[signalsOf].signal;
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
