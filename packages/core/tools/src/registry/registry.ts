import type { ScopeRef } from '@sluice/core-context';
import { SluiceError } from '@sluice/core-schema';
import type { Guard, ToolSchema } from '../types.ts';
import type { RegisteredTool } from './registered-tool.ts';
import type { CompiledRestriction } from './restriction.ts';

export interface RegisteredGuard {
  readonly guard: Guard;
  readonly plugin: string;
}

interface Layer {
  readonly tools: Map<string, RegisteredTool>;
  readonly restrictions: Set<CompiledRestriction>;
  /** Registration order. Replaced, never changed in place, so that a running pass may keep its copy. */
  guards: readonly RegisteredGuard[];
  /** Registry-wide clock of the last change here. */
  changed: number;
}

const NOTHING: readonly ToolSchema[] = Object.freeze([]);

/**
 * Tools, restrictions and guards in one layer per scope. A look-up walks from the asking scope to the root; listings are
 * cached per scope and stay valid while no layer on its chain changed. Nothing depends on how many scopes there are.
 */
export class Registry {
  // Keyed by identity, so a scope that is gone takes its layer along.
  readonly #layers = new WeakMap<ScopeRef, Layer>();
  readonly #schemas = new WeakMap<ScopeRef, { stamp: number; schemas: readonly ToolSchema[] }>();
  readonly #guards = new WeakMap<ScopeRef, { stamp: number; guards: readonly RegisteredGuard[] }>();
  #clock = 0;
  #opened = 0;

  /** Tools are visible between this and `close`; again and again, as instances of the plugin come and go. */
  open(): void {
    this.#opened += 1;
  }

  get isOpen(): boolean {
    return this.#opened > 0;
  }

  /** Whoever kept `ctx.tools` reaches no tool any more: the policies that need it are gone as well. */
  close(): void {
    this.#opened -= 1;
  }

  addTool(scope: ScopeRef, tool: RegisteredTool): void {
    const layer = this.#layer(scope);
    const present = layer.tools.get(tool.name);
    if (present !== undefined) {
      const where = scope.parent === undefined ? 'globally' : `in scope "${scope.path.join('/')}"`;
      throw new SluiceError(
        'TOOL_DUPLICATE',
        `core-tools: tool "${tool.name}" of "${tool.registrant}" is already registered ${where} by "${present.registrant}"; ` +
          `dispose the first, rename one, or register through a scope of its own`,
      );
    }
    layer.tools.set(tool.name, tool);
    this.#touch(layer);
  }

  removeTool(scope: ScopeRef, tool: RegisteredTool): void {
    const layer = this.#layer(scope);
    if (layer.tools.get(tool.name) !== tool) return;
    layer.tools.delete(tool.name);
    this.#touch(layer);
  }

  addRestriction(scope: ScopeRef, restriction: CompiledRestriction): void {
    const layer = this.#layer(scope);
    layer.restrictions.add(restriction);
    this.#touch(layer);
  }

  removeRestriction(scope: ScopeRef, restriction: CompiledRestriction): void {
    const layer = this.#layer(scope);
    layer.restrictions.delete(restriction);
    this.#touch(layer);
  }

  addGuard(scope: ScopeRef, guard: RegisteredGuard): void {
    const layer = this.#layer(scope);
    layer.guards = Object.freeze([...layer.guards, guard]);
    this.#touch(layer);
  }

  removeGuard(scope: ScopeRef, guard: RegisteredGuard): void {
    const layer = this.#layer(scope);
    layer.guards = Object.freeze(layer.guards.filter((each) => each !== guard));
    this.#touch(layer);
  }

  /** The tool that a call by this name runs in `scope`; hidden is the same as absent. */
  resolve(scope: ScopeRef, name: string): RegisteredTool | undefined {
    if (this.#opened === 0) return undefined;
    for (let at: ScopeRef | undefined = scope; at !== undefined; at = at.parent) {
      const layer = this.#layers.get(at);
      if (layer === undefined) continue;
      const tool = layer.tools.get(name);
      if (tool !== undefined) return tool;
      // Own tools are exempt: a restriction filters only what its scope inherits.
      for (const restriction of layer.restrictions) if (!restriction.admits(name)) return undefined;
    }
    return undefined;
  }

  /** Names that `scope` inherits, before its own restrictions; what a restriction may name. */
  inheritedNames(scope: ScopeRef): ReadonlySet<string> {
    return scope.parent === undefined ? new Set() : new Set(this.#view(scope.parent).keys());
  }

  names(scope: ScopeRef): string[] {
    return this.schemas(scope).map((schema) => schema.name);
  }

  schemas(scope: ScopeRef): readonly ToolSchema[] {
    if (this.#opened === 0) return NOTHING;
    const stamp = this.#stamp(scope);
    const cached = this.#schemas.get(scope);
    if (cached?.stamp === stamp) return cached.schemas;
    const schemas = Object.freeze(Array.from(this.#view(scope).values(), (tool) => tool.schema));
    this.#schemas.set(scope, { stamp, schemas });
    return schemas;
  }

  /** Global guards first, then each scope down to `scope`; registration order within one. */
  guards(scope: ScopeRef): readonly RegisteredGuard[] {
    const stamp = this.#stamp(scope);
    const cached = this.#guards.get(scope);
    if (cached?.stamp === stamp) return cached.guards;
    const guards: RegisteredGuard[] = [];
    for (const at of chainDown(scope)) guards.push(...(this.#layers.get(at)?.guards ?? []));
    this.#guards.set(scope, { stamp, guards: Object.freeze(guards) });
    return guards;
  }

  /** A shadowing tool keeps the position of the one it hides; own tools come last. */
  #view(scope: ScopeRef): Map<string, RegisteredTool> {
    let view = new Map<string, RegisteredTool>();
    for (const at of chainDown(scope)) {
      const layer = this.#layers.get(at);
      if (layer === undefined) continue;
      if (layer.restrictions.size > 0) {
        const restrictions = [...layer.restrictions];
        view = new Map([...view].filter(([name]) => restrictions.every((restriction) => restriction.admits(name))));
      }
      for (const [name, tool] of layer.tools) view.set(name, tool);
    }
    return view;
  }

  /** Latest change on the chain. The clock never repeats, so an equal stamp means that nothing changed. */
  #stamp(scope: ScopeRef): number {
    let latest = 0;
    for (let at: ScopeRef | undefined = scope; at !== undefined; at = at.parent) {
      const changed = this.#layers.get(at)?.changed ?? 0;
      if (changed > latest) latest = changed;
    }
    return latest;
  }

  #touch(layer: Layer): void {
    this.#clock += 1;
    layer.changed = this.#clock;
  }

  #layer(scope: ScopeRef): Layer {
    let layer = this.#layers.get(scope);
    if (layer === undefined) {
      layer = { tools: new Map(), restrictions: new Set(), guards: Object.freeze([]), changed: 0 };
      this.#layers.set(scope, layer);
    }
    return layer;
  }
}

function chainDown(scope: ScopeRef): ScopeRef[] {
  const chain: ScopeRef[] = [];
  for (let at: ScopeRef | undefined = scope; at !== undefined; at = at.parent) chain.unshift(at);
  return chain;
}
