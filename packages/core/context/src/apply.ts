import { asPromise, isThenable } from './async.ts';
import type { Fiber } from './fiber.ts';
import type { Cleanup, Plugin } from './types.ts';

/** Runs a plugin's `apply` in an instance, and keeps the cleanup it returns. Undefined when that is done; throws or rejects as `apply` does. */
export function applyPlugin(plugin: Plugin<never>, run: Fiber, config: unknown): Promise<void> | undefined {
  const done = run.beginStart();
  let result: unknown;
  run.isApplying = true;
  try {
    result = plugin.apply(run.host.contextOf(run), config as never);
    if (!isThenable(result)) {
      done(cleanupFrom(result, run));
      return undefined;
    }
  } catch (error) {
    done(undefined);
    throw error;
  } finally {
    run.isApplying = false;
  }
  return asPromise(result).then(
    (cleanup) => done(cleanupFrom(cleanup, run)),
    (error: unknown) => {
      done(undefined);
      throw error;
    },
  );
}

function cleanupFrom(result: unknown, run: Fiber): Cleanup | undefined {
  if (typeof result === 'function') return result as Cleanup;
  if (result !== undefined) {
    run.host.logger.warn(`core-context: ${run.title}: apply returned a value of type ${typeof result}, which is ignored; return a cleanup function or nothing`);
  }
  return undefined;
}
