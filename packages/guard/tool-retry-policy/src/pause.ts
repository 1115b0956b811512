import { onAbort } from '@sluice/core-tools';

/** Waits, and says whether it could: false as soon as `signal` aborts. Leaves neither timer nor listener. */
export function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(false);
      return;
    }
    const forget = onAbort(signal, () => {
      clearTimeout(timer);
      resolve(false);
    });
    const timer = setTimeout(() => {
      forget();
      resolve(true);
    }, ms);
  });
}
