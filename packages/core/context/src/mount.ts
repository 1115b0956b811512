import { SluiceError } from '@sluice/core-schema';
import { applyPlugin } from './apply.ts';
import { messageOf, pluginDisposed } from './errors.ts';
import { Fiber } from './fiber.ts';
import { GateSign } from './gate.ts';
import type { Host } from './host.ts';
import { Slots, type OrderKey } from './order.ts';
import { endInTurn, type Ending, type Owned } from './owned.ts';
import { findPins, isSamePins, type Pins } from './pins.ts';
import { Status } from './status.ts';
import type { Disposer, Plugin, PluginStatus } from './types.ts';

/** So many starts in a row that were cut short by a service changing are no accident: the start itself changes it. */
const MAX_FALSE_STARTS = 100;

/**
 * One mounted plugin: its slot in the order, its status, and the instance that runs now. Each start makes a new instance;
 * a service that goes ends it, and the next provider starts another in the same slot.
 */
export class Mount implements Owned {
  readonly kind = 'mount';
  readonly plugin: Plugin<never>;
  readonly injects: readonly string[];
  readonly parent: Fiber;
  readonly host: Host;
  readonly key: OrderKey;
  readonly gate: GateSign;
  config: unknown;
  /** While it waits: for these services. */
  missing: readonly string[] = [];
  /** Why it has failed, if it has. */
  failure: SluiceError | undefined;
  /** The instance in force. */
  run: Fiber | undefined;
  /** The instance that an update prepares. */
  stagedRun: Fiber | undefined;
  /** All instances that have not ended: the one in force, the one being prepared, old ones draining. */
  readonly runs = new Set<Fiber>();
  /** Settles when the update that is under way is over. */
  updating: Promise<void> | undefined;
  /** The promise of `dispose()`, once called. */
  disposal: Promise<void> | undefined;
  readonly #status = new Status(() => (this.status === 'failed' ? this.failure : pluginDisposed(this.name)));
  #leaveParent: Disposer | undefined;
  /** An instance is still ending; settles when it has. Nothing is started before. */
  #stopping: Promise<void> | undefined;
  /** It failed on these; there is no point in trying again with the same. */
  #failedOn: Pins | undefined;
  #falseStarts = 0;
  #ending: Ending | undefined;

  constructor(parent: Fiber, plugin: Plugin<never>, config: unknown, before?: Mount) {
    this.parent = parent;
    this.host = parent.host;
    this.plugin = plugin;
    this.config = config;
    this.injects = [...new Set<string>(plugin.inject)];
    this.key = before === undefined ? parent.slots.take() : parent.slots.takeBefore(before.key);
    this.gate = new GateSign(parent.layer, plugin.name, plugin.gate === true);
  }

  get name(): string {
    return this.plugin.name;
  }

  get title(): string {
    return `plugin "${this.name}"`;
  }

  get status(): PluginStatus {
    return this.#status.value;
  }

  get ready(): Promise<void> {
    return this.#status.ready;
  }

  get isDisposed(): boolean {
    return this.status === 'disposed';
  }

  /** It will become active, or fail, or have to wait, without anybody doing anything. */
  get isBusy(): boolean {
    return this.status === 'starting' || this.#stopping !== undefined;
  }

  /** Resolves when `status` or `isBusy` may have changed. */
  changed(): Promise<void> {
    const next = this.#status.next();
    return this.#stopping === undefined ? next : Promise.race([this.#stopping, next]);
  }

  /** Takes its place in the parent, and starts if it can. */
  enter(): void {
    const presence = {
      kind: 'child' as const,
      label: this.name,
      attach: () => {
        this.run?.contributions.attachAll();
        this.gate.setMounted(true);
      },
      detach: () => {
        this.gate.setMounted(false);
        this.run?.contributions.detachAll();
      },
    };
    this.#leaveParent = this.parent.contribute(presence, `mount ${this.title}`);
    this.parent.owned.add(this);
    this.host.addWaiter(this);
    this.tryStart();
  }

  /** Starts when nothing of it runs and every service is there; otherwise says what it waits for. */
  tryStart(): void {
    if (this.isDisposed || this.run !== undefined || this.#stopping !== undefined || this.#falseStarts > MAX_FALSE_STARTS) return;
    const { pins, missing } = findPins(this);
    this.missing = missing;
    if (missing.length > 0) {
      this.#setStatus('waiting');
    } else if (this.#failedOn === undefined || !isSamePins(this.#failedOn, pins)) {
      this.#start(pins);
    }
  }

  #start(pins: Pins): void {
    const run = this.build(pins, this.parent);
    this.run = run;
    this.#setStatus('starting');
    try {
      const applied = applyPlugin(this.plugin, run, this.config);
      if (applied === undefined) this.#started(run);
      else applied.then(() => this.#started(run), (error: unknown) => this.fail(run, error));
    } catch (error) {
      this.fail(run, error);
    }
  }

  /** A new instance, not yet applied. */
  build(pins: Pins, staging: Pick<Fiber, 'staged' | 'isLive'>): Fiber {
    const { parent, host, name } = this;
    const { staged, isLive } = staging;
    const slots = new Slots(this.key);
    const run = new Fiber({ kind: 'plugin', name, owner: name, host, layer: parent.layer, slots, parent, mount: this, pins, staged, isLive });
    this.runs.add(run);
    return run;
  }

  #started(run: Fiber): void {
    if (this.run !== run || run.state !== 'open') return;
    this.#falseStarts = 0;
    this.failure = undefined;
    this.#setStatus('active');
    this.gate.letGo();
  }

  failureOf(error: unknown): SluiceError {
    return new SluiceError('PLUGIN_FAILED', `core-context: ${this.title} failed to start: ${messageOf(error)}`, { cause: error });
  }

  /** The instance in force cannot start, or cannot go on. */
  fail(run: Fiber, error: unknown): void {
    if (this.run !== run || run.state !== 'open') {
      this.host.logger.debug(`core-context: ${this.title} was ended while it started: ${messageOf(error)}`, error);
      return;
    }
    this.failure = this.failureOf(error);
    this.#failedOn = run.pins;
    this.host.logger.error(this.failure.message, error);
    this.#stop(run, 'failed');
  }

  /** Ends instances that were started on a service which is no longer the nearest. */
  release(): void {
    if (this.isDisposed) return;
    const { pins, missing } = findPins(this);
    if (this.stagedRun !== undefined && !isSamePins(this.stagedRun.pins, pins)) this.stagedRun.close();
    if (this.run === undefined || isSamePins(this.run.pins, pins)) return;
    if (this.status === 'starting' && ++this.#falseStarts > MAX_FALSE_STARTS) {
      this.fail(this.run, new Error('it restarts for ever, because its start changes the services it is started on'));
      return;
    }
    this.missing = missing;
    this.#stop(this.run, missing.length > 0 ? 'waiting' : 'starting');
  }

  /** Ends the instance and starts another, with the config as it is now. */
  restart(): void {
    if (this.isDisposed) return;
    if (this.run !== undefined) this.#stop(this.run, 'starting');
    this.#failedOn = undefined;
    this.#falseStarts = 0;
    this.tryStart();
  }

  #stop(run: Fiber, status: PluginStatus): void {
    // A gate must be closed before its listeners are gone.
    this.gate.hold(gatesIn(run));
    this.run = undefined;
    this.#setStatus(status);
    run.close();
    this.#stopping = this.finish(run)?.then(() => {
      this.#stopping = undefined;
      this.tryStart();
    });
  }

  /** Runs the rest of the end of an instance whose end nobody else reports. Undefined when that is done. */
  finish(run: Fiber): Promise<void> | undefined {
    const report = (errors: readonly unknown[]): void => {
      for (const error of errors) this.host.logger.error(`core-context: ${this.title}: a cleanup failed: ${messageOf(error)}`, error);
    };
    const ending = run.end();
    if (ending instanceof Promise) return ending.then(report);
    report(ending);
    return undefined;
  }

  /** Marks it disposed. Its instances are closed by the caller. */
  retire(): void {
    if (this.isDisposed) return;
    this.host.removeWaiter(this);
    this.#setStatus('disposed');
  }

  close(): void {
    this.host.batch(() => {
      this.retire();
      this.#leaveParent?.();
      for (const run of [...this.runs].reverse()) run.close();
    });
  }

  end(): Ending {
    if (this.#ending !== undefined) return this.#ending;
    const ended = (errors: readonly unknown[]): readonly unknown[] => {
      this.run = undefined;
      this.parent.owned.delete(this);
      return (this.#ending = errors);
    };
    const ending = endInTurn([...this.runs].reverse());
    return (this.#ending = ending instanceof Promise ? ending.then(ended) : ended(ending));
  }

  #setStatus(status: PluginStatus): void {
    this.#status.set(status);
    this.gate.setActive(status === 'active');
  }
}

/** Names of the gates mounted in an instance, in its own scope. */
export function gatesIn(run: Fiber): string[] {
  const names: string[] = [];
  for (const item of run.owned) {
    if (item.kind !== 'mount' || item.isDisposed) continue;
    if (item.plugin.gate === true) names.push(item.name);
    for (const nested of item.runs) names.push(...gatesIn(nested));
  }
  return names;
}
