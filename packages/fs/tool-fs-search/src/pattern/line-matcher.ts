import { RE2JS } from 're2js';

export interface LinePattern {
  readonly pattern: string;
  readonly isLiteral: boolean;
  readonly ignoreCase: boolean;
}

/** Finds a pattern in lines, in time linear in their length, whatever the pattern. */
export interface LineMatcher {
  /** False: no line of the text matches, for certain. */
  mayMatch(text: string): boolean;
  matches(line: string): boolean;
  /** Where the first match in a line begins; for showing, so only of lines that are not long. */
  place(line: string): number | undefined;
}

const META = /[\\^$.|?*+()[\]{}]/;

/** @throws SyntaxError with words that finish the sentence `the pattern …` */
export function lineMatcher({ pattern, isLiteral, ignoreCase }: LinePattern): LineMatcher {
  if (/[\r\n]/.test(pattern)) throw new SyntaxError('has a line break in it, and a line has none: search for one of the lines');
  const isPlain = isLiteral || !META.test(pattern);
  if (isPlain && !ignoreCase) {
    const place = (line: string): number | undefined => {
      const at = line.indexOf(pattern);
      return at < 0 ? undefined : at;
    };
    const has = (text: string): boolean => text.includes(pattern);
    return { mayMatch: has, matches: has, place };
  }
  const source = isPlain ? RE2JS.quote(pattern) : regexSource(pattern);
  const flags = ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
  const line = compiled(source, flags);
  // Over many lines at once ^ and $ are those of each; the ends of a text are not, so a pattern with those is tried line by line.
  const text = /\\[AzZ]/.test(source) ? undefined : compiled(source, flags | RE2JS.MULTILINE);
  return {
    mayMatch: (content) => text?.test(content) ?? true,
    matches: (content) => line.test(content),
    place(content) {
      const matcher = line.matcher(content);
      return matcher.find() ? matcher.start() : undefined;
    },
  };
}

function regexSource(pattern: string): string {
  const ahead = /\(\?(?:[=!]|<[=!])/.exec(pattern)?.[0];
  if (ahead !== undefined) throw new SyntaxError(`uses "${ahead}": lookaround is not supported`);
  if (/(?:^|[^\\])(?:\\\\)*\\[1-9]/.test(pattern)) throw new SyntaxError('uses a back reference, which is not supported');
  return RE2JS.translateRegExp(pattern);
}

function compiled(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(source, flags);
  } catch (error) {
    const words = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'cannot be read';
    throw new SyntaxError(`is no valid regular expression: ${words}`, { cause: error });
  }
}
