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

/**
 * `*`, `**`, `?`, `[a-z]`, `{a,b}`, as picomatch reads them; every other character is itself, parentheses and a leading `!` too.
 * Takes linear time.
 */
export function globPattern(glob: string, { dot }: GlobOptions): BoundedPattern {
  if (!MAGIC.test(glob)) return { surelyMatches: (text) => text === glob, possiblyMatches: (text) => text === glob };
  const made = picomatch.makeRe(glob.replace(GROUPS, '\\$&').replace(NEGATED, '[^'), { dot, nonegate: true, noextglob: true, windows: false }) as RegExp | false;
  if (made === false) throw new SyntaxError(`the glob ${JSON.stringify(glob)} cannot be used`);
  return boundedPattern(made.source);
}
