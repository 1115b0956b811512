import type { ChainIndex } from './chain-index.ts';
import { HookTable } from './hook-table.ts';
import type { ServiceEntry } from './services.ts';
import type { ListenerEntry, ScopeRef } from './types.ts';

const NONE: readonly string[] = Object.freeze([]);

/** One scope: what is registered in it, and the way to what is registered above. */
export class Layer {
  readonly parent: Layer | undefined;
  readonly ref: ScopeRef;
  /** Names of the scopes directly below that are not disposed. */
  readonly childNames = new Set<string>();
  readonly #services = new Map<string, ServiceEntry>();
  #servicesVersion = 0;
  readonly #hooks = new Map<string, HookTable>();
  /** Per mounted plugin that is, or stands for, a closed gate: the names to report. */
  readonly #closedGates = new Map<object, readonly string[]>();
  readonly #chains: ChainIndex;
  #isClosed = false;

  constructor(name: string, parent: Layer | undefined, chains: ChainIndex) {
    this.parent = parent;
    this.#chains = chains;
    const path = Object.freeze(parent === undefined ? [] : [...parent.ref.path, name]);
    this.ref = Object.freeze(parent === undefined ? { name, path } : { name, path, parent: parent.ref });
  }

  /** The listeners in view of this scope. */
  listeners(hook: string): readonly ListenerEntry[] {
    return this.hook(hook).listeners();
  }

  hook(name: string): HookTable {
    let table = this.#hooks.get(name);
    if (table === undefined) {
      table = new HookTable(this.parent?.hook(name), this.#chains.of(name));
      if (this.#isClosed) table.close();
      this.#hooks.set(name, table);
    }
    return table;
  }

  /** The provider in this very scope. */
  ownService(name: string): ServiceEntry | undefined {
    return this.#services.get(name);
  }

  addService(entry: ServiceEntry): void {
    this.#services.set(entry.name, entry);
    this.#servicesVersion++;
  }

  removeService(entry: ServiceEntry): void {
    if (this.#services.get(entry.name) !== entry) return;
    this.#services.delete(entry.name);
    this.#servicesVersion++;
  }

  /** Grows whenever a provider in view of this scope comes or goes. */
  servicesVersion(): number {
    let version = this.#servicesVersion;
    for (let layer = this.parent; layer !== undefined; layer = layer.parent) version += layer.#servicesVersion;
    return version;
  }

  serviceNames(): string[] {
    return [...this.#services.keys()];
  }

  /** Says which gate names this owner keeps closed in this scope; none opens it. */
  setClosedGates(owner: object, names: readonly string[]): void {
    if (names.length === 0) this.#closedGates.delete(owner);
    else this.#closedGates.set(owner, names);
  }

  /** The closed gates in view of this scope, outermost scope first. */
  closedGates(): readonly string[] {
    let names = NONE;
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- the walk starts here and goes up
    for (let layer: Layer | undefined = this; layer !== undefined; layer = layer.parent) {
      if (layer.#closedGates.size > 0) names = [...[...layer.#closedGates.values()].flat(), ...names];
    }
    return names;
  }

  close(): void {
    this.#isClosed = true;
    for (const table of this.#hooks.values()) table.close();
  }
}
