import { snapshotJson } from '@sluice/core-schema';
import type { Context, ToolAnnotations } from '@sluice/core-tools';
import { rememberableRule } from './answers.ts';
import { describeRule } from './describe-rule.ts';
import type { Judgement } from './judgement.ts';
import type { Remembered } from './memory/remembered.ts';
import { ruleFor } from './rule-for.ts';
import type { CallToJudge, Explanation, PermissionRules } from './types.ts';

/** The service as it is seen from one context, which says what the scope is when the caller does not. */
export function rulesFor(caller: Context, judgement: Judgement, remembered: Remembered): PermissionRules {
  const explain = (call: CallToJudge): Explanation => {
    if (typeof call.toolName !== 'string') throw new TypeError('permission-rules: toolName must be a string');
    const args = snapshotJson(call.arguments === undefined ? {} : call.arguments);
    if (!args.ok) throw new TypeError(`permission-rules: arguments must be JSON: ${args.issue.message}`);
    const scopePath = pathOf(call.scopePath) ?? caller.scopePath;
    const annotations = call.annotations ?? annotationsFrom(caller, call.toolName, scopePath);
    return judgement.explain({ toolName: call.toolName, arguments: args.value, annotations }, { scopePath, rootCallId: call.callId });
  };
  return {
    explain,
    decide: (call) => explain(call).decision,
    list: () => Object.freeze([...remembered.list()]),
    // The checks run before the first await, so that the rule holds as soon as this has been called.
    async remember(rule, place = {}) {
      const { entry, stored } = remembered.add(rememberableRule(rule), { scopePath: place.scopePath ?? caller.scopePath, callId: place.callId });
      await stored;
      return entry;
    },
    async revoke(id) {
      const { found, stored } = remembered.remove(id);
      await stored;
      return found;
    },
    ruleFor,
    describeRule,
  };
}

function pathOf(path: CallToJudge['scopePath']): readonly string[] | undefined {
  return typeof path === 'string' ? path.split('/').filter((name) => name !== '') : path;
}

/** What the tool says about itself; undefined when a call in that scope may run another tool than the one seen from here. */
function annotationsFrom(caller: Context, toolName: string, scopePath: readonly string[]): ToolAnnotations | undefined {
  const isHere = scopePath.length === caller.scopePath.length && scopePath.every((name, index) => name === caller.scopePath[index]);
  const tool = isHere ? caller.get('tools')?.get(toolName) : undefined;
  return tool === undefined ? undefined : (tool.annotations ?? {});
}
