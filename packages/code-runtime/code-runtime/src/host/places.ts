/** So many at once, so many more that wait in order, and no more. */
export class Places {
  #free: number;
  readonly #maxWaiting: number;
  readonly #waiting: ((place: (() => void) | 'aborted') => void)[] = [];

  constructor(places: number, maxWaiting: number) {
    this.#free = places;
    this.#maxWaiting = maxWaiting;
  }

  /** Resolves to a function that gives the place back. */
  take(signal: AbortSignal): Promise<(() => void) | 'full' | 'aborted'> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(this.#giveBack());
    }
    if (this.#waiting.length >= this.#maxWaiting) return Promise.resolve('full');
    return new Promise((resolve) => {
      const called = (place: (() => void) | 'aborted'): void => {
        signal.removeEventListener('abort', abort);
        resolve(place);
      };
      const abort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(called), 1);
        called('aborted');
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.push(called);
    });
  }

  /** Lets all who wait go on at once: there is nothing to wait for any more. */
  close(): void {
    for (const called of this.#waiting.splice(0)) called(() => undefined);
  }

  #giveBack(): () => void {
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next(this.#giveBack());
    };
  }
}
