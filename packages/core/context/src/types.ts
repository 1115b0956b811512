import type { HookArgs, HookName, HookResult, Listener, NotificationName, WaterfallName } from './hook-types.ts';
import type { Services } from './index.ts';

/** The name of a service that some package in the program has declared. */
export type ServiceName = Extract<keyof Services, string>;

/** Undoes one registration. Calling it again does nothing. */
export type Disposer = () => void;

/** Undoes one registration and resolves when that is complete. Calling it again returns the same promise. */
export type AsyncDisposer = () => Promise<void>;

/** What a plugin or an effect leaves behind to be run at its end: once, and awaited. */
export type Cleanup = Disposer | AsyncDisposer;

/** Where messages go. A logger that throws is ignored. */
export interface Logger {
  debug(message: string, data?: unknown): void;
  info(message: string, data?: unknown): void;
  warn(message: string, data?: unknown): void;
  error(message: string, data?: unknown): void;
}

export interface ContextOptions {
  /** Default: warnings and errors to the console, the rest nowhere. */
  logger?: Logger;
  /** Milliseconds that disposing a root or a scope waits for what still runs. 0 or greater, default 5_000. */
  graceMs?: number;
}

/** A package of behaviour that a context mounts. Build it with `definePlugin`. */
export interface Plugin<C = unknown> {
  /** Shown in messages and in `inspect()`. By convention the npm name without its scope. */
  name: string;
  /** Services it cannot do without: it waits for them, ends when one goes, and starts again with the next provider. */
  inject?: readonly ServiceName[];
  /** A policy that must not be missing: while it is mounted and not active, calls in its scope are denied. Default false. */
  gate?: boolean;
  /** JSON Schema of the config, an object schema. Defaults are applied, unknown keys refused. Absent: no config at all. */
  config?: object;
  /**
   * Starts one instance. Called once per start, with a context of its own; what it registers there ends with the instance.
   * Contract: may throw or reject; then everything it had registered is undone and the plugin has failed.
   */
  apply(ctx: Context, config: C): void | Cleanup | Promise<void | Cleanup>;
}

export type PluginStatus = 'waiting' | 'starting' | 'active' | 'failed' | 'disposed';

/** One mounted plugin. */
export interface PluginHandle extends AsyncDisposable {
  readonly name: string;
  readonly status: PluginStatus;
  /** Resolves when active; rejects with `PLUGIN_FAILED`, or `PLUGIN_DISPOSED`. A new promise after each of these ends. */
  readonly ready: Promise<void>;
  /**
   * Mounts a new instance with this config in the same order slot, swaps it in synchronously, and drains the old one.
   * Rejects and keeps the old one when the config is wrong (`INVALID_CONFIG`) or the new instance fails (`PLUGIN_FAILED`).
   */
  update(config: unknown): Promise<void>;
  /**
   * Removes what the plugin registered, at once; then waits for its hook calls in flight, then runs its cleanups, last in
   * first out. Rejects with `DISPOSE_FAILED` when cleanups threw. Twice is the same promise.
   */
  dispose(): Promise<void>;
}

/** The identity of a scope: compare by reference. Frozen. */
export interface ScopeRef {
  /** The name given to `ctx.scope()`; `root` for the root. */
  readonly name: string;
  readonly path: readonly string[];
  readonly parent?: ScopeRef;
}

/** One listener in a compiled chain. */
export interface ListenerEntry {
  /** The plugin that the listener belongs to. */
  readonly plugin: string;
  /** The registration's identity: the same object from whatever scope it is seen, so that a hook's owner can keep something for it. */
  readonly registration: object;
  /**
   * Runs the listener; the plugin's cleanups wait for it. Returns what the listener returned, a thenable as a native
   * promise; throws what it threw.
   */
  invoke(...args: unknown[]): unknown;
  /**
   * The same for a caller that saves the promise which `invoke` spends on knowing the end: when this returns a promise, it
   * calls `leave` once, as soon as nothing of the listener is left to run.
   */
  enter(...args: unknown[]): unknown;
  leave(): void;
}

/** A pure entry in some table, undone without waiting. Both functions may be called several times, always in turn. */
export interface ContributionEntry {
  /** Shown in `inspect()`. */
  label: string;
  /** Puts the entry in. Contract: may throw, having changed nothing. */
  attach(): void;
  /** Takes the entry out. Contract: should not throw; if it does, everything else is still undone. */
  detach(): void;
}

export interface ListenOptions {
  /** Goes before everything registered so far. Default false. */
  prepend?: boolean;
}

export interface MountOptions {
  /** Takes its place right before this one, which is mounted in the same context, and not after everything so far. */
  before?: PluginHandle;
}

/** A service that looks different from each context: `bind` is called once per context that reads it. */
export interface BoundService<S> {
  bind(ctx: Context): S;
}

/** How much of everything there is in a part of the tree, itself included. */
export interface ContextCounts {
  readonly plugins: number;
  readonly scopes: number;
  readonly services: number;
  readonly listeners: number;
  readonly contributions: number;
  readonly effects: number;
  readonly running: number;
}

/** A plain picture of a context, plugin or scope at this moment. */
export interface ContextNode {
  readonly name: string;
  readonly kind: 'root' | 'scope' | 'plugin';
  readonly status: PluginStatus;
  readonly scopePath: readonly string[];
  readonly services: readonly string[];
  readonly listeners: Readonly<Record<string, number>>;
  readonly contributions: readonly string[];
  readonly effects: readonly string[];
  readonly children: readonly ContextNode[];
  /** Present while a plugin waits: the services it misses. */
  readonly waitingFor?: readonly string[];
  /** Present while something is being ended: what still runs. */
  readonly running?: readonly string[];
  readonly counts: ContextCounts;
}

/** Everything a context is, apart from the services. */
export interface ContextMembers extends AsyncDisposable {
  /** Mounts a plugin. Active on return when its services are there and `apply` is synchronous. Throws `INVALID_PLUGIN`, `INVALID_CONFIG`, TypeError. */
  plugin<C>(plugin: Plugin<C>, config?: Partial<C>, options?: MountOptions): PluginHandle;
  /** Listens on a hook, for calls of this scope and those below it. First registered is outermost. */
  on<K extends HookName>(hook: K, listener: Listener<K>, options?: ListenOptions): Disposer;
  /** Offers a service to this scope and those below it. Throws `SERVICE_DUPLICATE` when this scope has one of that name. */
  provide<K extends ServiceName>(name: K, service: Services[K] | BoundService<Services[K]>): AsyncDisposer;
  /** The nearest service of that name, or undefined. */
  get<K extends ServiceName>(name: K): Services[K] | undefined;
  /** Runs `setup` now, and the cleanup it returns when this context ends or the disposer is called. */
  effect(setup: () => Cleanup | void, label?: string): AsyncDisposer;
  /** A child context: what is registered there, only it and those below it see. Throws `SCOPE_DUPLICATE`. */
  scope(name: string): Context;
  /** Names of the scopes from the outermost to this one; empty at the root. Frozen. */
  readonly scopePath: readonly string[];
  readonly scopeRef: ScopeRef;
  /** Resolves when all plugins mounted here and below are active; rejects with `NOT_READY`, naming each that is not and why. */
  ready(): Promise<void>;
  inspect(): ContextNode;
  /** Ends this context and all below it. For the context of a plugin this is the handle's `dispose()`. */
  dispose(): Promise<void>;
  /** Tells every listener in view, in order. What a listener throws or rejects with is logged and stays with it. */
  emit<K extends NotificationName>(hook: K, ...args: HookArgs<K>): void;
  /** Runs the listeners in view around `last`, which runs innermost. Rejects with what a listener throws. */
  waterfall<K extends WaterfallName>(hook: K, args: HookArgs<K>, last: () => HookResult<K> | Promise<HookResult<K>>): Promise<HookResult<K>>;
  /** The listeners in view, outermost first. Frozen, and the same array until something changes. */
  listeners(hook: HookName): readonly ListenerEntry[];
  /** Names of the gates in view that are mounted and not active. A call in this scope must then be denied. */
  closedGates(): readonly string[];
  /** Aborts when this context ends (a plugin: also when it restarts). Any number of listeners is fine. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** Name of the plugin that this context belongs to; `app` outside plugins. */
  readonly owner: string;
  /** Ties an entry in some table to this context: attached now (or when an update is swapped in), detached at its end. */
  contribute(entry: ContributionEntry): Disposer;
}

/** Where a plugin or an application registers things, and what it reads services from. */
export interface Context extends Services, ContextMembers {}
