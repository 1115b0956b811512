import { vi } from 'vitest';
import { createContext, type Context, type ContextNode, type Logger, type Notification, type Plugin, type Waterfall, type WaterfallWithPatch } from '@sluice/core-context';

export interface Clock {
  now(): number;
}

// The names are those of this package's tests alone: whatever is merged here is there for every file of the repository.
declare module '@sluice/core-context' {
  interface Services {
    hostTestClock: Clock;
    hostTestStore: { name: string };
    hostTestBound: { reader: string };
  }
  interface Hooks {
    'host-test/said': Notification<[word: string]>;
    'host-test/ask': Waterfall<[question: string], string>;
    'host-test/patched': WaterfallWithPatch<[question: string], string, { loud: boolean }>;
  }
}

export function aLogger(): Logger & { readonly [level in keyof Logger]: ReturnType<typeof vi.fn<Logger[level]>> } {
  return { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
}

/** A context whose messages are kept, so that tests are quiet and can look. */
export function aContext(graceMs?: number): { ctx: Context; logger: ReturnType<typeof aLogger> } {
  const logger = aLogger();
  return { ctx: createContext(graceMs === undefined ? { logger } : { logger, graceMs }), logger };
}

/** A plugin with only what matters in a test. */
export function aPlugin(apply: Plugin['apply'], overrides: Partial<Plugin> = {}): Plugin {
  return { name: 'sample', apply, ...overrides };
}

/** A promise that is settled from outside. */
export function aSwitch<T = void>(): { promise: Promise<T>; on(value: T): void; fail(reason: unknown): void } {
  let on!: (value: T) => void;
  let fail!: (reason: unknown) => void;
  const promise = new Promise<T>((resolve, reject) => {
    on = resolve;
    fail = reject;
  });
  return { promise, on, fail };
}

/** Lets everything happen that needs no timer. */
export async function idle(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

/** Whether a promise is settled by now. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  await idle();
  return settled;
}

/** The counts of an ended tree. */
export const EMPTY: ContextNode['counts'] = { plugins: 0, scopes: 0, services: 0, listeners: 0, contributions: 0, effects: 0, running: 0 };

/** Collects garbage; a test that measures the heap calls it before each look. */
export async function heapAfterGc(): Promise<number> {
  const { setFlagsFromString } = await import('node:v8');
  const { runInNewContext } = await import('node:vm');
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let i = 0; i < 3; i++) {
    gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}
