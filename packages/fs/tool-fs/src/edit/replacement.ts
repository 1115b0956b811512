import type { FsSpan } from '@sluice/fs';
import type { Match } from './match.ts';
import { endingsIn, type NearestEnding } from './newlines.ts';

/**
 * The span that puts `replacement`, taken literally, in the place of a match. What both begin and end with stays as it is, so that
 * a line that does not change keeps its own ending; line breaks of the rest are written as those that they replace.
 * Undefined when nothing changes.
 */
export function spanFor(text: string, { start, end }: Match, replacement: string, nearest: NearestEnding): FsSpan | undefined {
  const region = text.slice(start, end);
  const before = partsOf(region);
  const after = partsOf(replacement.replaceAll('\r\n', '\n'));
  let head = 0;
  while (head < before.length && head < after.length && same(before[head], after[head])) head += 1;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && same(before.at(-1 - tail), after.at(-1 - tail))) tail += 1;
  if (before.length === after.length && head === before.length) return undefined;
  const kept = before.slice(head, before.length - tail);
  const from = start + lengthOf(before.slice(0, head));
  const to = from + lengthOf(kept);
  const changed = after.slice(head, after.length - tail).join('');
  if (!changed.includes('\n')) return { start: from, end: to, text: changed };
  // Each line break as the one in its place; more of them as the region has them, or the line that it is in.
  const endings = endingsIn(kept.join(''));
  const otherwise = endings.at(-1) ?? endingsIn(region).at(-1) ?? nearest.at(from);
  let i = 0;
  return { start: from, end: to, text: changed.replaceAll('\n', () => endings[i++] ?? otherwise) };
}

/** Lines, each with its ending. */
function partsOf(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
}

function same(a: string | undefined, b: string | undefined): boolean {
  return a === b || a?.replace(/\r\n?$/, '\n') === b;
}

function lengthOf(parts: readonly string[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
