import { namePattern } from '@sluice/core-tools';

/** What is allowed. Every member that is given binds. */
export interface Limit {
  /** Calls per turn; 0 or more. */
  readonly perTurn?: number;
  /** Calls per run: until the scope ends or the harness says that a new run begins. */
  readonly perRun?: number;
  /** Calls that may begin within any span of so many milliseconds. */
  readonly perWindow?: { readonly calls: number; readonly ms: number };
  /** Calls that run at the same time; what is over it waits its turn. 1 or more. */
  readonly maxRunning?: number;
}

export interface RulesConfig {
  /** By tool name or pattern (`*`): each tool for itself. Exact names win over patterns, longer patterns over shorter. */
  readonly perTool: Readonly<Record<string, Limit>>;
  /** By pattern: all tools that match, counted together. Every matching entry binds; `*` is all tools of a scope. */
  readonly together: Readonly<Record<string, Limit>>;
}

/** A limit that binds a call, and the name of what counts towards it. */
export interface Rule {
  /** Unique among rules; the same for as long as the same things are counted, over a change of config. */
  readonly key: string;
  /** For the model: what the limit is on. */
  readonly subject: string;
  readonly limit: Limit;
}

/** The rules that bind calls of a tool. */
export type RulesFor = (toolName: string) => readonly Rule[];

export const noRules: RulesFor = () => NONE;
const NONE: readonly Rule[] = Object.freeze([]);

/** Names whose rules are remembered; more than that are looked up anew. */
const MAX_KNOWN = 10_000;

/** Of two equally long patterns the alphabetically first wins. */
export function rulesOf(config: RulesConfig): RulesFor {
  const lookUp = lookUpIn(config);
  // Asked several times per call.
  const known = new Map<string, readonly Rule[]>();
  return (toolName) => {
    let rules = known.get(toolName);
    if (rules === undefined) {
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(toolName, (rules = Object.freeze(lookUp(toolName))));
    }
    return rules;
  };
}

function lookUpIn({ perTool, together }: RulesConfig): (toolName: string) => Rule[] {
  const exact = new Map(Object.entries(perTool));
  const patterns = Object.entries(perTool)
    .filter(([pattern]) => pattern.includes('*'))
    .sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1))
    .map(([pattern, limit]) => ({ matches: namePattern(pattern), limit }));
  const shared = Object.entries(together).map(([pattern, limit]) => ({
    matches: namePattern(pattern),
    rule: { key: `together ${pattern}`, subject: pattern === '*' ? 'all tools together' : `tools "${pattern}" together`, limit },
  }));
  return (toolName) => {
    const rules = shared.filter(({ matches }) => matches(toolName)).map(({ rule }): Rule => rule);
    const own = exact.get(toolName) ?? patterns.find(({ matches }) => matches(toolName))?.limit;
    if (own !== undefined) rules.push({ key: `tool ${toolName}`, subject: `tool "${toolName}"`, limit: own });
    return rules;
  };
}
