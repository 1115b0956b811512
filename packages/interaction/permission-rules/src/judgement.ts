import { isSluiceError } from '@sluice/core-schema';
import type { CompiledRule } from './compile-rule.ts';
import type { DefaultDecisions } from './config.ts';
import { decide, type Subject } from './decide.ts';
import type { Place, Remembered } from './memory/remembered.ts';
import type { Explanation } from './types.ts';

const MAX_KNOWN_NAMES = 1_000;

/** Everything that decides: the config's rules, what is remembered, and the defaults. */
export class Judgement {
  readonly #rules: readonly CompiledRule[];
  readonly #remembered: Remembered;
  readonly #defaults: DefaultDecisions;
  readonly #byName = new Map<string, readonly CompiledRule[]>();

  constructor(rules: readonly CompiledRule[], remembered: Remembered, defaults: DefaultDecisions) {
    this.#rules = rules;
    this.#remembered = remembered;
    this.#defaults = defaults;
  }

  /** Never throws for a file that cannot be read: then nobody knows what has been denied, so everything is. */
  explain(subject: Subject, place: Place): Explanation {
    try {
      const configured = this.#configured(subject.toolName);
      if (this.#remembered.isEmpty) return decide(subject, configured, this.#defaults);
      const remembered = this.#remembered.rulesAt(place).filter((rule) => rule.isFor(subject.toolName));
      return decide(subject, [...configured, ...remembered], this.#defaults);
    } catch (error) {
      if (!isSluiceError(error)) throw error;
      return { decision: 'deny', source: 'memory-file', why: error.message, matched: [], rememberable: false };
    }
  }

  #configured(toolName: string): readonly CompiledRule[] {
    const known = this.#byName.get(toolName);
    if (known !== undefined) return known;
    if (this.#byName.size >= MAX_KNOWN_NAMES) this.#byName.clear();
    const rules = this.#rules.filter((rule) => rule.isFor(toolName));
    this.#byName.set(toolName, rules);
    return rules;
  }
}

/** What a model is told, or a person is asked: the rule's own reason, or which rule it is, but not what else it says. */
export function reasonOf({ decision, reason, rule, source, why }: Explanation, toolName: string): string {
  if (reason !== undefined) return reason;
  if (source === 'memory-file') return 'the file of remembered permission rules cannot be used, so nothing may run until a person has repaired it';
  if (rule === undefined) return decision === 'deny' ? `no permission rule allows this call of tool "${toolName}"` : why;
  return decision === 'deny' ? `permission rule ${rule.id} denies this call of tool "${toolName}"` : `permission rule ${rule.id} asks about this call of tool "${toolName}"`;
}
