/** Calls back after so many milliseconds on the clock, times of pause not counted. */
export class PausableTimer {
  readonly #due: () => void;
  #leftMs: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;
  #isOver = false;

  constructor(ms: number, due: () => void) {
    this.#leftMs = ms;
    this.#due = due;
    this.#start();
  }

  /** Pauses add up: it runs again when each has ended. */
  pause(): void {
    this.#pauses += 1;
    if (this.#pauses > 1 || this.#isOver) return;
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#startedAt;
  }

  resume(): void {
    if (this.#pauses === 0) return;
    this.#pauses -= 1;
    if (this.#pauses === 0 && !this.#isOver) this.#start();
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #start(): void {
    this.#startedAt = performance.now();
    this.#timer = setTimeout(this.#due, Math.max(0, this.#leftMs));
  }
}
