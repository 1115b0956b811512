import { compileSchema, describeIssues, snapshotJson, SluiceError } from '@sluice/core-schema';
import { ruleProperties } from './config.ts';
import type { RememberableRule } from './types.ts';

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['tool', 'decision', 'remember'],
  properties: { ...ruleProperties, remember: { enum: ['call', 'session', 'project', 'user'] } },
} as const;

/** A rule from outside, checked and copied. @throws SluiceError `INVALID_RULE` */
export function rememberableRule(given: unknown): RememberableRule {
  const copy = snapshotJson(given);
  const issues = copy.ok ? compileSchema(schema, { origin: 'own', label: 'permission-rules: a rule' }).validate(copy.value) : [copy.issue];
  if (!copy.ok || issues.length > 0) throw new SluiceError('INVALID_RULE', `permission-rules: this is no rule to remember: ${describeIssues(issues, 'rule')}`);
  return copy.value as unknown as RememberableRule;
}
