/** Longest delay that Node's timers keep; a longer one fires after 1 ms. Source: Node.js documentation, setTimeout. */
const MAX_DELAY_MS = 2_147_483_647;

// Taken here, so that a test that fakes time later does not fake these: a turn of the event loop is no matter of time.
const { setImmediate: nextTurn, clearImmediate: noTurn } = globalThis;

/** A one-shot timer that can be paused and started over. Any finite delay, to the millisecond of Node's timers. */
export class Deadline {
  readonly #onPassed: () => void;
  readonly #budgetMs: number;
  #remainingMs: number;
  #startedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastTurn: ReturnType<typeof nextTurn> | undefined;
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
    if (this.#timer !== undefined) this.#remainingMs -= performance.now() - this.#startedAt;
    this.#stop();
  }

  /** One too many does nothing. */
  resume(): void {
    if (this.#pauses === 0) return;
    this.#pauses -= 1;
    if (this.#pauses === 0 && !this.#over) this.#run();
  }

  /** The whole budget again, from now. */
  restart(): void {
    this.#remainingMs = this.#budgetMs;
    if (this.#pauses > 0 || this.#over) return;
    this.#stop();
    this.#run();
  }

  /** It will not pass any more. */
  cancel(): void {
    this.#over = true;
    this.#stop();
  }

  #run(): void {
    this.#startedAt = performance.now();
    const delay = Math.min(Math.ceil(Math.max(this.#remainingMs, 0)), MAX_DELAY_MS);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#remainingMs -= delay;
      if (this.#remainingMs > 0) this.#run();
      else this.#passUnlessBlocked(performance.now() - this.#startedAt - delay);
    }, delay);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    noTurn(this.#lastTurn);
    this.#timer = undefined;
    this.#lastTurn = undefined;
  }

  /**
   * A blocked event loop runs late timers before the results that came in meanwhile. One more turn lets those in, so that
   * an answer that was in time is not called late.
   */
  #passUnlessBlocked(lateMs: number): void {
    if (lateMs < 1) this.#pass();
    else this.#lastTurn = nextTurn(() => { this.#pass(); });
  }

  #pass(): void {
    this.#over = true;
    this.#onPassed();
  }
}
