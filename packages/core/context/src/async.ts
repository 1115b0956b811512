/** A promise and the means to settle it. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  resolve!: (value: T) => void;
  reject!: (reason: unknown) => void;

  constructor() {
    this.promise = new Promise<T>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** The same, but nobody has to look at its rejection. */
  static optional<T>(): Deferred<T> {
    const deferred = new Deferred<T>();
    deferred.promise.catch(() => undefined);
    return deferred;
  }
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/**
 * A promise that settles as `thenable` does. A promise is passed through, unless somebody put members on it or made it a
 * subclass: asking it anything would run foreign code, which may throw, or call back twice.
 */
export function asPromise(thenable: PromiseLike<unknown>): Promise<unknown> {
  try {
    if (isPlainPromise(thenable)) return Promise.resolve(thenable);
  } catch {
    // A proxy that does not want to be looked at.
  }
  return new Promise((resolve) => {
    resolve(thenable);
  });
}

function isPlainPromise(value: object): boolean {
  return Object.getPrototypeOf(value) === Promise.prototype && !Object.hasOwn(value, 'then') && !Object.hasOwn(value, 'constructor');
}

/** The longest delay that timers take: 2^31 - 1 ms. A longer wait is as good as no limit. */
const MAX_DELAY_MS = 2_147_483_647;

/** Whether the promise fulfils within so many milliseconds. Rejects when it rejects in that time. */
export async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  if (ms > MAX_DELAY_MS) return promise.then(() => true);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
