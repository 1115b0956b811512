import { describeIssues, snapshotJson } from '@sluice/core-schema';
import type { ApprovalOutcome } from '@sluice/core-tools';
import type { ApprovalRule } from './types.ts';

/**
 * An answer as an outcome of its own, frozen; nothing of the answer is kept but text and plain JSON.
 *
 * @throws TypeError for everything that is none of the five outcomes, and whatever the answer's own accessors throw
 */
export function parseOutcome(answer: unknown): ApprovalOutcome {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    throw new TypeError(`approval: it answered ${answer === null ? 'null' : typeof answer} instead of an outcome`);
  }
  const { kind, feedback, why, rule } = answer as Readonly<Record<string, unknown>>;
  // An `await` was forgotten: its rejection would have nowhere to go and would end the process.
  for (const member of [kind, feedback, why, rule]) if (member instanceof Promise) member.catch(ignore);
  switch (kind) {
    case 'allowed-once':
    case 'cancelled':
      return Object.freeze({ kind });
    case 'allowed-always':
      return Object.freeze({ kind, rule: parseRule(rule) });
    case 'rejected':
      return Object.freeze(typeof feedback === 'string' && feedback !== '' ? { kind, feedback } : { kind });
    case 'unavailable':
      return Object.freeze({ kind, why: typeof why === 'string' && why !== '' ? why : 'no reason given' });
    default:
      throw new TypeError(`approval: it answered an outcome of unknown kind ${JSON.stringify(String(kind).slice(0, 40))}`);
  }
}

function ignore(): void {
  // Refusing the answer says enough.
}

const REMEMBER: ReadonlySet<unknown> = new Set(['session', 'project', 'user']);

/** An "always" whose rule says nothing clear is no grant at all: somebody would have to guess what was meant. */
function parseRule(rule: unknown): ApprovalRule {
  const copy = snapshotJson(rule);
  if (!copy.ok) throw new TypeError(`approval: the rule of an "allowed-always" must be plain JSON: ${describeIssues([copy.issue], 'the rule')}`);
  const { tool, when, decision, remember } = (copy.value ?? {}) as Readonly<Record<string, unknown>>;
  const isRule =
    typeof tool === 'string' && tool !== '' && decision === 'allow' && REMEMBER.has(remember) &&
    (when === undefined || (typeof when === 'object' && when !== null && !Array.isArray(when)));
  if (!isRule) {
    throw new TypeError('approval: "allowed-always" needs a rule { tool, when?, decision: "allow", remember: "session" | "project" | "user" }');
  }
  return copy.value as unknown as ApprovalRule;
}
