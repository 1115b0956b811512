import type { Fiber } from './fiber.ts';
import type { Layer } from './layer.ts';
import type { Mount } from './mount.ts';
import { compareKeys } from './order.ts';
import type { ServiceReader } from './service-reader.ts';
import type { Context } from './types.ts';

/** One provided service. */
export class ServiceEntry {
  readonly name: string;
  readonly fiber: Fiber;
  readonly #service: unknown;
  /** The plugin instances that were started on it: it may not be cleaned up before they have ended. */
  readonly users = new Set<Fiber>();
  /** The contexts that remember it. */
  readonly readers = new Set<ServiceReader>();

  constructor(name: string, service: unknown, fiber: Fiber) {
    this.name = name;
    this.#service = service;
    this.fiber = fiber;
  }

  /** It is gone for good: a context that is not read again must not keep it. */
  forgetReaders(): void {
    for (const reader of this.readers) reader.forget(this);
    this.readers.clear();
  }

  /** The service as this context gets it. */
  valueFor(ctx: Context): unknown {
    const service = this.#service;
    if (typeof service !== 'object' || service === null || !('bind' in service) || typeof service.bind !== 'function') return service;
    return (service as { bind(ctx: Context): unknown }).bind(ctx);
  }
}

/** Ends the plugin instances that stand on services which are gone, last mounted first. */
export function releaseUsers(entries: readonly ServiceEntry[]): void {
  const mounts = new Set(entries.flatMap((entry) => [...entry.users]).flatMap((user) => user.mount ?? []));
  for (const mount of [...mounts].sort((a, b) => compareKeys(b.key, a.key))) mount.release();
}

/** The services of an instance that is being prepared for an update: visible to itself and its children only. */
export class StagedServices {
  readonly #layers = new Map<Layer, Map<string, ServiceEntry>>();

  get(layer: Layer, name: string): ServiceEntry | undefined {
    return this.#layers.get(layer)?.get(name);
  }

  add(layer: Layer, entry: ServiceEntry): void {
    const names = this.#layers.get(layer) ?? new Map<string, ServiceEntry>();
    this.#layers.set(layer, names.set(entry.name, entry));
  }

  /** Whether it was there. */
  remove(layer: Layer, entry: ServiceEntry): boolean {
    const names = this.#layers.get(layer);
    return names?.get(entry.name) === entry && names.delete(entry.name);
  }
}

/** The nearest provider of a service as seen from a scope. */
export function nearestService(name: string, from: Layer, staged: StagedServices | undefined, skip?: (entry: ServiceEntry) => boolean): ServiceEntry | undefined {
  for (let layer: Layer | undefined = from; layer !== undefined; layer = layer.parent) {
    const entry = staged?.get(layer, name) ?? layer.ownService(name);
    if (entry !== undefined && skip?.(entry) !== true) return entry;
  }
  return undefined;
}

/**
 * Whether a fiber would end if the plugin ended: it is inside it, or was started on something that is. A plugin that
 * wraps a service and provides the wrapped one must not be handed its own work, or it would restart for ever.
 */
export function stemsFrom(fiber: Fiber, mount: Mount, seen = new Set<Fiber>()): boolean {
  for (let current: Fiber | undefined = fiber; current !== undefined && !seen.has(current); current = current.parent) {
    seen.add(current);
    if (current.mount === mount) return true;
    for (const entry of current.pins.values()) if (stemsFrom(entry.fiber, mount, seen)) return true;
  }
  return false;
}
