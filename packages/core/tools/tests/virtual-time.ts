import { vi } from 'vitest';

/** Fakes timeouts only, so that `drain` can tell when nothing is left to happen. Undone after each test. */
export function useVirtualTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
}

/** Lets every microtask run that is due now, and those that they lead to. */
export async function flush(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}

/** Microtasks, then the earliest timer, and so on until there are none. Much faster than `vi.runAllTimersAsync`. */
export async function drain(): Promise<void> {
  for (;;) {
    await flush();
    if (vi.getTimerCount() === 0) return;
    vi.advanceTimersToNextTimer();
  }
}

/** Lets `ms` pass, timers in between included. */
export async function pass(ms: number): Promise<void> {
  await flush();
  await vi.advanceTimersByTimeAsync(ms);
  await flush();
}

/** What `work` gives, once time has run its course. A wait that nothing can end fails at once, instead of by a test's timeout. */
export async function settle<T>(work: Promise<T>): Promise<T> {
  const settled = { yet: false };
  const done = (): void => {
    settled.yet = true;
  };
  work.then(done, done);
  await drain();
  if (!settled.yet) throw new Error('it waits for ever: no timer and no microtask is left that could end it');
  return work;
}

/** Timeouts of the faked kind; 0 or less is no wait at all. */
export async function sleep(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits for so many microtasks: the finest way to put two things in a different order. */
export async function ticks(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await Promise.resolve();
}
