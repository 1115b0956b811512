import type { JsonValue, ToolAnnotations } from '@sluice/core-tools';

export type Decision = 'allow' | 'ask' | 'deny';

/** How long a remembered rule holds, and where: see `remember`. */
export type RuleScope = 'call' | 'session' | 'project' | 'user';

/**
 * What one argument must be. Exactly one key.
 *
 * In an allow it must surely be that: a value that is missing, of another kind or oddly encoded is not. In an ask or a deny
 * it is enough that it may be that, however it is written.
 */
export type Condition =
  /** Any JSON value, compared as a whole. */
  | { readonly equals: JsonValue }
  | { readonly oneOf: readonly JsonValue[] }
  /** A glob for a path inside the root, relative to it: `src/**`, `*.md`. No leading `/`, no `..`. */
  | { readonly path: string }
  /** The first words of a command, separated by one space: `git status`. */
  | { readonly startsWithWord: string }
  /** A regular expression: in an allow for the whole text, in an ask or a deny for any part of it. */
  | { readonly matches: string };

export interface Rule {
  /** A tool's name, or a glob for names. */
  readonly tool: string;
  /** By argument path: `path`, `edits[0].file`, `files[*]` for every element, `["a.b"]`, and `''` for all arguments as one object. */
  readonly when?: Readonly<Record<string, Condition>>;
  readonly decision: Decision;
  /** For the person who is asked, and for the model that is denied. */
  readonly reason?: string;
}

/** A rule and how long it is to be remembered. What an approval's `allowed-always` carries, with `decision: 'allow'`. */
export interface RememberableRule extends Rule {
  readonly remember: RuleScope;
}

/** A rule in the memory. Frozen plain JSON. */
export interface RememberedRule extends RememberableRule {
  /** The same for the same rule in the same place, so that remembering it twice changes nothing. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly rememberedAt: string;
  /** The rule in words, complete: what `describeRule` gives. */
  readonly text: string;
  /** `session`: the scope that it holds in, with those below it; `[]` is everywhere. `call`: the scope of the call. */
  readonly scopePath?: readonly string[];
  /** `call`: the root call that it holds for, with the calls nested in it. */
  readonly callId?: string;
  /** `project`: the root that it holds for. */
  readonly root?: string;
}

/** A call to judge without running it. */
export interface CallToJudge {
  readonly toolName: string;
  /** Any JSON value. Default `{}`. */
  readonly arguments?: unknown;
  /** Names from the outermost scope on, or the same joined with `/`. Default: the scope of the context that the service is read from. */
  readonly scopePath?: readonly string[] | string;
  /** For rules remembered for one call: the id of the root call. */
  readonly callId?: string;
  /** Default: those of the tool as it is seen from here. */
  readonly annotations?: ToolAnnotations;
}

/** One rule that matched. */
export interface MatchedRule {
  /** `config[2]` for the third rule of the config; a remembered rule's own id. */
  readonly id: string;
  readonly source: 'config' | 'remembered';
  readonly decision: Decision;
  readonly text: string;
}

/** Why a call would be allowed, asked about or denied. */
export interface Explanation {
  readonly decision: Decision;
  /** `memory-file`: the file of remembered rules cannot be read, so everything is denied. */
  readonly source: 'config' | 'remembered' | 'default' | 'memory-file';
  /** One sentence. */
  readonly why: string;
  /** What a person is asked or a model is told, when the deciding rule has a reason of its own. */
  readonly reason?: string;
  /** The rule that decided; absent for a default. */
  readonly rule?: MatchedRule;
  /** All that matched, strictest first. */
  readonly matched: readonly MatchedRule[];
  /** Whether remembering an allow for this call would let the next one through. False where the config asks or denies. */
  readonly rememberable: boolean;
}

export interface RememberPlace {
  /** For `session` and `call`. Default: the scope of the context that the service is read from. */
  readonly scopePath?: readonly string[];
  /** For `call`, and required there: the id of a root call. */
  readonly callId?: string;
}

/** `ctx.rules`. */
export interface PermissionRules {
  /** Which rule decides about a call, and why. Synchronous, runs nothing. @throws TypeError when the arguments are no JSON */
  explain(call: CallToJudge): Explanation;
  decide(call: CallToJudge): Decision;
  /** Everything remembered that holds here, oldest first. */
  list(): readonly RememberedRule[];
  /**
   * Remembers a rule. It holds from the moment this returns; the promise tells when it is stored too.
   * Rejects with `INVALID_RULE`, holding nothing; with `RULES_FILE` or `RULES_LOCKED` when it could not be stored: then it
   * holds until this plugin ends.
   */
  remember(rule: RememberableRule, place?: RememberPlace): Promise<RememberedRule>;
  /** Forgets a rule at once. Resolves with false when there is none of this id; rejects when the file could not be changed. */
  revoke(id: string): Promise<boolean>;
  ruleFor(call: { readonly toolName: string; readonly arguments: JsonValue }, remember?: RuleScope, decision?: Decision): RememberableRule;
  describeRule(rule: Rule | RememberableRule): string;
}

