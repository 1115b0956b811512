import type { Fiber } from './fiber.ts';
import type { AsyncDisposer, Cleanup } from './types.ts';

/** Runs a setup and ties its cleanup to a fiber. */
export function runEffect(fiber: Fiber, setup: () => Cleanup | void, label: string): AsyncDisposer {
  fiber.assertOpen(`start effect "${label}"`);
  if (typeof setup !== 'function') throw new TypeError(`core-context: effect "${label}" needs a setup function, received ${typeof setup}`);
  const cleanup: unknown = setup();
  if (cleanup === undefined) return () => Promise.resolve();
  if (typeof cleanup !== 'function') throw new TypeError(`core-context: the setup of effect "${label}" must return a cleanup function or nothing, and not wait; received ${typeof cleanup}`);
  const effect = fiber.keepCleanup(label, cleanup as Cleanup);
  let ended: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    for (const error of await effect.end()) throw error;
  };
  return () => (ended ??= end());
}
