import { definePlugin, type Notification, type Waterfall } from '@sluice/core-context';
import type { SessionMessage } from '@sluice/core-session';
import { createAgent, type AgentDefaults } from './create-agent.ts';
import type { AgentRequest, AgentRequestInfo, AgentStepResult, Agents } from './types.ts';

export { contextOf } from '@sluice/core-context';
export type { LanguageModel, ModelCallOptions, ModelSettings, ModelStream, ModelStreamReader } from './model.ts';
export type { Usage } from './reply.ts';
export type * from './types.ts';

export type AgentLoopConfig = AgentDefaults;

const count = { type: 'integer', minimum: 1 } as const;
const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    maxSteps: { ...count, default: 50 },
    maxToolCalls: count,
    maxParallelToolCalls: { ...count, default: 10 },
  },
} as const;

declare module '@sluice/core-context' {
  interface Services {
    agents: Agents;
  }
  interface Hooks {
    /** Around the assembled request; what comes out is what the model sees, and what the log says it saw. A throw ends the turn. */
    'agent/request': Waterfall<[info: AgentRequestInfo], AgentRequest>;
    /** A step is over: the reply, and the results of its calls, in order. */
    'agent/step-result': Notification<[result: AgentStepResult]>;
  }
}

declare module '@sluice/core-session' {
  interface SessionEvents {
    /** A listener had the model see other messages in this step than the log has. */
    'agent/request-changed': { readonly turn: number; readonly step: number; readonly messages: readonly SessionMessage[] };
  }
}

/**
 * Agents: a model, a scope, a log, and the loop between them. Every call of a model goes through `ctx.tools.executeAll`, so
 * every policy in view of the agent holds for it.
 *
 * Source: dsh core/agent-loop. Differs: stands alone; a turn that a tool concluded stays concluded, contexts or not; budgets.
 */
export const agentLoop = definePlugin<AgentLoopConfig>({
  name: 'core-agent-loop',
  inject: ['tools'],
  config,
  apply(ctx, defaults) {
    ctx.provide('agents', { bind: (caller) => ({ create: (options) => createAgent(caller, options, defaults) }) });
  },
});
export default agentLoop;
