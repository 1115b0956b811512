/** What is there at once or later. Stages are asynchronous only where somebody takes their time. */
export type MaybePromise<T> = T | Promise<T>;

/** `next` of the value: at once if it is there at once. `T` must not be a promise itself. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
