import { unify } from './newlines.ts';

/** Half-open, in code units of the text. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

export interface Matches {
  /** Left to right; they do not overlap. */
  readonly found: readonly Match[];
  /** The text occurs once more, over one that is found: which one is meant cannot be told. */
  readonly overlaps: boolean;
}

/**
 * Where a text contains another, character by character; a line break is a line break, however it is written. But `old` with a
 * carriage return in it means just that, if it is there.
 */
export function matchesOf(text: string, old: string): Matches {
  const isExplicit = old.includes('\r');
  if (isExplicit || !old.includes('\n')) {
    const exact = occurrences(text, old);
    if (exact.found.length > 0 || !isExplicit) return exact;
  }
  const unified = unify(text);
  const { found, overlaps } = occurrences(unified.text, unify(old).text);
  return { found: found.map(({ start, end }) => ({ start: unified.original(start), end: unified.original(end) })), overlaps };
}

function occurrences(text: string, wanted: string): Matches {
  const found: Match[] = [];
  let overlaps = false;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    const end = at + wanted.length;
    const again = found.length === 0 ? text.indexOf(wanted, at + 1) : -1;
    if (again >= 0 && again < end) overlaps = true;
    found.push({ start: at, end });
  }
  return { found, overlaps };
}
