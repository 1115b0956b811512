import type { JsonValue, ToolAnnotations } from '@sluice/core-tools';
import type { CompiledRule } from './compile-rule.ts';
import type { DefaultDecisions } from './config.ts';
import type { Decision, Explanation, MatchedRule } from './types.ts';

const STRICTNESS: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, deny: 2 };
const NONE: readonly MatchedRule[] = Object.freeze([]);

/** The call, as far as rules look at it. `annotations` is undefined for a tool that cannot be seen. */
export interface Subject {
  readonly toolName: string;
  readonly arguments: JsonValue;
  readonly annotations: ToolAnnotations | undefined;
}

/**
 * The strictest of all rules that match, whatever their order and wherever they come from: so a remembered allow never
 * loosens what the config says. Defaults only where nothing matches.
 */
export function decide(subject: Subject, rules: readonly CompiledRule[], defaults: DefaultDecisions): Explanation {
  const matched = rules.filter((rule) => rule.matches(subject.arguments));
  if (matched.length === 0) return byDefault(subject, defaults);
  // Stable, and config rules come first in the list: of two equally strict rules the config's speaks.
  if (matched.length > 1) matched.sort((a, b) => STRICTNESS[b.rule.decision] - STRICTNESS[a.rule.decision]);
  const { rule, shown } = matched[0] as CompiledRule;
  return {
    decision: rule.decision,
    source: shown.source,
    why: `${shown.source === 'config' ? `rule ${shown.id}` : `the remembered rule ${shown.id}`}: ${shown.text}`,
    ...(rule.reason === undefined ? {} : { reason: rule.reason }),
    rule: shown,
    matched: matched.map((each) => each.shown),
    rememberable: rule.decision === 'allow',
  };
}

function byDefault({ toolName, annotations }: Subject, defaults: DefaultDecisions): Explanation {
  const isDestructive = annotations === undefined || annotations.destructiveHint === true;
  const isReadOnly = annotations?.readOnlyHint === true && !isDestructive;
  const base = (isReadOnly ? defaults.readOnlyHint : undefined) ?? defaults.unmatched;
  const decision = isDestructive ? strictest(base, defaults.destructiveHint) : base;
  const kind =
    annotations === undefined ? 'a tool that cannot be seen from here'
    : isDestructive ? 'a tool that says it is destructive'
    : isReadOnly ? 'a tool that says it only reads'
    : 'this tool';
  return {
    decision,
    source: 'default',
    why: `no rule matches the call of "${toolName.slice(0, 80)}", and the default for ${kind} is ${decision}`,
    matched: NONE,
    rememberable: true,
  };
}

export function strictest(a: Decision, b: Decision): Decision {
  return STRICTNESS[a] >= STRICTNESS[b] ? a : b;
}
