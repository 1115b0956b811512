/**
 * Runs something that a signal can end. The first Ctrl-C (or SIGTERM) aborts it and waits for what comes of that; the second
 * ends the process at once.
 */
export async function interruptible<T>(work: (signal: AbortSignal, wasInterrupted: () => boolean) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new Error('interrupted'));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    return await work(controller.signal, () => controller.signal.aborted);
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}
