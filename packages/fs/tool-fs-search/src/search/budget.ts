/** Turns of the event loop are given back after so long. */
const SLICE_MS = 12;

/** What one search may take. `end` must be called. */
export class Budget {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #abort: () => void;
  #sliceBegan = performance.now();
  #isOver = false;

  constructor(ms: number, caller: AbortSignal) {
    this.#caller = caller;
    this.#abort = () => { this.#controller.abort(caller.reason); };
    caller.addEventListener('abort', this.#abort, { once: true });
    if (caller.aborted) this.#abort();
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#controller.abort(new DOMException('the time for the search is up', 'TimeoutError'));
    }, ms);
  }

  /** The caller's, or that the time is up. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The time is up, and the caller has not aborted: what has been found is worth giving. */
  get isOver(): boolean {
    return this.#isOver && !this.#caller.aborted;
  }

  /** To be asked often: lets others have their turn from time to time. Rejects when the caller has aborted or the time is up. */
  breathe(): Promise<void> | undefined {
    if (performance.now() - this.#sliceBegan < SLICE_MS) return undefined;
    return this.#pause();
  }

  async #pause(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#sliceBegan = performance.now();
    this.signal.throwIfAborted();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#caller.removeEventListener('abort', this.#abort);
  }
}
