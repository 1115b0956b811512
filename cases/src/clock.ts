import { vi } from 'vitest';

// Taken before any test fakes time: what these wait for are turns of the real event loop.
const { setImmediate: nextTurn } = globalThis;

/** Lets everything run that is due now, unhandled rejections included. */
export async function turn(): Promise<void> {
  await new Promise((resolve) => nextTurn(resolve));
}

/** What `work` gives, once fake time has run its course. Rejects when nothing is left that could end it. */
export async function settle<T>(work: Promise<T>): Promise<T> {
  const state = { isSettled: false };
  const done = (): void => {
    state.isSettled = true;
  };
  work.then(done, done);
  for (;;) {
    await turn();
    if (state.isSettled) return work;
    if (vi.getTimerCount() === 0) throw new Error('it waits for ever: nothing is left that could end it');
    await vi.advanceTimersToNextTimerAsync();
  }
}

export function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
