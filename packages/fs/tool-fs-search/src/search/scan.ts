import type { LineMatcher } from '../pattern/line-matcher.ts';
import type { Budget } from './budget.ts';

/** Code units that are looked at in one go. */
const CHUNK_CHARS = 131_072;
/** Of one line, the rest is not looked at. */
export const MAX_LINE_CHARS = 1_000_000;

export interface Found {
  readonly lineNumber: number;
  readonly line: string;
}

/**
 * Tells of each line that matches, in order, until `onFound` says false. Lets others have their turn meanwhile. Resolves with the
 * number of the first line that was too long to be searched to its end, if any.
 */
export async function scan(text: string, matcher: LineMatcher, budget: Budget, onFound: (found: Found) => boolean): Promise<number | undefined> {
  let tooLong: number | undefined;
  let lineNumber = 1;
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf('\n', at + CHUNK_CHARS);
    const end = next < 0 ? text.length : next + 1;
    const isShort = end - at <= MAX_LINE_CHARS;
    const chunk = text.slice(at, end);
    // Line ends as the pattern has them, or `$` would not be found before a carriage return.
    if (!isShort || matcher.mayMatch(chunk.replaceAll('\r\n', '\n'))) {
      for (let from = at; from < end; lineNumber += 1) {
        const feed = text.indexOf('\n', from);
        const to = feed < 0 || feed >= end ? end : feed;
        const isCut = to - from > MAX_LINE_CHARS;
        if (isCut) tooLong ??= lineNumber;
        const line = text.slice(from, isCut ? from + MAX_LINE_CHARS : to > from && to < text.length && text.charCodeAt(to - 1) === 13 ? to - 1 : to);
        if (matcher.matches(line) && !onFound({ lineNumber, line })) return tooLong;
        from = to + 1;
      }
    } else {
      for (let feed = chunk.indexOf('\n'); feed >= 0; feed = chunk.indexOf('\n', feed + 1)) lineNumber += 1;
    }
    at = end;
    const pause = budget.breathe();
    if (pause !== undefined) await pause;
  }
  return tooLong;
}

export interface Excerpt {
  readonly text: string;
  /** Where it begins in the line; code units. */
  readonly start: number;
}

/** The part of a line that is shown: all of it, or as much as may be, with the match in it. */
export function excerpt(line: string, matcher: LineMatcher | undefined, maxChars: number): Excerpt {
  if (line.length <= maxChars) return { text: line, start: 0 };
  const place = matcher === undefined ? 0 : placeIn(line, matcher);
  const start = cut(line, Math.max(0, Math.min(place - Math.floor(maxChars / 4), line.length - maxChars)));
  return { text: line.slice(start, cut(line, Math.min(line.length, start + maxChars))), start };
}

const WINDOW_CHARS = 8_192;

/** Finding a place is slower than finding that there is one, so only of a window in which there is one. */
function placeIn(line: string, matcher: LineMatcher): number {
  for (let from = 0; from < line.length; from += WINDOW_CHARS / 2) {
    const window = line.slice(from, from + WINDOW_CHARS);
    if (matcher.mayMatch(window)) return from + (matcher.place(window) ?? 0);
  }
  return 0;
}

function cut(line: string, at: number): number {
  const before = line.charCodeAt(at - 1);
  return at > 0 && before >= 0xd800 && before <= 0xdbff ? at - 1 : at;
}
