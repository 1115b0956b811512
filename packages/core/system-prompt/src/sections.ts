import type { ScopeRef } from '@sluice/core-context';
import { SluiceError } from '@sluice/core-schema';
import type { PromptSection, ToolProvider } from './types.ts';

export interface OwnedSection {
  readonly section: PromptSection;
  readonly plugin: string;
}

interface Layer {
  readonly sections: Map<string, OwnedSection>;
  readonly providers: Set<{ readonly provider: ToolProvider }>;
}

/** Sections and providers in one layer per scope; what a scope sees is its own and everything above. */
export class Sections {
  // Keyed by identity, so that a scope that is gone takes its layer along.
  readonly #layers = new WeakMap<ScopeRef, Layer>();

  /** @throws SluiceError `PROMPT_DUPLICATE_SECTION` */
  add(scope: ScopeRef, owned: OwnedSection): void {
    const { sections } = this.#layer(scope);
    const present = sections.get(owned.section.name);
    if (present !== undefined) {
      throw new SluiceError(
        'PROMPT_DUPLICATE_SECTION',
        `core-system-prompt: section "${owned.section.name}" of "${owned.plugin}" is already there, by "${present.plugin}"; ` +
          'dispose the first, rename one, or register through a scope of its own',
      );
    }
    sections.set(owned.section.name, owned);
  }

  remove(scope: ScopeRef, owned: OwnedSection): void {
    const { sections } = this.#layer(scope);
    if (sections.get(owned.section.name) === owned) sections.delete(owned.section.name);
  }

  addProvider(scope: ScopeRef, entry: { readonly provider: ToolProvider }): void {
    this.#layer(scope).providers.add(entry);
  }

  removeProvider(scope: ScopeRef, entry: { readonly provider: ToolProvider }): void {
    this.#layer(scope).providers.delete(entry);
  }

  /** By name; the nearest wins. */
  inView(scope: ScopeRef): ReadonlyMap<string, OwnedSection> {
    const found = new Map<string, OwnedSection>();
    for (const layer of this.#chain(scope)) for (const [name, owned] of layer.sections) if (!found.has(name)) found.set(name, owned);
    return found;
  }

  /** The farthest scope's first, each in order of registration. */
  providers(scope: ScopeRef): readonly ToolProvider[] {
    return this.#chain(scope).reverse().flatMap((layer) => [...layer.providers].map(({ provider }) => provider));
  }

  #chain(scope: ScopeRef): Layer[] {
    const chain: Layer[] = [];
    for (let at: ScopeRef | undefined = scope; at !== undefined; at = at.parent) {
      const layer = this.#layers.get(at);
      if (layer !== undefined) chain.push(layer);
    }
    return chain;
  }

  #layer(scope: ScopeRef): Layer {
    let layer = this.#layers.get(scope);
    if (layer === undefined) {
      layer = { sections: new Map(), providers: new Set() };
      this.#layers.set(scope, layer);
    }
    return layer;
  }
}
