import { messageOf } from './errors.ts';
import type { ListenerEntry, Logger } from './types.ts';

/** Tells each listener in order. What one throws or rejects with is logged and reaches nobody else. */
export function notify(chain: readonly ListenerEntry[], hook: string, args: readonly unknown[], logger: Logger): void {
  // eslint-disable-next-line @typescript-eslint/prefer-for-of -- an iterator would be an object per call, on a path that every call of a tool takes
  for (let index = 0; index < chain.length; index++) {
    const entry = chain[index] as ListenerEntry;
    try {
      const result = entry.invoke(...args);
      if (result instanceof Promise) result.catch((error: unknown) => report(entry, hook, error, logger));
    } catch (error) {
      report(entry, hook, error, logger);
    }
  }
}

function report(entry: ListenerEntry, hook: string, error: unknown, logger: Logger): void {
  logger.error(`core-context: plugin "${entry.plugin}": its listener on "${hook}" failed: ${messageOf(error)}`, error);
}
