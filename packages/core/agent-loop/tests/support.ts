import { aHost, aTool, type Host } from '@sluice/testing';
import type { AnySessionEvent } from '@sluice/core-session';
import type { ToolDefinition, ToolRun } from '@sluice/core-tools';
import { onTestFinished } from 'vitest';
import { agentLoop, type Agent, type AgentEvent, type AgentLoopConfig, type AgentOptions, type AgentRun, type TurnResult } from '../src/index.ts';
import { scriptedModel, type ScriptedModel, type ScriptedReply } from '../src/scripted.ts';

export interface World {
  readonly host: Host;
  readonly agent: Agent;
  readonly model: ScriptedModel;
  /** Runs one turn to its end. */
  readonly run: (input?: string, signal?: AbortSignal) => Promise<TurnResult>;
}

export interface Setting extends Partial<Omit<AgentOptions, 'model'>> {
  readonly script?: Parameters<typeof scriptedModel>[0];
  readonly model?: ScriptedModel;
  readonly tools?: readonly ToolDefinition[];
  readonly config?: Partial<AgentLoopConfig>;
}

/** One agent with a scripted model. Everything of it has ended, and left nothing, when the test is over. */
export function aWorld({ script = ['hello'], model = scriptedModel(script), tools = [], config = {}, ...options }: Setting = {}): World {
  const host = aHost();
  onTestFinished(() => host.dispose());
  host.ctx.plugin(agentLoop, config);
  for (const tool of tools) host.ctx.tools.register(tool);
  const agent = host.ctx.agents.create({ name: 'agent', model, ...options });
  return { host, agent, model, run: (input = 'go', signal) => agent.run(input, signal === undefined ? {} : { signal }).ended };
}

export function tool(name: string, execute: (args: Record<string, unknown>, exec: ToolRun) => unknown = () => name, more: object = {}): ToolDefinition {
  return aTool({ name, execute: execute, ...more });
}

export const calls = (...names: string[]): ScriptedReply => ({ calls: names.map((name) => ({ name })) });

export const types = (events: readonly AnySessionEvent[]): string[] => events.map(({ type }) => type);

export async function collect(run: AgentRun): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

/** Codes of the results in the log, in order; `ok` for a success. */
export const outcomes = ({ session }: Agent): string[] =>
  session.events.flatMap((event) => (event.type === 'tool/result' ? [`${event.data.callId}:${event.data.error?.code ?? 'ok'}`] : []));

/** Throws when a call has not exactly one result, in the order of the replies. */
export function assertPaired({ session }: Agent): void {
  const asked: string[] = [];
  const answered: string[] = [];
  for (const message of session.deriveMessages()) {
    if (message.role === 'assistant') for (const part of message.content) if (part.type === 'tool-call') asked.push(part.callId);
    if (message.role === 'tool') answered.push(message.callId);
  }
  if (JSON.stringify(asked) !== JSON.stringify(answered)) throw new Error(`asked ${asked.join()}, answered ${answered.join()}`);
}
