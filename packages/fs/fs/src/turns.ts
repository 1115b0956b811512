/**
 * Lets changes of one file happen one after the other, in the order they were asked for; changes of different files overlap.
 * A change with several keys waits for all of them. Nothing is kept for a key that nobody uses.
 */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Keys that somebody uses now. */
  get size(): number {
    return this.#last.size;
  }

  /** Nobody uses any of them now. */
  areFree(keys: readonly string[]): boolean {
    return !keys.some((key) => this.#last.has(key));
  }

  async take<T>(keys: readonly string[], change: () => Promise<T>): Promise<T> {
    const own = new Set(keys);
    const before = [...own].flatMap((key) => this.#last.get(key) ?? []);
    let done!: () => void;
    const turn = new Promise<void>((resolve) => {
      done = resolve;
    });
    for (const key of own) this.#last.set(key, turn);
    try {
      await Promise.all(before);
      return await change();
    } finally {
      for (const key of own) if (this.#last.get(key) === turn) this.#last.delete(key);
      done();
    }
  }
}
