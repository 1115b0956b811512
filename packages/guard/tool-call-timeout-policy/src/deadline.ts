/** Longest delay that Node's timers keep; a longer one fires after 1 ms. Source: Node.js documentation, setTimeout. */
const MAX_DELAY_MS = 2_147_483_647;

/** A one-shot timer that can be paused and started over. Delays of any finite length. */
export class Deadline {
  readonly #onPassed: () => void;
  readonly #budgetMs: number;
  #remainingMs: number;
  #startedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pauses = 0;
  #over = false;

  /** Runs from now on. */
  constructor(budgetMs: number, onPassed: () => void) {
    this.#budgetMs = budgetMs;
    this.#remainingMs = budgetMs;
    this.#onPassed = onPassed;
    this.#run();
  }

  /** Pauses nest: two questions to a person need two answers. */
  pause(): void {
    this.#pauses += 1;
    if (this.#pauses > 1 || this.#over) return;
    clearTimeout(this.#timer);
    this.#remainingMs -= performance.now() - this.#startedAt;
  }

  resume(): void {
    if (this.#pauses === 0) return;
    this.#pauses -= 1;
    if (this.#pauses === 0) this.#run();
  }

  /** The whole budget again, from now. */
  restart(): void {
    this.#remainingMs = this.#budgetMs;
    if (this.#pauses > 0 || this.#over) return;
    clearTimeout(this.#timer);
    this.#run();
  }

  cancel(): void {
    this.#over = true;
    clearTimeout(this.#timer);
  }

  #run(): void {
    if (this.#over) return;
    this.#startedAt = performance.now();
    const delay = Math.min(Math.max(this.#remainingMs, 0), MAX_DELAY_MS);
    this.#timer = setTimeout(() => {
      this.#remainingMs -= delay;
      if (this.#remainingMs > 0) this.#run();
      else this.#pass();
    }, delay);
  }

  /**
   * A blocked event loop runs late timers before the results that came in meanwhile. One more turn lets those in, so that
   * an answer that was in time is not called late.
   */
  #pass(): void {
    setImmediate(() => {
      if (this.#over || this.#pauses > 0) return;
      this.#over = true;
      this.#onPassed();
    });
  }
}
