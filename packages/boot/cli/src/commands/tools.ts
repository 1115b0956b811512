import type { Context } from '@sluice/core-context';
import type { Presentation, ToolSchema } from '@sluice/core-tools';
import type { Mode } from '../file/body.ts';
import { DeploymentError } from '../file/problem.ts';
import type { Io } from '../terminal/io.ts';
import { exitCodes } from './exit-codes.ts';
import { open, type DeploymentOptions } from './open.ts';

export type ToolsFormat = 'text' | 'json' | 'md';

/** What the model of a scope is shown. `mode` looks at it in another presentation than the scope has. @returns the exit code */
export async function tools(options: DeploymentOptions & { readonly format: ToolsFormat; readonly mode?: Mode }, io: Io): Promise<number> {
  const { deployment, ctx } = await open(options, io);
  try {
    if (ctx.get('tools') === undefined) throw new DeploymentError([{ message: 'nothing in this deployment provides tools', remedy: 'Add "@sluice/core-tools" to "plugins".' }]);
    // In a scope of its own, so that the one that is looked at keeps its presentation.
    const seen = options.mode === undefined ? ctx : ctx.scope('sluice-tools');
    if (options.mode !== undefined) seen.tools.presentAs(options.mode);
    const presentation = presentationOf(seen);
    if (options.format === 'json') io.out(JSON.stringify(presentation, null, 2));
    else if (options.format === 'md') io.out(markdown(presentation));
    else io.out(plain(presentation, io));
    return exitCodes.ok;
  } finally {
    await deployment.close();
  }
}

function presentationOf(ctx: Context): Presentation {
  try {
    return ctx.tools.presentation();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'CODE_RUNTIME_MISSING') throw error;
    throw new DeploymentError([{ message: 'tools as functions of programs need something that runs programs', remedy: 'Add "@sluice/code-runtime-quickjs" to "plugins".', cause: error }]);
  }
}

function plain({ mode, tools: list, sections }: Presentation, { paint }: Io): string {
  const rows = list.map((tool) => `${paint.bold(signature(tool))}\n  ${firstSentence(tool.description)}`);
  const shown = rows.length === 0 ? ['no tools'] : rows;
  const rest = sections.map(({ name, text }) => `${paint.bold(`in the system prompt, ${name}`)}\n${text.replaceAll(/^/gm, '  ')}`);
  return [paint.dim(`presented: ${mode}`), ...shown, ...rest].join('\n');
}

function markdown({ mode, tools: list, sections }: Presentation): string {
  const fence = (text: string, language: string): string => {
    const ticks = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
    return `${ticks}${language}\n${text}\n${ticks}`;
  };
  return [
    `# Tools (${mode})`,
    ...list.map((tool) => `## ${tool.name}\n\n${tool.description}\n\n${fence(JSON.stringify(tool.parameters, null, 2), 'json')}`),
    ...sections.map(({ name, text }) => `## System prompt: ${name}\n\n${fence(text, 'text')}`),
  ].join('\n\n');
}

/** `read_file(path, offset?, limit?)` */
function signature({ name, parameters }: ToolSchema): string {
  const required = Array.isArray(parameters['required']) ? (parameters['required'] as readonly unknown[]) : [];
  const names = Object.keys((parameters['properties'] ?? {}) as object);
  return `${name}(${names.map((each) => (required.includes(each) ? each : `${each}?`)).join(', ')})`;
}

function firstSentence(text: string): string {
  const line = text.split('\n')[0] ?? '';
  return /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
}
