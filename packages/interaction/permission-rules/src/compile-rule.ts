import { snapshotJson, SluiceError } from '@sluice/core-schema';
import type { JsonValue } from '@sluice/core-tools';
import { argumentPath, type Found } from './argument-path.ts';
import type { Judge } from './conditions/condition.ts';
import { equalsOneOf } from './conditions/equals.ts';
import { matchesPattern } from './conditions/matches.ts';
import { pathInside } from './conditions/path.ts';
import { startsWithWord } from './conditions/starts-with-word.ts';
import { describeRule } from './describe-rule.ts';
import { globPattern } from './glob.ts';
import type { Condition, MatchedRule, Rule } from './types.ts';

/** What rules mean depends on these. */
export interface RuleSettings {
  /** The root, absolute and with `/`: as it was given first, then as the file system calls it. */
  readonly roots: readonly [string, ...string[]];
  /** Last keys of argument paths that hold a command line, in lower case. */
  readonly commandArguments: ReadonlySet<string>;
}

export interface CompiledRule {
  readonly rule: Rule;
  readonly shown: MatchedRule;
  isFor(toolName: string): boolean;
  /** Fails closed: an allow matches what it surely describes, an ask or a deny what it may describe. */
  matches(args: JsonValue): boolean;
}

const TOOL_GLOB = /^[A-Za-z0-9_*?[\]{},!-]+$/;
const LAST_KEY = /([^.[\]"]+)[\]"]*$/;

/** @throws SluiceError `INVALID_RULE` that names the rule, the place in it and what is wrong there */
export function compileRule(given: Rule, id: string, source: MatchedRule['source'], settings: RuleSettings): CompiledRule {
  const rule = detach(given, id);
  const label = `permission-rules: ${id}`;
  if (!TOOL_GLOB.test(rule.tool)) {
    throw new SluiceError('INVALID_RULE', `${label}.tool: ${JSON.stringify(rule.tool)} is no tool name and no glob for tool names (letters, digits, _ and -, with * ? [ ] { } , as wildcards)`);
  }
  const named = inContext(`${label}.tool`, () => globPattern(rule.tool, { dot: true }));
  const tests = Object.entries(rule.when ?? {}).map(([path, condition]) =>
    inContext(`${label}.when[${JSON.stringify(path)}]`, () => ({ read: argumentPath(path), judge: judgeOf(condition, path, settings) })),
  );
  const fits = rule.decision === 'allow' ? surely : possibly;
  return {
    rule,
    shown: Object.freeze({ id, source, decision: rule.decision, text: describeRule(rule) }),
    isFor: (toolName) => named.surelyMatches(toolName),
    matches: (args) => tests.every(({ read, judge }) => fits(read(args), judge)),
  };
}

function surely({ values, isComplete }: Found, judge: Judge): boolean {
  return isComplete && values.length > 0 && values.every((value) => judge.surely(value));
}

function possibly({ values }: Found, judge: Judge): boolean {
  return values.some((value) => judge.possibly(value));
}

function judgeOf(condition: Condition, path: string, { roots, commandArguments }: RuleSettings): Judge {
  const isCommandKey = (key: string): boolean => commandArguments.has(key.toLowerCase());
  const isCommand = isCommandKey(LAST_KEY.exec(path.replace(/(?:\[(?:\*|\d+)\])+$/, ''))?.[1] ?? '');
  if ('equals' in condition) return equalsOneOf([condition.equals], isCommand, isCommandKey);
  if ('oneOf' in condition) return equalsOneOf(condition.oneOf, isCommand, isCommandKey);
  if ('path' in condition) return pathInside(condition.path, roots);
  if ('startsWithWord' in condition) return startsWithWord(condition.startsWithWord);
  return matchesPattern(condition.matches, isCommand);
}

/** A frozen copy, so that what was checked is what judges. */
function detach(rule: Rule, id: string): Rule {
  const copy = snapshotJson(rule);
  if (!copy.ok) throw new SluiceError('INVALID_RULE', `permission-rules: ${id}: ${copy.issue.message}`);
  return copy.value as unknown as Rule;
}

function inContext<T>(label: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SluiceError('INVALID_RULE', `${label}: ${error.message}`, { cause: error });
  }
}
