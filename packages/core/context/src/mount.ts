import { SluiceError } from '@sluice/core-schema';
import { Deferred, isThenable } from './async.ts';
import { messageOf, pluginDisposed } from './errors.ts';
import { Fiber } from './fiber.ts';
import type { Host } from './host.ts';
import { Slots, type OrderKey } from './order.ts';
import { endInTurn, type Ending, type Owned } from './owned.ts';
import { nearestService, stemsFrom, type ServiceEntry } from './services.ts';
import type { Cleanup, Disposer, Plugin, PluginStatus } from './types.ts';

type Pins = ReadonlyMap<string, ServiceEntry>;

/**
 * One mounted plugin: its slot in the order, its status, and the instance that runs now. Each start makes a new fiber; a
 * service that goes ends it, the next provider starts another in the same slot.
 */
export class Mount implements Owned {
  readonly kind = 'mount';
  readonly plugin: Plugin<never>;
  readonly injects: readonly string[];
  readonly parent: Fiber;
  readonly host: Host;
  readonly key: OrderKey;
  config: unknown;
  status: PluginStatus = 'waiting';
  missing: readonly string[] = [];
  /** Why it failed. */
  failure: SluiceError | undefined;
  /** The instance in force. */
  run: Fiber | undefined;
  /** The instance that an update prepares. */
  stagedRun: Fiber | undefined;
  /** All instances that have not ended: the one in force, one being prepared, old ones draining. */
  readonly runs = new Set<Fiber>();
  leaveParent: Disposer | undefined;
  /** Settles when the update that is under way is over. */
  updating: Promise<void> | undefined;
  /** The promise of `dispose()`, once called. */
  disposal: Promise<void> | undefined;
  /** Settles when the last instance has ended, while nothing can start before. */
  #stopping: Promise<void> | undefined;
  #ready = Deferred.optional<void>();
  #failedOn: Pins | undefined;
  #nextStatus: Deferred<void> | undefined;
  #ending: Ending | undefined;
  #isAttached = false;
  #updates = 0;
  /** Gates that the last instance had mounted: closed until the next one has decided what it mounts. */
  #lostGates: readonly string[] = [];

  constructor(parent: Fiber, plugin: Plugin<never>, config: unknown) {
    this.parent = parent;
    this.host = parent.host;
    this.plugin = plugin;
    this.config = config;
    this.injects = [...new Set<string>(plugin.inject)];
    this.key = parent.slots.take();
  }

  /** Takes its place in the parent, and starts if it can. */
  enter(): void {
    const { parent, name } = this;
    this.leaveParent = parent.contribute({ kind: 'child', label: name, attach: () => this.attach(), detach: () => this.detach() }, `mount ${this.title}`);
    parent.owned.add(this);
    this.host.addWaiter(this);
    this.tryStart();
  }

  get name(): string {
    return this.plugin.name;
  }

  get title(): string {
    return `plugin "${this.name}"`;
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get isDisposed(): boolean {
    return this.status === 'disposed';
  }

  /** It will become active, or fail, or have to wait, without anybody doing anything. */
  get isBusy(): boolean {
    return this.status === 'starting' || this.#stopping !== undefined;
  }

  /** Resolves when its status may have changed. */
  changed(): Promise<void> {
    this.#nextStatus ??= new Deferred();
    return this.#stopping === undefined ? this.#nextStatus.promise : Promise.race([this.#stopping, this.#nextStatus.promise]);
  }

  attach(): void {
    this.#isAttached = true;
    this.#showGates();
    this.run?.attachAll();
  }

  detach(): void {
    this.#isAttached = false;
    this.#showGates();
    this.run?.detachAll();
  }

  /** Starts when nothing of it runs and every service is there; otherwise says what it waits for. */
  tryStart(): void {
    if (this.isDisposed || this.run !== undefined || this.#stopping !== undefined) return;
    const { pins, missing } = this.findServices();
    this.missing = missing;
    if (missing.length > 0) {
      this.#failedOn = undefined;
      this.#setStatus('waiting');
      return;
    }
    if (this.#failedOn !== undefined && isSame(this.#failedOn, pins)) return;
    this.#start(pins);
  }

  /** Ends the instance when one of the services it was started on is no longer the nearest. */
  release(): void {
    if (this.isDisposed) return;
    const { pins, missing } = this.findServices();
    if (this.stagedRun !== undefined && !isSame(this.stagedRun.pins, pins)) {
      this.stagedRun.close();
      void this.finish(this.stagedRun);
    }
    if (this.run !== undefined && !isSame(this.run.pins, pins)) this.#stop(this.run, missing);
  }

  /** Ends the instance, and starts another with the config as it is now. */
  restart(): void {
    if (this.isDisposed) return;
    if (this.run !== undefined) this.#stop(this.run, this.findServices().missing);
    this.#failedOn = undefined;
    this.tryStart();
  }

  #stop(run: Fiber, missing: readonly string[]): void {
    // The status goes first: a gate must be closed before its listeners are gone.
    this.missing = missing;
    this.keepGatesClosed(run);
    this.run = undefined;
    this.#setStatus(missing.length > 0 ? 'waiting' : 'starting');
    run.close();
    this.#stopped(run);
  }

  findServices(): { pins: Pins; missing: readonly string[] } {
    const pins = new Map<string, ServiceEntry>();
    const missing: string[] = [];
    for (const name of this.injects) {
      const entry = nearestService(name, this.parent.layer, this.parent.staged, (candidate) => stemsFrom(candidate.fiber, this));
      if (entry === undefined) missing.push(name);
      else pins.set(name, entry);
    }
    return { pins, missing };
  }

  /** A new instance, not yet applied. */
  build(pins: Pins, staging: Pick<Fiber, 'staged' | 'isLive'>): Fiber {
    const { parent, host, name } = this;
    const { staged, isLive } = staging;
    const run = new Fiber({
      kind: 'plugin', name, owner: name, host, layer: parent.layer, slots: new Slots(this.key), parent, mount: this, pins, staged, isLive,
    });
    this.runs.add(run);
    return run;
  }

  /** Runs the plugin's `apply` in an instance. Throws or rejects as that does. */
  apply(run: Fiber, config: unknown): Promise<void> | undefined {
    const done = run.beginStart();
    let result: unknown;
    run.isApplying = true;
    try {
      result = this.plugin.apply(this.host.contextOf(run), config as never);
      if (!isThenable(result)) {
        done(this.#asCleanup(result));
        return undefined;
      }
    } catch (error) {
      done(undefined);
      throw error;
    } finally {
      run.isApplying = false;
    }
    return Promise.resolve(result).then(
      (cleanup) => done(this.#asCleanup(cleanup)),
      (error: unknown) => {
        done(undefined);
        throw error;
      },
    );
  }

  #asCleanup(result: unknown): Cleanup | undefined {
    if (typeof result === 'function') return result as Cleanup;
    if (result !== undefined) this.host.logger.warn(`core-context: ${this.title}: apply returned a ${typeof result}, which is ignored; return a cleanup function or nothing`);
    return undefined;
  }

  #start(pins: Pins): void {
    const run = this.build(pins, this.parent);
    this.run = run;
    this.#setStatus('starting');
    try {
      const applied = this.apply(run, this.config);
      if (applied === undefined) this.#started(run);
      else applied.then(() => this.#started(run), (error: unknown) => this.fail(run, error));
    } catch (error) {
      this.fail(run, error);
    }
  }

  #started(run: Fiber): void {
    if (this.run !== run || run.state !== 'open') return;
    this.#setStatus('active');
    this.keepGatesClosed(undefined);
  }

  /** The instance in force cannot start, or cannot go on. */
  fail(run: Fiber, error: unknown): void {
    if (this.run !== run || run.state !== 'open') {
      this.host.logger.debug(`core-context: ${this.title} was ended while it started: ${messageOf(error)}`, error);
      return;
    }
    this.failure = this.failureOf(error);
    this.#failedOn = run.pins;
    this.keepGatesClosed(run);
    this.run = undefined;
    this.#setStatus('failed');
    this.host.logger.error(this.failure.message, error);
    run.close();
    this.#stopped(run);
  }

  failureOf(error: unknown): SluiceError {
    return new SluiceError('PLUGIN_FAILED', `core-context: ${this.title} failed to start: ${messageOf(error)}`, { cause: error });
  }

  // Nothing starts before the old instance has ended; an ending that needs no waiting holds nobody up.
  #stopped(run: Fiber): void {
    const stopping = this.finish(run);
    if (stopping === undefined) return;
    const done = stopping.then(() => {
      this.#stopping = undefined;
      this.tryStart();
    });
    this.#stopping = done;
  }

  /** Runs the rest of an instance's end that nobody awaits. */
  finish(run: Fiber): Promise<void> | undefined {
    const report = (errors: readonly unknown[]): void => {
      for (const error of errors) this.host.logger.error(`core-context: ${this.title}: a cleanup failed: ${messageOf(error)}`, error);
    };
    const ending = run.end();
    if (ending instanceof Promise) return ending.then(report);
    report(ending);
    return undefined;
  }

  /** Marks it disposed and takes its gates away. The instances are closed by the caller. */
  retire(): void {
    if (this.isDisposed) return;
    this.host.removeWaiter(this);
    this.#setStatus('disposed');
  }

  close(): void {
    this.host.batch(() => {
      this.retire();
      this.leaveParent?.();
      for (const run of [...this.runs].reverse()) run.close();
      this.run = undefined;
    });
  }

  end(): Ending {
    if (this.#ending !== undefined) return this.#ending;
    const ending = endInTurn([...this.runs].reverse());
    const ended = (errors: readonly unknown[]): readonly unknown[] => {
      this.parent.owned.delete(this);
      return (this.#ending = errors);
    };
    return (this.#ending = ending instanceof Promise ? ending.then(ended) : ended(ending));
  }

  #setStatus(status: PluginStatus): void {
    const previous = this.status;
    this.status = status;
    this.#showGates();
    this.#nextStatus?.resolve();
    this.#nextStatus = undefined;
    if (status === 'active') this.#ready.resolve();
    else if (status === 'failed') this.#ready.reject(this.failure);
    else {
      if (previous === 'active' || previous === 'failed') this.#ready = Deferred.optional();
      if (status === 'disposed') this.#ready.reject(pluginDisposed(this.name));
    }
  }

  /** An update is being prepared (1) or is over (-1). While one is, a gate is closed. */
  countUpdate(change: 1 | -1): void {
    this.#updates += change;
    this.#showGates();
  }

  /** Keeps the gates that are mounted inside an instance closed, whatever becomes of them, until called without one. */
  keepGatesClosed(run: Fiber | undefined): void {
    this.#lostGates = run === undefined ? [] : [...new Set([...this.#lostGates, ...gatesBelow(run)])];
    this.#showGates();
  }

  #showGates(): void {
    const isClosed = this.plugin.gate === true && (this.status !== 'active' || this.#updates > 0);
    const isShown = this.#isAttached && !this.isDisposed;
    this.parent.layer.setClosedGates(this, isShown ? [...(isClosed ? [this.name] : []), ...this.#lostGates] : []);
  }
}

function isSame(a: Pins, b: Pins): boolean {
  if (a.size !== b.size) return false;
  for (const [name, entry] of a) if (b.get(name) !== entry) return false;
  return true;
}

/** The gates mounted inside an instance, in its own scope. */
function gatesBelow(run: Fiber): string[] {
  const names: string[] = [];
  for (const item of run.owned) {
    if (item.kind !== 'mount' || item.isDisposed) continue;
    if (item.plugin.gate === true) names.push(item.name);
    for (const nested of item.runs) names.push(...gatesBelow(nested));
  }
  return names;
}
