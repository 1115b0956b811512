import type { ApprovalRequest, ApprovalRule, Remember } from '@sluice/approval';
import { canonicalJson, type Context } from '@sluice/core-tools';

/** A rule that the person may agree to, and what it says. */
export interface Offer {
  readonly rule: ApprovalRule;
  readonly text: string;
}

/** What is used of the service `rules`; `@sluice/permission-rules` has it all. */
interface Rules {
  explain?(call: object): unknown;
  ruleFor?(call: { toolName: string; arguments: unknown }, remember: Remember): object;
  describeRule?(rule: object): string;
}

/** Makes the rule for one remembering; undefined where nobody would remember it, or where it would change nothing. */
export function alwaysFor(ctx: Context, request: ApprovalRequest): ((remember: Remember) => Offer) | undefined {
  const rules = (ctx as { get(name: string): unknown }).get('rules') as Rules | undefined;
  if (rules === undefined || !isRememberable(rules, request)) return undefined;
  return (remember) => {
    try {
      if (rules.ruleFor !== undefined && rules.describeRule !== undefined) {
        const { toolName, arguments: args } = request;
        const rule = { ...rules.ruleFor({ toolName, arguments: args }, remember), decision: 'allow', remember } as ApprovalRule;
        const text: unknown = rules.describeRule(rule);
        if (typeof text === 'string' && text !== '') return { rule, text };
      }
    } catch (error) {
      ctx.logger.warn('approval-cli: the rules could not make a rule; offering one for exactly these arguments', error);
    }
    return exactly(request, remember);
  };
}

function isRememberable(rules: Rules, { toolName, arguments: args, scope }: ApprovalRequest): boolean {
  try {
    const said = rules.explain?.({ toolName, arguments: args, scopePath: scope === undefined ? [] : scope.split('/') });
    return (said as { rememberable?: unknown } | undefined)?.rememberable !== false;
  } catch {
    return false;
  }
}

const HOW_LONG: Readonly<Record<Remember, string>> = { session: 'this session', project: 'this project', user: 'every project' };

/** This tool with exactly these arguments, none more and none less. */
function exactly({ toolName, arguments: args }: ApprovalRequest, remember: Remember): Offer {
  return {
    rule: { tool: toolName, when: { '': { equals: args } }, decision: 'allow', remember },
    text: `allow tool ${JSON.stringify(toolName)} with exactly these arguments: ${canonicalJson(args)} (${HOW_LONG[remember]})`,
  };
}
