import type { JsonValue } from '@sluice/core-tools';
import type { RememberableRule, RuleScope } from './types.ts';

const NAME = /^[A-Za-z0-9_-]+$/;

/**
 * The narrowest rule that allows a call again: this tool with exactly these arguments, none more and none less.
 * @param remember default `session`
 * @throws TypeError for a name that no tool can have
 */
export function ruleFor(call: { readonly toolName: string; readonly arguments: JsonValue }, remember: RuleScope = 'session'): RememberableRule {
  if (typeof call.toolName !== 'string' || !NAME.test(call.toolName)) throw new TypeError(`permission-rules: ${JSON.stringify(call.toolName)} is no tool name`);
  return { tool: call.toolName, when: { '': { equals: call.arguments } }, decision: 'allow', remember };
}
