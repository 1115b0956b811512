import type { FsRange, FsSpan } from '@sluice/fs';

/** Parts of a text that were shown: ascending, apart from each other. `all` is everything, however much that is. */
export type Seen = 'all' | readonly FsRange[];

/** What is remembered of one file; what goes beyond was never seen. */
const MAX_RANGES = 256;

/** The parts that are in either, and what lies between parts that touch is nothing. */
export function union(a: Seen, b: Seen): Seen {
  if (a === 'all' || b === 'all') return 'all';
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of [...a, ...b].filter(isRange).sort((one, other) => one.start - other.start)) {
    const last = merged[merged.length - 1];
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  if (merged.length <= MAX_RANGES) return merged;
  // The largest are worth the most.
  const kept = [...merged].sort((one, other) => other.end - other.start - (one.end - one.start)).slice(0, MAX_RANGES);
  return kept.sort((one, other) => one.start - other.start);
}

/** Whether all from `start` to before `end` was seen; for an empty part, whether it is in or at the edge of one that was. */
export function covers(seen: Seen, start: number, end: number): boolean {
  return seen === 'all' || seen.some((range) => range.start <= start && end <= range.end);
}

/** Where the parts are after an edit, with what was put in place of the spans. Spans ascend, and do not overlap. */
export function shifted(seen: Seen, spans: readonly FsSpan[]): Seen {
  if (seen === 'all') return 'all';
  const result: FsRange[] = [];
  for (const { start, end } of seen) {
    // A part that a span cuts into falls into what is left of it.
    let from = start;
    for (const span of spans) {
      if (span.end < from || span.start > end) continue;
      if (span.start > from) result.push(moved(from, span.start, spans));
      from = Math.max(from, span.end);
    }
    if (end > from) result.push(moved(from, end, spans));
  }
  let shift = 0;
  for (const { start, end, text } of spans) {
    result.push({ start: start + shift, end: start + shift + text.length });
    shift += text.length - (end - start);
  }
  return union(result, []);
}

/** A part that no span reaches into. */
function moved(start: number, end: number, spans: readonly FsSpan[]): FsRange {
  let shift = 0;
  for (const span of spans) if (span.end <= start) shift += span.text.length - (span.end - span.start);
  return { start: start + shift, end: end + shift };
}

/** Also keeps nonsense out, which would be taken for knowledge. */
function isRange({ start, end }: FsRange): boolean {
  return Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end > start;
}
