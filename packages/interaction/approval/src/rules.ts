import type { Context } from '@sluice/core-context';
import type { ApprovalRequest } from '@sluice/core-tools';

/** What is used of the service `rules` where somebody provides it; there is no need for it. */
interface Rules {
  explain(call: { toolName: string; arguments: unknown; scopePath: readonly string[] }): unknown;
}

export type RuleDecision = 'allow' | 'ask' | 'deny';

/** What the rules say about this call at this moment; undefined without rules, or when they give no clear answer. */
export function decisionByRules(ctx: Context, { toolName, arguments: args, scope }: ApprovalRequest): RuleDecision | undefined {
  try {
    const rules = (ctx as { get(name: string): unknown }).get('rules') as Partial<Rules> | undefined;
    if (typeof rules?.explain !== 'function') return undefined;
    // A scope's own path is frozen and known by identity; it is made up only for whoever asks in another one's name.
    const isOwn = scope === undefined || scope === ctx.scopePath.join('/');
    const said = rules.explain({ toolName, arguments: args, scopePath: isOwn ? ctx.scopePath : scope.split('/') });
    const decision = (said as { decision?: unknown } | undefined)?.decision;
    return decision === 'allow' || decision === 'ask' || decision === 'deny' ? decision : undefined;
  } catch (error) {
    ctx.logger.warn('approval: the rules could not say whether they answer a question; it is asked', error);
    return undefined;
  }
}
