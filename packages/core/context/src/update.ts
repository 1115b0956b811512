import { Deferred } from './async.ts';
import { endUnlessStuck } from './disposal.ts';
import { messageOf, pluginDisposed } from './errors.ts';
import type { Fiber } from './fiber.ts';
import type { Mount } from './mount.ts';
import { StagedServices } from './services.ts';

/**
 * Gives a plugin a new config: prepares a new instance whose registrations are only kept, swaps them with those of the old
 * instance in one go, and ends the old one. A synchronous `apply` is swapped in before this returns. Updates of one plugin
 * follow one another. A gate is closed until its update is over.
 */
export async function updateMount(mount: Mount, config: unknown): Promise<void> {
  while (mount.updating !== undefined) await mount.updating;
  const turn = new Deferred<void>();
  mount.updating = turn.promise;
  mount.countUpdate(1);
  let replaced: Fiber | undefined;
  try {
    for (;;) {
      while (mount.isBusy) await mount.changed();
      if (mount.isDisposed) throw pluginDisposed(mount.name);
      const old = mount.run;
      if (old?.isLive !== true) {
        // Nothing of it is in force, so there is nothing to swap.
        mount.config = config;
        mount.restart();
        break;
      }
      const swapped = replace(mount, old, config);
      if (swapped === true || (swapped !== false && (await swapped))) {
        replaced = old;
        break;
      }
    }
  } finally {
    mount.updating = undefined;
    mount.countUpdate(-1);
    turn.resolve();
  }
  if (replaced !== undefined) return endReplaced(mount, replaced);
  while (mount.isBusy) await mount.changed();
  if (mount.status === 'failed') throw mount.failureOf(mount.failure?.cause);
}

/** Whether the new instance is in force. False when the plugin restarted meanwhile: then it is to be done again. */
function replace(mount: Mount, old: Fiber, config: unknown): boolean | Promise<boolean> {
  const next = mount.build(mount.findServices().pins, { staged: new StagedServices(), isLive: false });
  mount.stagedRun = next;
  const isObsolete = (): boolean => next.state !== 'open' || mount.run !== old;
  const discard = (): Promise<void> | undefined => {
    mount.stagedRun = undefined;
    next.close();
    return mount.finish(next);
  };
  const giveUp = (error: unknown): boolean | Promise<boolean> => {
    const verdict = (): boolean => {
      if (mount.isDisposed) throw pluginDisposed(mount.name);
      throw mount.failureOf(error);
    };
    const isAgain = isObsolete() && !mount.isDisposed;
    const ending = discard();
    if (isAgain) return false;
    return ending === undefined ? verdict() : ending.then(verdict);
  };
  const finish = (): boolean | Promise<boolean> => {
    if (isObsolete()) return giveUp(undefined);
    try {
      swap(mount, old, next);
    } catch (error) {
      return giveUp(error);
    }
    mount.config = config;
    return true;
  };
  let applied: Promise<void> | undefined;
  try {
    applied = mount.apply(next, config);
  } catch (error) {
    return giveUp(error);
  }
  if (applied === undefined) return finish();
  return Promise.race([applied, closingOf(next)]).then(finish, giveUp);
}

/** Resolves when the fiber is being ended. */
function closingOf(fiber: Fiber): Promise<void> {
  return new Promise((resolve) => fiber.signal.addEventListener('abort', () => resolve(), { once: true }));
}

function swap(mount: Mount, old: Fiber, next: Fiber): void {
  mount.host.batch(() => {
    // Foreign code runs while tables change; a gate that neither instance has in its table just then must be closed.
    mount.keepGatesClosed(old);
    old.detachAll();
    try {
      next.attachAll();
    } catch (error) {
      rollBack(mount, old);
      throw error;
    }
    mount.run = next;
    mount.stagedRun = undefined;
    mount.keepGatesClosed(undefined);
  });
}

function rollBack(mount: Mount, old: Fiber): void {
  try {
    old.attachAll();
    mount.keepGatesClosed(undefined);
  } catch (error) {
    mount.fail(old, error);
  }
}

async function endReplaced(mount: Mount, old: Fiber): Promise<void> {
  old.close();
  try {
    await endUnlessStuck(`the previous instance of ${mount.title}`, mount.host, [old], old.end());
  } catch (error) {
    mount.host.logger.error(messageOf(error), error);
  }
}
