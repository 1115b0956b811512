import { alternativesOf, withoutBraces } from './braces.ts';
import { parseSegment, type Segment } from './segment.ts';

export interface GlobOptions {
  readonly isCaseSensitive: boolean;
  /** Commas outside braces separate patterns. Default false: they are text. */
  readonly isList?: boolean;
}

type Step = '**' | Segment;

/**
 * A glob over paths: `*`, `?`, `[a-z]`, `{a,b}`, and `**` for any number of directories. Without a slash it is about the last name,
 * wherever the file is. Hidden names are names like others. Takes time in proportion to pattern times path, never more.
 */
export class Glob {
  readonly #alternatives: readonly (readonly Step[])[];

  /** @throws RangeError with words that finish the sentence `the pattern …` */
  constructor(pattern: string, { isCaseSensitive, isList = false }: GlobOptions) {
    const fold = isCaseSensitive ? (text: string): string => text : (text: string): string => text.toLowerCase();
    if (pattern.startsWith('!')) throw new RangeError('begins with "!": it says what to find, not what to leave out');
    const patterns = (isList ? alternativesOf(pattern) : [pattern]).flatMap(withoutBraces);
    this.#alternatives = patterns.map((one) => stepsOf(one, fold));
  }

  /** `path` is relative to where the pattern begins, with `/` between names. */
  matches(path: string): boolean {
    const names = path.split('/');
    return this.#alternatives.some((steps) => after(steps, names).has(steps.length));
  }

  /** Whether anything below a directory could match. */
  reaches(directory: string): boolean {
    const names = directory.split('/');
    return this.#alternatives.some((steps) => [...after(steps, names)].some((step) => step < steps.length));
  }

  /** Leading names without wildcards, if all alternatives have the same ones: where to begin. */
  get base(): readonly string[] {
    const [first = [], ...others] = this.#alternatives.map((steps) => {
      const names: string[] = [];
      // The last one is a file's name, or anything.
      for (const step of steps.slice(0, -1)) {
        if (step === '**' || step.literal === undefined) break;
        names.push(step.literal);
      }
      return names;
    });
    let length = first.length;
    for (const other of others) {
      let same = 0;
      while (same < length && other[same] === first[same]) same += 1;
      length = same;
    }
    return first.slice(0, length);
  }
}

function stepsOf(pattern: string, fold: (text: string) => string): Step[] {
  const names = pattern.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw new RangeError('has ".." in it: name the directory to search in with path instead');
  if (names.length === 0) throw new RangeError('is empty');
  const steps = names.map((name): Step => (name === '**' ? '**' : parseSegment(name, fold)));
  if (pattern.endsWith('/') && steps.at(-1) !== '**') steps.push('**');
  if (!pattern.includes('/') && steps[0] !== '**') steps.unshift('**');
  return steps;
}

/** Which steps may come next once the names are taken; `steps.length` when none needs to. */
function after(steps: readonly Step[], names: readonly string[]): Set<number> {
  let now = new Set<number>();
  const add = (states: Set<number>, step: number): void => {
    states.add(step);
    // No directory at all is also any number of them; but at the end it stands for something.
    if (steps[step] === '**' && step + 1 < steps.length) add(states, step + 1);
  };
  add(now, 0);
  for (const name of names) {
    const next = new Set<number>();
    for (const state of now) {
      const step = steps[state];
      if (step === undefined) continue;
      if (step === '**') {
        add(next, state);
        if (state + 1 === steps.length) next.add(steps.length);
      } else if (step.matches(name)) add(next, state + 1);
    }
    if (next.size === 0) return next;
    now = next;
  }
  return now;
}
