import type { JsonValue } from '@sluice/core-tools';
import type { Decision, RememberableRule, RuleScope } from './types.ts';

const NAME = /^[A-Za-z0-9_-]+$/;

/**
 * The narrowest rule for a call: this tool with exactly these arguments, none more and none less. As a deny it takes in, as
 * every deny does, other spellings, and command lines that have this one among their parts.
 * @param remember default `session`
 * @param decision default `allow`
 * @throws TypeError for a name that no tool can have
 */
export function ruleFor(call: { readonly toolName: string; readonly arguments: JsonValue }, remember: RuleScope = 'session', decision: Decision = 'allow'): RememberableRule {
  if (typeof call.toolName !== 'string' || !NAME.test(call.toolName)) throw new TypeError(`permission-rules: ${JSON.stringify(call.toolName)} is no tool name`);
  return { tool: call.toolName, when: { '': { equals: call.arguments } }, decision, remember };
}
