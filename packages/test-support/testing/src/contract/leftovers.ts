import { deepStrictEqual } from 'node:assert/strict';

const arming = ['setTimeout', 'setInterval', 'setImmediate'] as const;
type Arm = (...args: unknown[]) => unknown;

/** Rejects when, after `use`, a timer is armed or a listener is on `process` that was not before. */
export async function leavingNothing(use: () => void | Promise<void>): Promise<void> {
  const listeners = processListeners();
  const timers = watchTimers();
  try {
    await use();
    // What was put off for a turn of the event loop gets it.
    await new Promise<void>((resolve) => { setImmediate(resolve); });
  } finally {
    timers.stop();
  }
  deepStrictEqual(timers.pending(), [], 'timers are left');
  deepStrictEqual(processListeners(), listeners, 'listeners are left on process');
}

/** Stands in for the global timer functions. Timers armed with those imported from `node:timers` are not seen. */
function watchTimers(): { pending(): string[]; stop(): void } {
  const globals = globalThis as unknown as Record<(typeof arming)[number], Arm>;
  const originals = { setTimeout: globals.setTimeout, setInterval: globals.setInterval, setImmediate: globals.setImmediate };
  const armed: { name: string; timer: unknown }[] = [];
  for (const name of arming) {
    const original = originals[name];
    const arm: Arm = (...args) => {
      const timer = original(...args);
      armed.push({ name, timer });
      return timer;
    };
    // Keeps `promisify(setTimeout)` working.
    for (const symbol of Object.getOwnPropertySymbols(original)) {
      Object.defineProperty(arm, symbol, Object.getOwnPropertyDescriptor(original, symbol) as PropertyDescriptor);
    }
    globals[name] = arm;
  }
  return {
    // Node.js marks a timer that has run or was cleared, however that was done.
    pending: () => armed.filter(({ timer }) => (timer as { _destroyed?: boolean })._destroyed !== true).map(({ name }) => name),
    stop: () => {
      Object.assign(globals, originals);
    },
  };
}

function processListeners(): Record<string, number> {
  return Object.fromEntries(process.eventNames().map((event) => [String(event), process.listenerCount(event)]));
}
