import type { Fiber } from './fiber.ts';
import type { Layer } from './layer.ts';
import { nearestService, type ServiceEntry } from './services.ts';
import type { Context } from './types.ts';

interface Known {
  readonly entry: ServiceEntry | undefined;
  readonly value: unknown;
  /** The state of the scope's services at which this was found. */
  version: number;
}

/** Services that a plugin instance was started on stay the same for all its life. */
const FOR_LIFE = -1;

/** Found while an update is being prepared: to be looked up again each time. */
const FOR_NOW = -2;

/** The services as one context sees them: found once, bound once, and looked up again only when some provider changed. */
export class ServiceReader {
  readonly #fiber: Fiber;
  readonly #ctx: Context;
  readonly #known = new Map<string, Known>();
  #isClosed = false;

  constructor(fiber: Fiber, ctx: Context) {
    this.#fiber = fiber;
    this.#ctx = ctx;
  }

  read(name: string): unknown {
    const known = this.#known.get(name);
    if (known !== undefined && (known.version === FOR_LIFE || known.version === this.#fiber.layer.servicesVersion())) return known.value;
    return this.#find(name, known);
  }

  /** Names of all services in view, nearest first. */
  names(): string[] {
    const names = new Set<string>();
    for (let layer: Layer | undefined = this.#fiber.layer; layer !== undefined; layer = layer.parent) {
      for (const name of layer.serviceNames()) names.add(name);
    }
    return [...names];
  }

  forget(entry: ServiceEntry): void {
    if (this.#known.get(entry.name)?.entry === entry) this.#known.delete(entry.name);
  }

  /** The context has ended: it remembers nothing any more, and is remembered by nothing. */
  close(): void {
    this.#isClosed = true;
    for (const { entry } of this.#known.values()) entry?.readers.delete(this);
    this.#known.clear();
  }

  #find(name: string, known: Known | undefined): unknown {
    const { layer, pins, staged, isLive } = this.#fiber;
    const pinned = pins.get(name);
    const entry = pinned ?? nearestService(name, layer, staged);
    const version = pinned !== undefined ? FOR_LIFE : isLive ? layer.servicesVersion() : FOR_NOW;
    if (known !== undefined && known.entry === entry) {
      known.version = version;
      return known.value;
    }
    const value = entry?.valueFor(this.#ctx);
    if (this.#isClosed) return value;
    known?.entry?.readers.delete(this);
    entry?.readers.add(this);
    this.#known.set(name, { entry, value, version });
    return value;
  }
}
