import picomatch from 'picomatch';
import { boundedPattern, type BoundedPattern } from './bounded-pattern.ts';

export interface GlobOptions {
  /** Whether a wildcard may stand for a name that begins with a dot. */
  readonly dot: boolean;
}

const MAGIC = /[*?[\]{}]/;
const GROUPS = /[()|]/g;
/** Without its own extensions picomatch takes `[!a]` for a class that has the exclamation mark in it. */
const NEGATED = /\[!/g;
const NATIVE_STEPS = 100_000;

/**
 * `*`, `**`, `?`, `[a-z]`, `{a,b}`, as picomatch reads them; every other character is itself, parentheses and a leading `!` too.
 * Takes linear time for a text of any length.
 */
export function globPattern(glob: string, { dot }: GlobOptions): BoundedPattern {
  if (!MAGIC.test(glob)) return { surelyMatches: (text) => text === glob, possiblyMatches: (text) => text === glob };
  const made = picomatch.makeRe(glob.replace(GROUPS, '\\$&').replace(NEGATED, '[^'), { dot, nonegate: true, noextglob: true, windows: false }) as RegExp | false;
  if (made === false) throw new SyntaxError(`the glob ${JSON.stringify(glob)} cannot be used`);
  const bounded = boundedPattern(made.source);
  const native = unicodePattern(made.source);
  // A star is a choice of where it ends, a comma one of alternatives; nothing in a glob repeats anything else.
  const degree = (glob.match(/\*+/g) ?? []).length;
  const factor = 2 ** (glob.match(/[,{[]/g) ?? []).length;
  const isCheap = (text: string): boolean => factor * (text.length + 1) ** degree <= NATIVE_STEPS;
  return {
    surelyMatches: (text) => (isCheap(text) ? native.test(text) : bounded.surelyMatches(text)),
    possiblyMatches: (text) => (isCheap(text) ? native.test(text) : bounded.possiblyMatches(text)),
  };
}

/** As the bounded one is compiled, so that both count characters alike. */
function unicodePattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}
