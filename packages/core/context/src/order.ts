/**
 * A place in the order of listeners: compared number by number. A plugin's listeners all start with the key of the
 * plugin's one slot, so they stay where the plugin was mounted, however often it restarts.
 */
export type OrderKey = readonly number[];

/** Gives out places in order of time, all within one slot. */
export class Slots {
  readonly #prefix: OrderKey;
  #last = 0;

  constructor(prefix: OrderKey) {
    this.#prefix = prefix;
  }

  take(): OrderKey {
    return [...this.#prefix, ++this.#last];
  }

  /** A place right before one that was given out here: after everything that stands before it now, insertions of before included. */
  takeBefore(key: OrderKey): OrderKey {
    return [...key.slice(0, -1), (key.at(-1) as number) - 1, LAST, ++this.#last];
  }
}

/** Comes after every number that `take` gives out. Not Infinity, whose difference with itself is no number. */
const LAST = Number.MAX_SAFE_INTEGER;

/** The place before everything that had a place so far, in the same nesting. */
export function prepended(key: OrderKey): OrderKey {
  return key.map((part) => -part);
}

export function compareKeys(a: OrderKey, b: OrderKey): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
