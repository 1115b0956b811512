import type { FsSpan } from '@sluice/fs';
import { diffLines } from 'diff';

/** Code units of the differing middle, old and new, that are compared line by line. */
const MAX_COMPARED_CHARS = 2_000_000;

export interface Comparison {
  readonly spans: readonly FsSpan[];
  /** Time or size did not allow a comparison by lines: all from the first difference to the last is one span. */
  readonly isCoarse: boolean;
}

/** Whole lines of one text to replace for another to come out. Takes time in proportion to the texts, and at most `timeoutMs` more. */
export function compare(before: string, after: string, timeoutMs: number): Comparison {
  if (before === after) return { spans: [], isCoarse: false };
  const head = commonHead(before, after);
  const tail = commonTail(before, after, head);
  const oldMiddle = before.slice(head, before.length - tail);
  const newMiddle = after.slice(head, after.length - tail);
  const coarse: Comparison = { spans: [{ start: head, end: before.length - tail, text: newMiddle }], isCoarse: true };
  if (oldMiddle === '' || newMiddle === '') return { ...coarse, isCoarse: false };
  if (oldMiddle.length + newMiddle.length > MAX_COMPARED_CHARS) return coarse;
  const parts = diffLines(oldMiddle, newMiddle, { timeout: timeoutMs });
  if (parts === undefined) return coarse;

  const spans: { start: number; end: number; text: string }[] = [];
  let at = head;
  for (const { added, removed, value } of parts) {
    if (!added && !removed) {
      at += value.length;
      continue;
    }
    const last = spans.at(-1);
    const span = last?.end === at ? last : { start: at, end: at, text: '' };
    if (span !== last) spans.push(span);
    if (added) span.text += value;
    else at = span.end += value.length;
  }
  return { spans, isCoarse: false };
}

/** Whole lines that both begin with; code units. */
function commonHead(a: string, b: string): number {
  let at = 0;
  const end = Math.min(a.length, b.length);
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at === 0 ? 0 : a.lastIndexOf('\n', at - 1) + 1;
}

/** Whole lines that both end with, after the head. */
function commonTail(a: string, b: string, head: number): number {
  let length = 0;
  const end = Math.min(a.length, b.length) - head;
  while (length < end && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length += 1;
  // Back to the first place in it where a line begins, in both.
  for (let at = a.length - length; at <= a.length; at += 1) {
    const isStart = (text: string): boolean => {
      const place = text.length - (a.length - at);
      return place === head || text.charCodeAt(place - 1) === 10;
    };
    if (isStart(a) && isStart(b)) return a.length - at;
    const next = a.indexOf('\n', at);
    if (next < 0) return 0;
    at = next;
  }
  return 0;
}
