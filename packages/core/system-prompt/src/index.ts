import { definePlugin, type Context, type ScopeRef, type Waterfall } from '@sluice/core-context';
import { assemble } from './assemble.ts';
import { Sections } from './sections.ts';
import { assertOrder, UNLISTED } from './tool-order.ts';
import type { AssemblyRequest, PromptParts, PromptSection, SystemPrompt, ToolProvider } from './types.ts';

export { UNLISTED } from './tool-order.ts';
export type * from './types.ts';

export interface SystemPromptConfig {
  /** Names of tools in the order in which a model sees them; `<unlisted-tools>` stands for the rest, by name. */
  readonly toolOrder: readonly string[];
}

const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    toolOrder: { type: 'array', items: { type: 'string', minLength: 1 }, uniqueItems: true, default: [UNLISTED] },
  },
} as const;

declare module '@sluice/core-context' {
  interface Services {
    systemPrompt: SystemPrompt;
  }
  interface Hooks {
    /** `next()` gives what was put together; the answer is taken as it is, and not sorted again. */
    'system-prompt/assemble': Waterfall<[request: AssemblyRequest], PromptParts>;
  }
}

/** What others registered outlives an instance: a changed config must not cost a deployment its prompt. */
const kept = new WeakMap<ScopeRef, Sections>();

/**
 * Puts a system prompt together for each scope: sections in one order, and the tools that the scope sees. What `ctx.tools`
 * presents is part of it by itself, programs' descriptions of tools included.
 *
 * Source: dsh core/system-prompt. Differs: nothing is interpolated, and a name in the order that is no tool here is passed over.
 */
export const systemPrompt = definePlugin<SystemPromptConfig>({
  name: 'core-system-prompt',
  config,
  apply(ctx, { toolOrder }) {
    assertOrder(toolOrder);
    const sections = kept.get(ctx.scopeRef) ?? new Sections();
    kept.set(ctx.scopeRef, sections);
    ctx.provide('systemPrompt', { bind: (caller) => promptOf(caller, sections, toolOrder) });
  },
});
export default systemPrompt;

function promptOf(ctx: Context, sections: Sections, toolOrder: readonly string[]): SystemPrompt {
  const scope = ctx.scopeRef;
  return {
    section(given: PromptSection) {
      const owned = { section: checked(given), plugin: ctx.owner };
      return ctx.contribute({
        label: `prompt section ${owned.section.name}`,
        attach: () => sections.add(scope, owned),
        detach: () => sections.remove(scope, owned),
      });
    },
    tools(provider: ToolProvider) {
      if (typeof provider !== 'function') throw new TypeError('core-system-prompt: tools() takes a function that gives tools');
      const entry = { provider };
      return ctx.contribute({
        label: 'prompt tools',
        attach: () => sections.addProvider(scope, entry),
        detach: () => sections.removeProvider(scope, entry),
      });
    },
    assemble: () => assemble(ctx, sections, toolOrder),
  };
}

function checked({ name, order = 0, text }: PromptSection): PromptSection {
  if (typeof name !== 'string' || name === '') throw new TypeError('core-system-prompt: a section needs a name, a non-empty string');
  if (!Number.isFinite(order)) throw new TypeError(`core-system-prompt: order of section "${name}" must be a number; got ${String(order)}`);
  if (typeof text !== 'string' && typeof text !== 'function') throw new TypeError(`core-system-prompt: text of section "${name}" must be a string or a function`);
  return Object.freeze({ name, order, text });
}
