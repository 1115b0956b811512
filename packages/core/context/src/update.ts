import { applyPlugin } from './apply.ts';
import { Deferred } from './async.ts';
import { endUnlessStuck } from './disposal.ts';
import { messageOf, pluginDisposed } from './errors.ts';
import type { Fiber } from './fiber.ts';
import { gatesIn, type Mount } from './mount.ts';
import { findPins } from './pins.ts';
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
  mount.gate.countUpdate(1);
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
      const outcome = new Replacement(mount, old, config).run();
      if (outcome instanceof Promise ? await outcome : outcome) {
        replaced = old;
        break;
      }
    }
  } finally {
    mount.updating = undefined;
    mount.gate.countUpdate(-1);
    turn.resolve();
  }
  if (replaced === undefined) await untilSettled(mount);
  else await endReplaced(mount, replaced);
}

async function untilSettled(mount: Mount): Promise<void> {
  while (mount.isBusy) await mount.changed();
  if (mount.status === 'failed' && mount.failure !== undefined) throw mount.failure;
}

async function endReplaced(mount: Mount, old: Fiber): Promise<void> {
  try {
    await endUnlessStuck(`the previous instance of ${mount.title}`, mount.host, [old], old.end());
  } catch (error) {
    mount.host.logger.error(messageOf(error), error);
  }
}

/** One attempt to put a new instance in the place of an old one. */
class Replacement {
  readonly #mount: Mount;
  readonly #old: Fiber;
  readonly #next: Fiber;
  readonly #config: unknown;

  constructor(mount: Mount, old: Fiber, config: unknown) {
    this.#mount = mount;
    this.#old = old;
    this.#config = config;
    this.#next = mount.build(findPins(mount).pins, { staged: new StagedServices(), isLive: false });
  }

  /** Whether the new instance is in force. False when the plugin was restarted meanwhile: then it is to be done again. */
  run(): boolean | Promise<boolean> {
    const { plugin } = this.#mount;
    this.#mount.stagedRun = this.#next;
    let applied: Promise<void> | undefined;
    try {
      applied = applyPlugin(plugin, this.#next, this.#config);
      if (applied === undefined) return this.#swapIn();
    } catch (error) {
      return this.#giveUp(error);
    }
    return Promise.race([applied, closingOf(this.#next)]).then(() => this.#swapIn()).catch((error: unknown) => this.#giveUp(error));
  }

  /** The old instance has been ended, or the new one already stands on a service that is gone. */
  get #isObsolete(): boolean {
    return this.#next.state !== 'open' || this.#mount.run !== this.#old;
  }

  #swapIn(): boolean | Promise<boolean> {
    const mount = this.#mount;
    if (this.#isObsolete) return this.#giveUp(undefined);
    mount.host.batch(() => this.#swap());
    mount.config = this.#config;
    return true;
  }

  #swap(): void {
    const mount = this.#mount;
    // Tables run foreign code when they change; gates inside that neither instance has in its table just then are closed.
    mount.gate.hold(gatesIn(this.#old));
    this.#old.contributions.detachAll();
    try {
      this.#next.contributions.attachAll();
    } catch (error) {
      this.#rollBack();
      throw error;
    }
    mount.run = this.#next;
    mount.stagedRun = undefined;
    mount.gate.letGo();
    this.#old.close();
  }

  #rollBack(): void {
    try {
      this.#old.contributions.attachAll();
      this.#mount.gate.letGo();
    } catch (error) {
      this.#mount.fail(this.#old, error);
    }
  }

  #giveUp(error: unknown): boolean | Promise<boolean> {
    const mount = this.#mount;
    const isAgain = this.#isObsolete && !mount.isDisposed;
    const verdict = (): boolean => {
      if (isAgain) return false;
      throw mount.isDisposed ? pluginDisposed(mount.name) : mount.failureOf(error);
    };
    mount.stagedRun = undefined;
    this.#next.close();
    const ending = mount.finish(this.#next);
    return ending === undefined ? verdict() : ending.then(verdict);
  }
}

/** Resolves when the fiber is being ended. */
function closingOf(fiber: Fiber): Promise<void> {
  return new Promise((resolve) => {
    fiber.signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
