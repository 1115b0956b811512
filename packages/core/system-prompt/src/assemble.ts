import type { Context } from '@sluice/core-context';
import { describeIssues, snapshotJson, SluiceError } from '@sluice/core-schema';
import type { ToolSchema } from '@sluice/core-tools';
import type { Sections } from './sections.ts';
import { ordered } from './tool-order.ts';
import type { AssembledPrompt, AssembledSection, PromptParts } from './types.ts';

/** The prompt of one scope, as things are now. */
export async function assemble(ctx: Context, registered: Sections, order: readonly string[]): Promise<AssembledPrompt> {
  const presentation = ctx.get('tools')?.presentation();
  const sections = await textsOf(ctx, registered, presentation?.sections ?? []);
  const more = await Promise.all(registered.providers(ctx.scopeRef).map(async (provide) => provide(ctx)));
  const tools = [...(presentation?.tools ?? []), ...more.flatMap((each) => frozen(each, 'the tools of a provider'))];
  assertDistinct(tools);
  const own: PromptParts = { sections, tools: ordered(tools, order) };
  const parts = await ctx.waterfall('system-prompt/assemble', [{ scopePath: ctx.scopePath }], () => frozen(own, 'the prompt'));
  return withText(frozen(parts, 'what a listener on system-prompt/assemble made'));
}

async function textsOf(ctx: Context, registered: Sections, generated: readonly AssembledSection[]): Promise<AssembledSection[]> {
  const own = [...registered.inView(ctx.scopeRef).values()];
  const names = new Set(own.map(({ section }) => section.name));
  const texts = await Promise.all(
    own.map(async ({ section: { name, order = 0, text }, plugin }) => {
      try {
        const said: unknown = typeof text === 'function' ? await text(ctx) : text;
        if (said !== undefined && typeof said !== 'string') throw new TypeError(`its text must be a string or undefined; got ${typeof said}`);
        return { name, order, text: said ?? '' };
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw new SluiceError('PROMPT_SECTION_FAILED', `core-system-prompt: section "${name}" of "${plugin}" failed: ${why}`, { cause: error });
      }
    }),
  );
  return [...texts, ...generated.filter(({ name }) => !names.has(name))]
    .filter(({ text }) => text !== '')
    .sort((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1));
}

function assertDistinct(tools: readonly ToolSchema[]): void {
  const seen = new Set<string>();
  for (const { name } of tools) {
    if (seen.has(name)) throw new SluiceError('PROMPT_DUPLICATE_TOOL', `core-system-prompt: two tools are named "${name}"; a model could not tell them apart`);
    seen.add(name);
  }
}

function withText(parts: PromptParts): AssembledPrompt {
  if (!isWhole(parts)) throw new SluiceError('PROMPT_INVALID', 'core-system-prompt: a listener on system-prompt/assemble must answer { sections, tools }');
  const { sections, tools } = parts;
  return Object.freeze({ system: sections.map(({ text }) => text).join('\n\n'), sections, tools });
}

function isWhole({ sections, tools }: Partial<PromptParts>): boolean {
  const isText = ({ text }: Partial<AssembledSection>): boolean => typeof text === 'string';
  const isNamed = ({ name }: Partial<ToolSchema>): boolean => typeof name === 'string';
  return Array.isArray(sections) && sections.every(isText) && Array.isArray(tools) && tools.every(isNamed);
}

/** Deep as schemas may be: no recursion here. */
function frozen<T>(value: T, what: string): T {
  const snapshot = snapshotJson(value, { maxDepth: 10_000, maxNodes: 1_000_000 });
  if (snapshot.ok) return snapshot.value as T;
  throw new SluiceError('PROMPT_INVALID', `core-system-prompt: ${what} must be plain JSON: ${describeIssues([snapshot.issue], 'prompt')}`);
}
