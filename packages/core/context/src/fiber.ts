import { setMaxListeners } from 'node:events';
import { Deferred, within } from './async.ts';
import type { Contribution } from './contribution.ts';
import { Drain } from './drain.ts';
import { contextDisposed } from './errors.ts';
import type { Host } from './host.ts';
import type { Layer } from './layer.ts';
import type { Mount } from './mount.ts';
import { Slots } from './order.ts';
import { Effect, NO_ERRORS, type Ending, type Owned } from './owned.ts';
import { releaseUsers, type ServiceEntry, type StagedServices } from './services.ts';
import type { Cleanup, Disposer } from './types.ts';

/** Milliseconds that an ending waits for a live listener entry, or an unfinished `apply`, before others stop waiting for it. */
export const DRAIN_MS = 1_000;

const NO_PINS: ReadonlyMap<string, ServiceEntry> = new Map();

export interface FiberOptions {
  kind: 'root' | 'scope' | 'plugin';
  name: string;
  /** The plugin that registrations are attributed to. */
  owner: string;
  host: Host;
  layer: Layer;
  slots: Slots;
  parent?: Fiber;
  mount?: Mount;
  /** The services that a plugin instance was started on. */
  pins?: ReadonlyMap<string, ServiceEntry>;
  staged?: StagedServices | undefined;
  /** False while an update prepares it: what it registers is then only kept. */
  isLive: boolean;
}

/**
 * A lifetime: of the root, of a scope, or of one started instance of a plugin. It owns what was registered through its
 * context, and ends all of it: first everything that others can see, at once; then, with nothing in flight, the cleanups.
 */
export class Fiber implements Owned {
  readonly kind: FiberOptions['kind'];
  readonly name: string;
  readonly owner: string;
  readonly host: Host;
  readonly layer: Layer;
  readonly slots: Slots;
  readonly parent: Fiber | undefined;
  readonly mount: Mount | undefined;
  readonly pins: ReadonlyMap<string, ServiceEntry>;
  readonly staged: StagedServices | undefined;
  isLive: boolean;
  state: 'open' | 'closing' | 'closed' = 'open';
  /** Each with whether it is attached. */
  readonly contributions = new Map<Contribution, boolean>();
  readonly owned = new Set<Effect | Fiber | Mount>();
  readonly provided = new Set<ServiceEntry>();
  hasListened = false;
  /** Takes this scope out of its parent; absent for the root and for plugin instances, whose mount does that. */
  leaveParent: Disposer | undefined;
  /** The promise of `dispose()` of this scope, once called. */
  disposal: Promise<void> | undefined;
  drain: Drain | undefined;
  /** `apply` is on the call stack. */
  isApplying = false;
  #starting: Deferred<void> | undefined;
  #controller: AbortController | undefined;
  #ending: Deferred<readonly unknown[]> | undefined;
  #errors: unknown[] = [];

  constructor(options: FiberOptions) {
    this.kind = options.kind;
    this.name = options.name;
    this.owner = options.owner;
    this.host = options.host;
    this.layer = options.layer;
    this.slots = options.slots;
    this.parent = options.parent;
    this.mount = options.mount;
    this.pins = options.pins ?? NO_PINS;
    this.staged = options.staged;
    this.isLive = options.isLive;
    for (const entry of this.pins.values()) entry.users.add(this);
  }

  get title(): string {
    return this.kind === 'root' ? 'the root context' : `${this.kind} "${this.name}"`;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      setMaxListeners(0, this.#controller.signal);
      if (this.state !== 'open') this.#abort();
    }
    return this.#controller.signal;
  }

  assertOpen(action: string): void {
    if (this.state !== 'open') throw contextDisposed(this.title, action);
  }

  contribute(contribution: Contribution, action: string): Disposer {
    this.assertOpen(action);
    const isLive = this.isLive;
    this.contributions.set(contribution, false);
    try {
      if (isLive) contribution.attach();
      else contribution.stage?.();
    } catch (error) {
      this.contributions.delete(contribution);
      throw error;
    }
    // Attaching runs foreign code, which may have ended this fiber.
    if (!this.contributions.has(contribution)) {
      if (isLive) contribution.detach();
      throw contextDisposed(this.title, action);
    }
    if (isLive) this.contributions.set(contribution, true);
    return () => this.#withdraw(contribution);
  }

  #withdraw(contribution: Contribution): void {
    const isAttached = this.contributions.get(contribution);
    this.contributions.delete(contribution);
    if (isAttached === true) contribution.detach();
    else if (isAttached === false) contribution.unstage?.();
  }

  /** Attaches everything that is not; when one throws, none is, and the error goes on. */
  attachAll(): void {
    this.isLive = true;
    const attached: Contribution[] = [];
    try {
      for (const [contribution, isAttached] of this.contributions) {
        if (isAttached) continue;
        contribution.attach();
        contribution.unstage?.();
        this.contributions.set(contribution, true);
        attached.push(contribution);
      }
    } catch (error) {
      this.isLive = false;
      for (const contribution of attached.reverse()) this.#detach(contribution);
      throw error;
    }
  }

  /** Detaches everything that is attached, and keeps it. */
  detachAll(): void {
    this.isLive = false;
    for (const [contribution, isAttached] of [...this.contributions].reverse()) if (isAttached) this.#detach(contribution);
  }

  #detach(contribution: Contribution): void {
    this.contributions.set(contribution, false);
    try {
      contribution.detach();
    } catch (error) {
      this.#errors.push(error);
    }
  }

  /** The instance's `apply` begins; the returned function says that it has ended, and with which cleanup. */
  beginStart(): (cleanup: Cleanup | undefined) => void {
    const starting = (this.#starting = new Deferred<void>());
    return (cleanup) => {
      this.#starting = undefined;
      if (cleanup !== undefined) this.keepCleanup('apply', cleanup);
      starting.resolve();
    };
  }

  /** Ties a cleanup to this fiber. One that comes too late runs at once. */
  keepCleanup(label: string, cleanup: Cleanup): Effect {
    const effect = new Effect(label, cleanup, (ended) => this.owned.delete(ended));
    this.owned.add(effect);
    if (this.state === 'closed') void this.#runLate(effect);
    return effect;
  }

  async #runLate(effect: Effect): Promise<void> {
    for (const error of await effect.end()) this.host.logger.error(`core-context: ${this.title}: a late cleanup failed`, error);
  }

  /** Everything below this one and itself, outermost first. */
  tree(): Fiber[] {
    const fibers: Fiber[] = [this];
    for (const item of this.owned) {
      if (item.kind === 'effect') continue;
      for (const run of item.kind === 'mount' ? item.runs : [item]) fibers.push(...run.tree());
    }
    return fibers;
  }

  /** `apply` has begun and not ended. */
  get starting(): Promise<void> | undefined {
    return this.#starting?.promise;
  }

  /** What still runs of a fiber that is being ended. */
  running(): string[] {
    if (this.state === 'open') return [];
    const running = this.drain?.describe() ?? [];
    if (this.#starting !== undefined) running.push('apply');
    for (const item of this.owned) if (item.kind === 'effect' && item.isRunning) running.push(`cleanup "${item.label}"`);
    return running;
  }

  /** Takes away, at once, everything that others can see of this fiber and of those below. Nothing can be registered after. */
  close(): void {
    if (this.state !== 'open') return;
    const tree = this.tree().filter((fiber) => fiber.state === 'open');
    for (const fiber of tree) fiber.state = 'closing';
    this.host.batch(() => {
      for (const fiber of tree) for (const item of fiber.owned) if (item.kind === 'mount') item.retire();
      for (const fiber of tree) fiber.#abort();
      this.leaveParent?.();
      this.detachAll();
      for (const fiber of tree.reverse()) fiber.#letGo();
    });
  }

  #abort(): void {
    this.#controller?.abort(new DOMException(`${this.title} was disposed`, 'AbortError'));
  }

  #letGo(): void {
    for (const [contribution, isAttached] of this.contributions) if (!isAttached) contribution.unstage?.();
    this.contributions.clear();
    this.drain = Drain.of(this);
    for (const entry of this.provided) releaseUsers(entry);
  }

  end(): Ending {
    if (this.state === 'closed') return this.#errors;
    if (this.#ending === undefined) {
      this.#ending = new Deferred();
      void this.#end().then(this.#ending.resolve);
    }
    // It may have ended before the call above returned.
    return (this.state as string) === 'closed' ? this.#errors : this.#ending.promise;
  }

  async #end(): Promise<readonly unknown[]> {
    for (const entry of this.provided) {
      for (const user of entry.users) {
        const ending = user.state === 'closing' ? user.end() : NO_ERRORS;
        if (ending instanceof Promise) await ending;
      }
    }
    for (const fiber of this.tree()) if (fiber.drain?.isDone === false) await fiber.drain.promise;
    if (this.#starting !== undefined) await within(DRAIN_MS, this.#starting.promise);
    while (this.owned.size > 0) {
      for (const item of [...this.owned].reverse()) {
        const ending = item.end();
        this.#errors.push(...(ending instanceof Promise ? await ending : ending));
        this.owned.delete(item);
      }
    }
    this.#closed();
    return this.#errors;
  }

  #closed(): void {
    this.state = 'closed';
    for (const entry of this.pins.values()) entry.users.delete(this);
    this.provided.clear();
    this.mount?.runs.delete(this);
    if (this.kind !== 'plugin') {
      this.parent?.owned.delete(this);
      this.layer.close();
    }
  }
}
