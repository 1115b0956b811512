/** Waits, and says whether it could: false as soon as `signal` aborts. Leaves neither timer nor listener. */
export function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(false);
      return;
    }
    const end = (isOver: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(isOver);
    };
    const abort = (): void => {
      end(false);
    };
    const timer = setTimeout(() => {
      end(true);
    }, ms);
    signal.addEventListener('abort', abort);
  });
}
