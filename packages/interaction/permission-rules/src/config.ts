import type { Decision, Rule } from './types.ts';

export interface DefaultDecisions {
  /** For a tool that no rule matches. Default `ask`. */
  readonly unmatched: Decision;
  /** In place of `unmatched` for tools that say `readOnlyHint: true` and not `destructiveHint: true`. Default: as `unmatched`. */
  readonly readOnlyHint?: Decision;
  /** At least this for tools that say `destructiveHint: true`, and for tools that cannot be seen. Default `ask`. */
  readonly destructiveHint: Decision;
}

export interface PermissionRulesConfig {
  /** In any order: the strictest match wins. Default: none. */
  readonly rules: readonly Rule[];
  readonly defaults: DefaultDecisions;
  /** `observe` only tells, through `rules/observed` and the log. Default `enforce`. */
  readonly mode: 'enforce' | 'observe';
  /** Directory that `path` conditions are about, and that project rules belong to. Default: the working directory when mounted. */
  readonly root?: string;
  /** Where project and user rules are kept. Relative to the root; better outside of it. Default: nowhere, so they last a session. */
  readonly file?: string;
  /** Names of arguments that hold a command line: their rules know about `;`, `|` and the like. Default `command`, `cmd`, `script`. */
  readonly commandArguments: readonly string[];
}

const decision = { enum: ['allow', 'ask', 'deny'] } as const;
const text = { type: 'string', minLength: 1 } as const;

const condition = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    equals: {},
    oneOf: { type: 'array', minItems: 1 },
    path: text,
    startsWithWord: text,
    matches: text,
  },
} as const;

/** The members of a rule, shared with what is remembered. */
export const ruleProperties = {
  tool: text,
  when: { type: 'object', minProperties: 1, additionalProperties: condition },
  decision,
  reason: text,
} as const;

export const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    rules: {
      type: 'array',
      default: [],
      items: { type: 'object', additionalProperties: false, required: ['tool', 'decision'], properties: ruleProperties },
    },
    defaults: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        unmatched: { ...decision, default: 'ask' },
        readOnlyHint: decision,
        destructiveHint: { ...decision, default: 'ask' },
      },
    },
    mode: { enum: ['enforce', 'observe'], default: 'enforce' },
    root: text,
    file: text,
    commandArguments: { type: 'array', items: text, default: ['command', 'cmd', 'script'] },
  },
} as const;
