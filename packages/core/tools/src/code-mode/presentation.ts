import type { Context, ScopeRef } from '@sluice/core-context';
import { SluiceError } from '@sluice/core-schema';
import { RESERVED_NAME } from '../registry/name.ts';
import type { Registry } from '../registry/registry.ts';
import type { Presentation, PresentationMode, PresentationSection, ToolSchema } from '../types.ts';
import { noRuntime, runCodeSchema } from './run-code.ts';
import type { SdkRenderer, SdkTool } from './sdk/sdk-renderer.ts';
import { typescriptSdk } from './sdk/typescript.ts';

/** Language when no runtime says another. */
const DEFAULT_LANGUAGE = 'typescript';

/** Before the guidance of single tools (100 to 199), so that it is read first. Source of both numbers: dsh core/tools. */
const RULE_ORDER = 99;
const SDK_ORDER = 150;

const RULE: PresentationSection = Object.freeze({
  name: 'tools:code-only',
  order: RULE_ORDER,
  text:
    `The only tool you can call directly is \`${RESERVED_NAME}\`. Every other tool named here is a function of \`tools\` inside the program ` +
    'that you give it; a direct call of one fails.',
});

interface Shown {
  readonly stamp: number;
  readonly mode: PresentationMode;
  readonly renderer: SdkRenderer | undefined;
  readonly presentation: Presentation;
}

/** What models are shown, by scope; made again only when something on the scope's chain changed. */
export class Presentations {
  readonly #registry: Registry;
  readonly #budget: number;
  readonly #shown = new WeakMap<ScopeRef, Shown>();
  readonly #schemas = new WeakMap<ScopeRef, { native: readonly ToolSchema[]; renderer: SdkRenderer; all: readonly ToolSchema[] }>();

  /** `budget`: characters of a full SDK section; a longer one is a summary. */
  constructor(registry: Registry, budget: number) {
    this.#registry = registry;
    this.#budget = budget;
  }

  /** Every tool that can be reached, `run_code` last where there is one. */
  schemas(ctx: Context): readonly ToolSchema[] {
    const scope = ctx.scopeRef;
    const native = this.#registry.schemas(scope);
    if (!this.#registry.isOpen || this.#registry.mode(scope) === 'native') return native;
    const renderer = this.renderer(ctx) ?? typescriptSdk;
    const cached = this.#schemas.get(scope);
    if (cached?.native === native && cached.renderer === renderer) return cached.all;
    const all = Object.freeze([...native, runCodeSchema(renderer)]);
    this.#schemas.set(scope, { native, renderer, all });
    return all;
  }

  /** Undefined for a language that nobody can describe tools in. */
  renderer(ctx: Context): SdkRenderer | undefined {
    const language = ctx.get('codeRuntime')?.language ?? DEFAULT_LANGUAGE;
    return this.#registry.sdk(ctx.scopeRef, language) ?? (language === DEFAULT_LANGUAGE ? typescriptSdk : undefined);
  }

  /** @throws SluiceError `CODE_RUNTIME_MISSING`, `SDK_UNKNOWN_LANGUAGE` */
  of(ctx: Context): Presentation {
    const scope = ctx.scopeRef;
    const mode = this.#registry.mode(scope);
    const stamp = this.#registry.stamp(scope);
    const renderer = mode === 'native' ? undefined : this.#rendererFor(ctx, mode);
    const cached = this.#shown.get(scope);
    if (cached?.stamp === stamp && cached.mode === mode && cached.renderer === renderer) return cached.presentation;
    const presentation = this.#present(ctx, mode, renderer);
    this.#shown.set(scope, { stamp, mode, renderer, presentation });
    return presentation;
  }

  #rendererFor(ctx: Context, mode: PresentationMode): SdkRenderer {
    const runtime = ctx.get('codeRuntime');
    if (runtime === undefined) throw new SluiceError('CODE_RUNTIME_MISSING', `core-tools: ${noRuntime(mode, ctx.scopePath)}`);
    const renderer = this.renderer(ctx);
    if (renderer !== undefined) return renderer;
    const known = [...new Set([DEFAULT_LANGUAGE, ...this.#registry.sdkLanguages(ctx.scopeRef)])].sort();
    throw new SluiceError(
      'SDK_UNKNOWN_LANGUAGE',
      `core-tools: nothing describes tools in ${JSON.stringify(runtime.language)}, the language of the code runtime ` +
        `(known: ${known.join(', ')}); register it with ctx.tools.sdk(language, renderer)`,
    );
  }

  #present(ctx: Context, mode: PresentationMode, renderer: SdkRenderer | undefined): Presentation {
    const native = this.#registry.schemas(ctx.scopeRef);
    if (renderer === undefined) return Object.freeze({ mode, tools: native, sections: Object.freeze([]) });
    const sdk = Object.freeze({ name: 'tools:sdk', order: SDK_ORDER, text: this.#sdkText(ctx.scopeRef, renderer) });
    const transport = runCodeSchema(renderer);
    return mode === 'code'
      ? Object.freeze({ mode, tools: Object.freeze([transport]), sections: Object.freeze([RULE, sdk]) })
      : Object.freeze({ mode, tools: Object.freeze([...native, transport]), sections: Object.freeze([sdk]) });
  }

  #sdkText(scope: ScopeRef, renderer: SdkRenderer): string {
    const tools = sdkTools(this.#registry, scope);
    const full = renderer.section(tools, 'full');
    return full.length <= this.#budget ? full : renderer.section(tools, 'summary');
  }
}

/** The tools that a program finds: all that are visible, by name in code-unit order. */
export function sdkTools(registry: Registry, scope: ScopeRef): readonly SdkTool[] {
  return registry
    .tools(scope)
    .map(({ name, schema, output }) => ({ name, description: schema.description, parameters: schema.parameters, output: output.json }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
