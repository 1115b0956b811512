import { canonicalJson, type JsonValue } from '@sluice/core-tools';
import type { Condition, RememberableRule, Rule, RuleScope } from './types.ts';

const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}]|(?! )\p{Z}/gu;
const KEPT: Readonly<Record<RuleScope, string>> = {
  call: 'for this one call and what it calls',
  session: 'for this session, in this scope and below',
  project: 'for this project, until revoked',
  user: 'for every project, until revoked',
};

/**
 * A rule in words: complete, on one line, and never the same for two different rules. Values are JSON; whatever a terminal
 * would hide or obey stands there as an escape.
 */
export function describeRule(rule: Rule | RememberableRule): string {
  const conditions = Object.entries(rule.when ?? {});
  const isExact = conditions.length === 1 && conditions[0]?.[0] === '' && 'equals' in conditions[0][1];
  const when =
    conditions.length === 0 ? 'with any arguments'
    : isExact ? `with exactly these arguments: ${json((conditions[0] as [string, { equals: JsonValue }])[1].equals)}`
    : `where ${conditions.map(([path, condition]) => `${path === '' ? 'all arguments' : `argument ${json(path)}`} ${words(condition, rule.decision)}`).join(' and ')}; other arguments may be anything`;
  const kept = 'remember' in rule ? ` (${KEPT[rule.remember]})` : '';
  return `${rule.decision} tool ${json(rule.tool)} ${when}${kept}`;
}

function words(condition: Condition, decision: Rule['decision']): string {
  const is = decision === 'allow' ? 'is' : 'may be';
  if ('equals' in condition) return `${is} exactly ${json(condition.equals)}`;
  if ('oneOf' in condition) return `${is} one of ${json(condition.oneOf)}`;
  if ('path' in condition) return `${is} a path inside the root like ${json(condition.path)}`;
  if ('startsWithWord' in condition) {
    return decision === 'allow' ? `is one simple command that begins with the words ${json(condition.startsWithWord)}` : `may run a command that begins with the words ${json(condition.startsWithWord)}`;
  }
  return decision === 'allow' ? `matches as a whole the pattern ${json(condition.matches)}` : `matches anywhere the pattern ${json(condition.matches)}`;
}

function json(value: JsonValue): string {
  return canonicalJson(value).replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`).join(''),
  );
}
