import type { FileDiff } from '@sluice/core-tools';
import { structuredPatch } from 'diff';
import { linesOf, type Line } from '../text/line.ts';
import type { DrawnCard } from './drawn-card.ts';
import { locationLines, type Locations } from './locations.ts';

/** Lines around a change. */
const CONTEXT = 2;
/** Insertions and deletions up to which the shortest diff is looked for. No time limit: the same change must look the same twice. */
const MAX_EDITS = 1_000;

const ADDED = { tone: 'added', prefix: '+ ', continued: '+┆' } as const;
const REMOVED = { tone: 'removed', prefix: '- ', continued: '-┆' } as const;
const KEPT = { tone: 'plain', prefix: '  ', continued: ' ┆' } as const;
const REMARK = { tone: 'dim', prefix: ' ' } as const;

export interface DiffCard {
  readonly title: string;
  readonly diffs: readonly FileDiff[];
  readonly locations?: Locations;
}

export function drawDiff({ title, diffs, locations = [] }: DiffCard): DrawnCard {
  // The title mostly names the one file that there is.
  const isNamed = diffs.length === 1 && title.includes(diffs[0]?.path ?? '');
  return { head: [{ text: title }], body: [...diffs.flatMap((diff) => fileLines(diff, isNamed)), ...(diffs.length === 0 ? locationLines(locations) : [])] };
}

function fileLines({ path, oldText, newText }: FileDiff, isNamed: boolean): Line[] {
  const head: Line[] = isNamed ? [] : [{ text: `${oldText === null ? 'new file' : 'file'} ${path}`, tone: 'bold' }];
  if (oldText === null) return [...head, ...(newText === '' ? [{ text: 'an empty file', tone: 'dim' } as const] : linesOf(newText, ADDED))];
  if (oldText === newText) return [...head, { text: 'no change', tone: 'dim' }];
  const patch = structuredPatch('', '', oldText, newText, undefined, undefined, { context: CONTEXT, maxEditLength: MAX_EDITS });
  if (patch === undefined) return [...head, ...linesOf(oldText, REMOVED), ...linesOf(newText, ADDED)];
  return [...head, ...patch.hunks.flatMap(({ lines, oldStart, newStart }) => [place(oldStart, newStart), ...lines.map(changed)])];
}

function place(oldStart: number, newStart: number): Line {
  return { text: `@ line ${oldStart}${oldStart === newStart ? '' : `, now ${newStart}`}`, tone: 'dim' };
}

/** Of a line of a hunk, the first character says what it is. */
function changed(line: string): Line {
  const text = line.slice(1);
  if (line.startsWith('+')) return { text, ...ADDED };
  if (line.startsWith('-')) return { text, ...REMOVED };
  return { text, ...(line.startsWith('\\') ? REMARK : KEPT) };
}
