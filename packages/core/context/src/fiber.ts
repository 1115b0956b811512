import { setMaxListeners } from 'node:events';
import { Deferred, within } from './async.ts';
import type { Contribution } from './contribution.ts';
import { Contributions } from './contributions.ts';
import { Drain } from './drain.ts';
import { contextDisposed } from './errors.ts';
import type { Host } from './host.ts';
import type { Layer } from './layer.ts';
import type { Mount } from './mount.ts';
import type { Slots } from './order.ts';
import { Effect, endInTurn, type Ending, type Owned } from './owned.ts';
import type { Pins } from './pins.ts';
import type { ServiceReader } from './service-reader.ts';
import { releaseUsers, type ServiceEntry, type StagedServices } from './services.ts';
import type { Cleanup, Disposer } from './types.ts';

/** Milliseconds that an ending waits for a live listener entry, or for an unfinished `apply`, before others stop waiting for it. */
export const DRAIN_MS = 1_000;

const NO_PINS: Pins = new Map();

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
  /** The services that a plugin instance is started on. */
  pins?: Pins;
  staged?: StagedServices | undefined;
  /** False while an update prepares it: what it registers is then only kept. */
  isLive: boolean;
}

/**
 * What signals abort with. It has no stack: the frames of one keep alive what they belong to, each reason would keep the
 * next instance of a plugin that is updated, and so on for ever.
 */
function abortReason(title: string): DOMException {
  const { stackTraceLimit } = Error;
  // Not by assignment, which throws where Error is frozen.
  Reflect.set(Error, 'stackTraceLimit', 0);
  try {
    return new DOMException(`${title} was disposed`, 'AbortError');
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  }
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
  readonly pins: Pins;
  readonly staged: StagedServices | undefined;
  readonly contributions: Contributions;
  readonly owned = new Set<Effect | Fiber | Mount>();
  readonly provided = new Set<ServiceEntry>();
  /** Closing: nothing of it can be seen, but something still runs. Closed: the cleanups have been run. */
  state: 'open' | 'closing' | 'closed' = 'open';
  /** The hooks it has listened on, so that some listener of it may be in flight there. */
  hooks: Set<string> | undefined;
  /** Takes this scope out of its parent. Absent for the root, and for plugin instances, whose mount does that. */
  leaveParent: Disposer | undefined;
  /** The promise of `dispose()` of this scope, once called. */
  disposal: Promise<void> | undefined;
  /** The services as its context sees them. */
  reader: ServiceReader | undefined;
  /** What was in flight when it was closed. */
  drain: Drain | undefined;
  /** Its cleanups run, or have been run: no listener of it may be entered any more. */
  isCleaningUp = false;
  /** The plugin's `apply` is on the call stack. */
  isApplying = false;
  #starting: Deferred<void> | undefined;
  #controller: AbortController | undefined;
  #ending: Deferred<readonly unknown[]> | undefined;

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
    this.contributions = new Contributions(options.isLive);
    for (const entry of this.pins.values()) entry.users.add(this);
  }

  get title(): string {
    return this.kind === 'root' ? 'the root context' : `${this.kind} "${this.name}"`;
  }

  get isLive(): boolean {
    return this.contributions.isLive;
  }

  /** Aborts when this ends. Made when first asked for. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      setMaxListeners(0, this.#controller.signal);
      if (this.state !== 'open') this.#abort();
    }
    return this.#controller.signal;
  }

  /** While the plugin's `apply` has begun and not ended: settles when it has. */
  get starting(): Promise<void> | undefined {
    return this.#starting?.promise;
  }

  assertOpen(action: string): void {
    if (this.state !== 'open') throw contextDisposed(this.title, action);
  }

  contribute(contribution: Contribution, action: string): Disposer {
    this.assertOpen(action);
    const undo = this.contributions.add(contribution);
    if (undo === undefined) throw contextDisposed(this.title, action);
    return undo;
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

  /** The plugin's `apply` begins; the returned function says that it has ended, and with which cleanup. */
  beginStart(): (cleanup: Cleanup | undefined) => void {
    const starting = (this.#starting = new Deferred<void>());
    return (cleanup) => {
      this.#starting = undefined;
      if (cleanup !== undefined) this.keepCleanup('apply', cleanup);
      starting.resolve();
    };
  }

  /** This one and everything below it, outermost first. */
  tree(): Fiber[] {
    const fibers: Fiber[] = [this];
    for (const item of this.owned) {
      if (item.kind === 'effect') continue;
      for (const fiber of item.kind === 'mount' ? item.runs : [item]) fibers.push(...fiber.tree());
    }
    return fibers;
  }

  /** What still runs of a fiber that is being ended. */
  running(): string[] {
    if (this.state === 'open') return [];
    const running = this.drain?.describe() ?? [];
    if (this.#starting !== undefined) running.push('apply');
    for (const item of this.owned) if (item.kind === 'effect' && item.isRunning) running.push(`cleanup "${item.label}"`);
    return running;
  }

  /** Takes away, at once, all that others can see of this fiber and of those below. Nothing can be registered afterwards. */
  close(): void {
    if (this.state !== 'open') return;
    const tree = this.tree().filter((fiber) => fiber.state === 'open');
    for (const fiber of tree) fiber.state = 'closing';
    this.host.batch(() => {
      for (const fiber of tree) for (const item of fiber.owned) if (item.kind === 'mount') item.retire();
      for (const fiber of tree) fiber.#abort();
      this.leaveParent?.();
      this.contributions.detachAll();
      for (const fiber of tree) fiber.#letGo();
      releaseUsers(tree.flatMap((fiber) => [...fiber.provided]));
    });
  }

  #abort(): void {
    this.#controller?.abort(abortReason(this.title));
  }

  #letGo(): void {
    this.contributions.clear();
    this.drain = Drain.of(this);
  }

  /** Runs the rest of the end of a closed fiber. Complete on return if nothing has to be waited for. */
  end(): Ending {
    if (this.state === 'closed') return this.contributions.errors;
    if (this.#ending === undefined) {
      this.#ending = new Deferred();
      void this.#end().then(this.#ending.resolve);
    }
    return this.#hasEnded() ? this.contributions.errors : this.#ending.promise;
  }

  // Last in, first out, when those that stand on its services have ended and nothing is in flight any more.
  async #end(): Promise<readonly unknown[]> {
    const { errors } = this.contributions;
    const others = endInTurn([...this.provided].flatMap((entry) => [...entry.users]).filter((user) => user.state === 'closing'));
    if (others instanceof Promise) await others;
    if (this.#starting !== undefined) await within(DRAIN_MS, this.#starting.promise);
    for (let drain = this.#pendingDrain(); drain !== undefined; drain = this.#pendingDrain()) await drain.promise;
    for (const fiber of this.tree()) fiber.isCleaningUp = true;
    while (this.owned.size > 0) {
      const ending = endInTurn([...this.owned].reverse());
      errors.push(...(ending instanceof Promise ? await ending : ending));
    }
    this.#close();
    return errors;
  }

  /** Looks again each time: who was reached in the last moment, or by a listener that went on late, may be in flight by now. */
  #pendingDrain(): Drain | undefined {
    for (const fiber of this.tree()) {
      if (fiber.isCleaningUp) continue;
      if (fiber.drain?.isDone !== false) fiber.drain = Drain.of(fiber);
      if (fiber.drain !== undefined) return fiber.drain;
    }
    return undefined;
  }

  #hasEnded(): boolean {
    return this.state === 'closed';
  }

  #close(): void {
    this.state = 'closed';
    for (const entry of this.pins.values()) entry.users.delete(this);
    for (const entry of this.provided) entry.forgetReaders();
    this.provided.clear();
    this.reader?.close();
    this.mount?.runs.delete(this);
    this.host.chains.forEachOf(this, (chain) => chain.forget(this));
    if (this.kind === 'plugin') return;
    this.parent?.owned.delete(this);
    this.layer.close();
  }
}
