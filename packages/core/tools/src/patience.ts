import type { Call } from './call.ts';

/**
 * Milliseconds that a stage may still take after the call was aborted. A listener that reacts to the signal gets its say
 * (its denial is more specific than an abort); one that hangs does not hold the call.
 */
export const ABORT_GRACE_MS = 100;

/** The stage did not answer within the grace period after an abort. */
export const gaveUp: unique symbol = Symbol('gave up waiting');

/**
 * Waits for a stage, but not for ever once the call is aborted. While a body runs it does wait: bodies are never abandoned
 * here. A late answer, or a late rejection, harms nobody.
 */
export function withPatience<T>(call: Call, work: Promise<T>): Promise<T | typeof gaveUp> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const startGrace = (): void => {
      if (isOver) return;
      timer = setTimeout(() => {
        const body = call.running?.ended;
        if (body === undefined) resolve(gaveUp);
        else void body.then(startGrace, startGrace);
      }, ABORT_GRACE_MS);
    };
    let unwatch: (() => void) | undefined;
    if (call.isAborted) startGrace();
    else unwatch = call.onAbort(startGrace);
    const stop = (): void => {
      isOver = true;
      if (timer === undefined) unwatch?.();
      else clearTimeout(timer);
    };
    work.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error: unknown) => {
        stop();
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what the stage threw goes on as it is
        reject(error);
      },
    );
  });
}
