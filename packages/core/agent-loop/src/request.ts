import type { Context } from '@sluice/core-context';
import type { Session } from '@sluice/core-session';
import type { ToolSchema } from '@sluice/core-tools';
import type { ModelSettings } from './model.ts';
import type { AgentRequest, AgentRequestInfo } from './types.ts';

interface Prompt {
  readonly system: string;
  readonly tools: readonly ToolSchema[];
}

/** By shape, so that a deployment without `@sluice/core-system-prompt` needs no package of it. */
interface PromptService {
  assemble(): Promise<Prompt>;
}

/**
 * Puts the next request together, lets listeners have their say, and writes down what of it the log does not say yet.
 *
 * @throws what the prompt or a listener throws; TypeError when a listener answers no request
 */
export async function nextRequest(ctx: Context, log: Session, info: AgentRequestInfo, own: { instructions: string; settings: ModelSettings }): Promise<AgentRequest> {
  const { system, tools } = await promptFor(ctx);
  const messages = log.deriveMessages();
  const assembled: AgentRequest = Object.freeze({
    system: [own.instructions, system].filter((part) => part !== '').join('\n\n'),
    messages,
    tools,
    settings: own.settings,
  });
  const request = await ctx.waterfall('agent/request', [info], () => assembled);
  assertRequest(request);
  keep(log, info, request, messages);
  return request;
}

function promptFor(ctx: Context): Prompt | Promise<Prompt> {
  const service = (ctx.get as (name: string) => PromptService | undefined)('systemPrompt');
  if (service !== undefined) return service.assemble();
  const { tools, sections } = ctx.tools.presentation();
  const texts = [...sections].sort((a, b) => a.order - b.order).map(({ text }) => text);
  return { system: texts.join('\n\n'), tools };
}

/** Model-visible means logged: a changed prompt, and messages that are not those of the log. */
function keep(log: Session, { turn, step }: AgentRequestInfo, { system, tools, messages }: AgentRequest, derived: AgentRequest['messages']): void {
  const known = log.prompt;
  if (known?.system !== system || !isSame(known.tools, tools)) log.append('prompt/set', { system, tools });
  if (messages !== derived) log.append('agent/request-changed', { turn, step, messages });
}

function isSame(a: readonly ToolSchema[], b: readonly ToolSchema[]): boolean {
  return a === b || (a.length === b.length && JSON.stringify(a) === JSON.stringify(b));
}

function assertRequest(request: Partial<AgentRequest> | undefined): void {
  const { system, messages, tools, settings } = request ?? {};
  if (typeof system === 'string' && Array.isArray(messages) && Array.isArray(tools) && typeof settings === 'object') return;
  throw new TypeError('core-agent-loop: a listener on agent/request must answer { system, messages, tools, settings }, as next() does');
}
