import { Deferred, within } from './async.ts';
import { DisposeError, messageOf } from './errors.ts';
import { DRAIN_MS, type Fiber } from './fiber.ts';
import type { Host } from './host.ts';
import type { Mount } from './mount.ts';
import { NO_ERRORS, type Ending } from './owned.ts';

/** Ends a plugin. Twice is the same promise. */
export function disposeMount(mount: Mount): Promise<void> {
  if (mount.disposal !== undefined) return unlessOnStack([...mount.runs], mount.disposal);
  const disposal = new Deferred<void>();
  mount.disposal = disposal.promise;
  const runs = [...mount.runs];
  mount.close();
  settle(disposal, endUnlessStuck(mount.title, mount.host, runs, mount.end()));
  return disposal.promise;
}

/** Ends what a context belongs to: its scope, or its plugin. */
export function disposeFiber(fiber: Fiber): Promise<void> {
  const { mount, title, host } = fiber;
  if (mount === undefined) return disposeScope(fiber);
  if (fiber.state === 'open' || mount.isDisposed) return disposeMount(mount);
  // An instance that was replaced must not end the one that runs now. What goes wrong in its end is told by the plugin.
  const ending = fiber.end();
  return endUnlessStuck(title, host, [fiber], ending instanceof Promise ? ending.then(() => NO_ERRORS) : NO_ERRORS);
}

/** Ends a scope or the root: waits at most `graceMs`, for whatever it is. Twice is the same promise. */
function disposeScope(fiber: Fiber): Promise<void> {
  if (fiber.disposal !== undefined) return unlessOnStack([fiber], fiber.disposal);
  const disposal = new Deferred<void>();
  fiber.disposal = disposal.promise;
  fiber.close();
  settle(disposal, endWithGrace(fiber, fiber.end()));
  return disposal.promise;
}

/**
 * Waits for an ending, but at most {@link DRAIN_MS} for what is in flight, since whoever waits may be in flight itself.
 * What then remains goes on in the background, and cleanups still wait for it.
 */
export async function endUnlessStuck(title: string, host: Host, fibers: readonly Fiber[], ending: Ending): Promise<void> {
  await see(title, host, fibers, ending, async (involved) => {
    const pending = involved.flatMap((fiber) => waitsOf(fiber));
    if (pending.length === 0 || (await within(DRAIN_MS, Promise.all(pending)))) return true;
    host.logger.warn(`core-context: ${title} is disposed but still draining: ${describe(involved)}; its cleanups run after that`);
    return false;
  });
}

async function endWithGrace(fiber: Fiber, ending: Ending): Promise<void> {
  const { title, host } = fiber;
  await see(title, host, [fiber], ending, async () => {
    if (await within(host.graceMs, Promise.resolve(ending))) return true;
    host.logger.warn(`core-context: ${title} is disposed, but after ${host.graceMs} ms there still runs: ${describe(involvedIn([fiber]))}`);
    return false;
  });
}

/** Waits for an ending, or leaves it to the background: when it would wait for its own caller, or `isWorthWaiting` says so. */
async function see(
  title: string, host: Host, fibers: readonly Fiber[], ending: Ending, isWorthWaiting: (involved: readonly Fiber[]) => Promise<boolean>,
): Promise<void> {
  if (ending instanceof Promise) {
    const involved = involvedIn(fibers);
    if (involved.some(isOnStack) || !(await isWorthWaiting(involved))) {
      void ending.then((errors) => {
        for (const error of errors) host.logger.error(`core-context: ${title}: a cleanup failed: ${messageOf(error)}`, error);
      });
      return;
    }
  }
  const errors = await ending;
  if (errors.length > 0) throw new DisposeError(title, errors);
}

/** Asked again from inside what is being ended, there is nothing to wait for but the asker. */
function unlessOnStack(fibers: readonly Fiber[], disposal: Promise<void>): Promise<void> {
  return involvedIn(fibers).some(isOnStack) ? Promise.resolve() : disposal;
}

function settle(disposal: Deferred<void>, outcome: Promise<void>): void {
  outcome.then(disposal.resolve, disposal.reject);
}

/** The fibers that an ending has to wait for: those inside, and those that stand on services provided inside. */
function involvedIn(fibers: readonly Fiber[]): Fiber[] {
  const involved = new Set<Fiber>();
  const add = (fiber: Fiber): void => {
    for (const inside of fiber.tree()) {
      if (involved.has(inside)) continue;
      involved.add(inside);
      for (const entry of inside.provided) for (const user of entry.users) add(user);
    }
  };
  fibers.forEach(add);
  return [...involved];
}

function isOnStack(fiber: Fiber): boolean {
  if (fiber.isApplying || fiber.drain?.isOnStack === true) return true;
  for (const item of fiber.owned) if (item.kind === 'effect' && item.isOnStack) return true;
  return false;
}

function waitsOf(fiber: Fiber): Promise<void>[] {
  const waits: Promise<void>[] = [];
  if (fiber.drain?.isDone === false) waits.push(fiber.drain.promise);
  if (fiber.starting !== undefined) waits.push(fiber.starting);
  return waits;
}

function describe(fibers: readonly Fiber[]): string {
  return fibers.flatMap((fiber) => fiber.running().map((what) => `${fiber.title} (${what})`)).join(', ');
}
