import type { ScopeRef } from '@sluice/core-context';
import { SluiceError } from '@sluice/core-schema';
import type { SdkRenderer } from '../code-mode/sdk/sdk-renderer.ts';
import type { Guard, PresentationMode, ToolSchema } from '../types.ts';
import { RESERVED_NAME } from './name.ts';
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
  mode: PresentationMode | undefined;
  readonly sdks: Map<string, SdkRenderer>;
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
  #defaultMode: PresentationMode = 'native';
  #transport: RegisteredTool | undefined;
  /** Scopes that chose a mode. While nobody did, no call has to ask. */
  #choices = 0;

  /** Tools are visible between this and `close`; again and again, as instances of the plugin come and go. */
  open(defaultMode: PresentationMode, transport: RegisteredTool): void {
    this.#opened += 1;
    this.#defaultMode = defaultMode;
    this.#transport = transport;
    this.#clock += 1;
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

  /** @throws TypeError for a second choice in one scope */
  choose(scope: ScopeRef, mode: PresentationMode): void {
    const layer = this.#layer(scope);
    if (layer.mode !== undefined) {
      throw new TypeError(
        `core-tools: scope "${scope.path.join('/')}" presents its tools as "${layer.mode}" already; dispose that before presentAs("${mode}")`,
      );
    }
    layer.mode = mode;
    this.#choices += 1;
    this.#touch(layer);
  }

  unchoose(scope: ScopeRef): void {
    const layer = this.#layer(scope);
    layer.mode = undefined;
    this.#choices -= 1;
    this.#touch(layer);
  }

  /** The nearest choice, or that of the config. */
  mode(scope: ScopeRef): PresentationMode {
    if (this.#choices === 0) return this.#defaultMode;
    for (let at: ScopeRef | undefined = scope; at !== undefined; at = at.parent) {
      const mode = this.#layers.get(at)?.mode;
      if (mode !== undefined) return mode;
    }
    return this.#defaultMode;
  }

  addSdk(scope: ScopeRef, language: string, renderer: SdkRenderer): void {
    const layer = this.#layer(scope);
    if (layer.sdks.has(language)) {
      throw new SluiceError('SDK_DUPLICATE', `core-tools: tools are described in ${JSON.stringify(language)} already; dispose the first, or use a scope`);
    }
    layer.sdks.set(language, renderer);
    this.#touch(layer);
  }

  removeSdk(scope: ScopeRef, language: string): void {
    const layer = this.#layer(scope);
    layer.sdks.delete(language);
    this.#touch(layer);
  }

  /** The nearest one. */
  sdk(scope: ScopeRef, language: string): SdkRenderer | undefined {
    for (let at: ScopeRef | undefined = scope; at !== undefined; at = at.parent) {
      const renderer = this.#layers.get(at)?.sdks.get(language);
      if (renderer !== undefined) return renderer;
    }
    return undefined;
  }

  sdkLanguages(scope: ScopeRef): string[] {
    return chainDown(scope).flatMap((at) => [...(this.#layers.get(at)?.sdks.keys() ?? [])]);
  }

  /** The tool that a call by this name runs in `scope`; hidden is the same as absent. */
  resolve(scope: ScopeRef, name: string): RegisteredTool | undefined {
    if (this.#opened === 0) return undefined;
    // Outside the layers: no registration shadows it, no restriction hides it.
    if (name === RESERVED_NAME) return this.mode(scope) === 'native' ? undefined : this.#transport;
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

  /** Every visible tool, in registration order. */
  tools(scope: ScopeRef): RegisteredTool[] {
    return this.#opened === 0 ? [] : [...this.#view(scope).values()];
  }

  schemas(scope: ScopeRef): readonly ToolSchema[] {
    if (this.#opened === 0) return NOTHING;
    const stamp = this.stamp(scope);
    const cached = this.#schemas.get(scope);
    if (cached?.stamp === stamp) return cached.schemas;
    const schemas = Object.freeze(Array.from(this.#view(scope).values(), (tool) => tool.schema));
    this.#schemas.set(scope, { stamp, schemas });
    return schemas;
  }

  /** Global guards first, then each scope down to `scope`; registration order within one. */
  guards(scope: ScopeRef): readonly RegisteredGuard[] {
    const stamp = this.stamp(scope);
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
  stamp(scope: ScopeRef): number {
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
      layer = { tools: new Map(), restrictions: new Set(), guards: Object.freeze([]), mode: undefined, sdks: new Map(), changed: 0 };
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
