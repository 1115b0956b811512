import { inspect } from 'node:util';
import { resolveConfig } from '@sluice/core-schema';
import { entryContribution, listenerContribution, scopeContribution } from './contribution.ts';
import { assertPlugin } from './define-plugin.ts';
import { disposeFiber } from './disposal.ts';
import { runEffect } from './effect.ts';
import { notify } from './emit.ts';
import { Fiber } from './fiber.ts';
import { inspectFiber } from './inspect.ts';
import { Layer } from './layer.ts';
import { Mount } from './mount.ts';
import { prepended } from './order.ts';
import { MountedPlugin } from './plugin-handle.ts';
import { provideService } from './provide.ts';
import { whenReady } from './readiness.ts';
import { exposeService, guardMissingMembers } from './service-access.ts';
import { rememberScope } from './scope-contexts.ts';
import { assertServiceName, serviceMissing, WELL_KNOWN_SERVICES } from './service-names.ts';
import { ServiceReader } from './service-reader.ts';
import type {
  AsyncDisposer, Cleanup, Context, ContextMembers, ContextNode, ContributionEntry, Disposer, ListenerEntry, ListenOptions, Logger, MountOptions,
  Plugin, PluginHandle, ScopeRef,
} from './types.ts';
import { runWaterfall } from './waterfall.ts';

/**
 * A scope and a lifetime, seen together: what is registered here goes into the scope's tables and ends with the lifetime.
 * Hook and service names are plain strings in here; `Context` is what gives them types.
 */
export class HostContext implements Untyped<ContextMembers> {
  readonly #fiber: Fiber;
  readonly #layer: Layer;
  readonly #services: ServiceReader;

  constructor(fiber: Fiber) {
    this.#fiber = fiber;
    this.#layer = fiber.layer;
    this.#services = new ServiceReader(fiber, asContext(this));
    fiber.reader = this.#services;
  }

  get scopePath(): readonly string[] {
    return this.#layer.ref.path;
  }

  get scopeRef(): ScopeRef {
    return this.#layer.ref;
  }

  get signal(): AbortSignal {
    return this.#fiber.signal;
  }

  get logger(): Logger {
    return this.#fiber.host.logger;
  }

  get owner(): string {
    return this.#fiber.owner;
  }

  plugin(plugin: Plugin<never>, config?: unknown, options?: MountOptions): PluginHandle {
    this.#fiber.assertOpen('mount a plugin');
    assertPlugin(plugin);
    const before = options?.before === undefined ? undefined : this.#neighbour(options.before, plugin.name);
    const resolved = resolveConfig(plugin.config, config, `plugin "${plugin.name}"`);
    for (const name of plugin.inject ?? []) expose(name);
    const mount = new Mount(this.#fiber, plugin, resolved, before);
    mount.enter();
    return new MountedPlugin(mount);
  }

  #neighbour(handle: PluginHandle, name: string): Mount {
    const mount = MountedPlugin.mountOf(handle);
    if (mount?.parent === this.#fiber && !mount.isDisposed) return mount;
    throw new TypeError(`core-context: plugin "${name}" can only be mounted before one that is mounted in the same context, and not disposed`);
  }

  on(hook: string, listener: (...args: never[]) => unknown, options?: ListenOptions): Disposer {
    const fiber = this.#fiber;
    fiber.assertOpen(`listen on "${hook}"`);
    if (typeof hook !== 'string' || hook === '') throw new TypeError('core-context: a hook name must be a non-empty string');
    if (typeof listener !== 'function') throw new TypeError(`core-context: the listener on "${hook}" must be a function, received ${typeof listener}`);
    const place = fiber.slots.take();
    const key = options?.prepend === true ? prepended(place) : place;
    (fiber.hooks ??= new Set()).add(hook);
    return fiber.contribute(listenerContribution({ hook, key, fiber, listener: listener as (...args: unknown[]) => unknown }), `listen on "${hook}"`);
  }

  provide(name: string, service: unknown): AsyncDisposer {
    this.#fiber.assertOpen('provide a service');
    expose(name);
    return provideService(this.#fiber, name, service);
  }

  get(name: string): unknown {
    return this.#services.read(name);
  }

  effect(setup: () => Cleanup | void, label = 'effect'): AsyncDisposer {
    return runEffect(this.#fiber, setup, label);
  }

  contribute(entry: ContributionEntry): Disposer {
    return this.#fiber.contribute(entryContribution(entry), `contribute ${entry.label}`);
  }

  scope(name: string): Context {
    const parent = this.#fiber;
    parent.assertOpen('make a scope');
    if (typeof name !== 'string' || name === '') throw new TypeError('core-context: a scope name must be a non-empty string');
    const { host, owner, slots, staged, isLive } = parent;
    const layer = new Layer(name, this.#layer, host.chains);
    const scope = new Fiber({ kind: 'scope', name, owner, host, layer, slots, parent, staged, isLive });
    scope.leaveParent = parent.contribute(scopeContribution(scope, this.#layer.childNames), 'make a scope');
    parent.owned.add(scope);
    return rememberScope(asContext(new HostContext(scope)));
  }

  emit(hook: string, ...args: unknown[]): void {
    notify(this.#layer.listeners(hook), hook, args, this.#fiber.host.logger);
  }

  waterfall(hook: string, args: readonly unknown[], last: () => unknown): Promise<unknown> {
    return runWaterfall(this.#layer.listeners(hook), args, last);
  }

  listeners(hook: string): readonly ListenerEntry[] {
    return this.#layer.listeners(hook);
  }

  closedGates(): readonly string[] {
    return this.#layer.closedGates();
  }

  ready(): Promise<void> {
    return whenReady(this.#fiber);
  }

  inspect(): ContextNode {
    return inspectFiber(this.#fiber);
  }

  dispose(): Promise<void> {
    return disposeFiber(this.#fiber);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  [inspect.custom](): string {
    const { title, owner } = this.#fiber;
    return `Context <${title}, owner ${owner}, services: ${this.#services.names().join(', ') || 'none'}>`;
  }

  static {
    guardMissingMembers(this.prototype, (ctx, name) => {
      if (typeof ctx === 'object' && ctx !== null && #services in ctx) throw serviceMissing(name, ctx.#fiber.title, ctx.#services.names());
      return undefined;
    });
  }

  /** What `ctx.<name>` does. */
  static readService(ctx: HostContext, name: string): unknown {
    const service = ctx.#services.read(name);
    if (service === undefined) throw serviceMissing(name, ctx.#fiber.title, ctx.#services.names());
    return service;
  }
}

/** The same members, with names and functions of any kind. */
type Untyped<T> = { [K in keyof T]: T[K] extends (...args: never[]) => unknown ? (...args: never[]) => unknown : T[K] };

/** Every member of a context, and of any object: no service can have such a name. */
const RESERVED = new Set([...Object.getOwnPropertyNames(HostContext.prototype), ...Object.getOwnPropertyNames(Object.prototype)]);

for (const name of WELL_KNOWN_SERVICES) expose(name);

function expose(name: string): void {
  assertServiceName(name, RESERVED);
  exposeService(HostContext.prototype, name, (ctx, key) => HostContext.readService(ctx as HostContext, key));
}

/** The types of services and hooks come from declaration merging, which no class can implement. */
export function asContext(context: HostContext): Context {
  return context as unknown as Context;
}
