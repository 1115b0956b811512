import { aHost, aTool, type Host } from '@sluice/testing';
import type { ApprovalOutcome, ApprovalRequest, Context, PluginHandle, ToolExecutionResult } from '@sluice/core-tools';
import { permissionRules, type PermissionRulesConfig, type Rule } from '../src/index.ts';

/** Somebody to ask: answers as told, and announces it as the approval package does. */
export function answering(ctx: Context, answer: (request: ApprovalRequest) => ApprovalOutcome | Promise<ApprovalOutcome>): ApprovalRequest[] {
  const asked: ApprovalRequest[] = [];
  void ctx.provide('approval', {
    async request(request) {
      asked.push(request);
      const outcome = await answer(request);
      ctx.emit('approval/decided', request, outcome);
      return outcome;
    },
  });
  return asked;
}

export interface RulesHost extends Host {
  readonly rules: PluginHandle;
  /** Arguments of every body that ran. */
  readonly ran: unknown[];
  run(name: string, args?: unknown): Promise<ToolExecutionResult>;
}

/** A host with the rules mounted, and tools that note that they ran. */
export function aRulesHost(config: Partial<PermissionRulesConfig> = {}, tools: readonly string[] = ['bash', 'read', 'write']): RulesHost {
  const host = aHost();
  const ran: unknown[] = [];
  for (const name of tools) host.ctx.tools.register(aTool({ name, execute: (args) => (ran.push(args), 'ran') }));
  const rules = host.ctx.plugin(permissionRules, { root: '/work', ...config });
  return { ...host, rules, ran, run: (name, args = {}) => host.ctx.tools.execute({ name, arguments: args }) };
}

export function codeOf(result: ToolExecutionResult): string {
  return result.isError ? result.error.info.code : 'ran';
}

export const allow = (tool: string, when?: Rule['when']): Rule => ({ tool, decision: 'allow', ...(when === undefined ? {} : { when }) });
export const ask = (tool: string, when?: Rule['when']): Rule => ({ tool, decision: 'ask', ...(when === undefined ? {} : { when }) });
export const deny = (tool: string, when?: Rule['when']): Rule => ({ tool, decision: 'deny', ...(when === undefined ? {} : { when }) });
