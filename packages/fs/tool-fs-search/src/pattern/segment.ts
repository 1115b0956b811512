/** What stands for one character, or for any number of them. */
type Token = { readonly kind: 'star' } | { readonly kind: 'one'; matches(char: string): boolean };

/** A part of a glob between two slashes. */
export interface Segment {
  /** Has no wildcard: its name, unescaped. */
  readonly literal: string | undefined;
  /** Also true for the very name that the segment is written as, so that `[id]` finds the directory `[id]`. */
  matches(name: string): boolean;
}

export function parseSegment(source: string, fold: (text: string) => string): Segment {
  const tokens: Token[] = [];
  let literal: string | undefined = '';
  const chars = Array.from(fold(source));
  for (let i = 0; i < chars.length; i += 1) {
    const char = chars[i] as string;
    const isStar = char === '*';
    const set = char === '[' ? setAt(chars, i) : undefined;
    if (isStar || char === '?' || set !== undefined) literal = undefined;
    if (isStar) {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    } else if (char === '?') tokens.push({ kind: 'one', matches: () => true });
    else if (set !== undefined) {
      tokens.push({ kind: 'one', matches: set.matches });
      i = set.end;
    } else {
      const wanted = char === '\\' && i + 1 < chars.length ? (chars[(i += 1)] as string) : char;
      tokens.push({ kind: 'one', matches: (found) => found === wanted });
      if (literal !== undefined) literal += wanted;
    }
  }
  const asWritten = fold(source);
  return {
    literal,
    matches: (name) => {
      const folded = fold(name);
      return folded === asWritten || matchesTokens(tokens, Array.from(folded));
    },
  };
}

/** Goes back to the last star only, so the time is bounded by the product of the lengths. */
function matchesTokens(tokens: readonly Token[], chars: readonly string[]): boolean {
  let token = 0;
  let char = 0;
  let starToken = -1;
  let starChar = 0;
  while (char < chars.length) {
    const now = tokens[token];
    if (now?.kind === 'star') {
      starToken = token;
      starChar = char;
      token += 1;
    } else if (now?.matches(chars[char] as string) === true) {
      token += 1;
      char += 1;
    } else if (starToken >= 0) {
      token = starToken + 1;
      starChar += 1;
      char = starChar;
    } else return false;
  }
  while (tokens[token]?.kind === 'star') token += 1;
  return token === tokens.length;
}

/** `[a-z]`, `[!a]`, `[^a]`; undefined when it does not close. */
function setAt(chars: readonly string[], start: number): { end: number; matches: (char: string) => boolean } | undefined {
  let at = start + 1;
  const isNot = chars[at] === '!' || chars[at] === '^';
  if (isNot) at += 1;
  const ranges: [from: string, to: string][] = [];
  for (let isFirst = true; at < chars.length; isFirst = false) {
    const char = chars[at] as string;
    if (char === ']' && !isFirst) return { end: at, matches: (found) => ranges.some(([from, to]) => found >= from && found <= to) !== isNot };
    const last = chars[at + 1] === '-' && chars[at + 2] !== ']' ? chars[at + 2] : undefined;
    ranges.push([char, last ?? char]);
    at += last === undefined ? 1 : 3;
  }
  return undefined;
}
