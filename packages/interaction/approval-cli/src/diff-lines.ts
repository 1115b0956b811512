import type { FileDiff } from '@sluice/core-tools';
import { visible, visibleLines } from '@sluice/terminal-text';
import { structuredPatch } from 'diff';
import type { Line } from './rows.ts';

/** Lines around a change. */
const CONTEXT = 3;
/** Milliseconds that looking for the shortest diff may take; after that the old and the new text stand one after the other. */
const PATIENCE_MS = 200;

const added = (text: string): Line => ({ text: visible(text), tone: 'added', prefix: '+ ', continued: '+┆' });
const removed = (text: string): Line => ({ text: visible(text), tone: 'removed', prefix: '- ', continued: '-┆' });
const kept = (text: string): Line => ({ text: visible(text), prefix: '  ', continued: ' ┆' });

/** A change of one file, headed by its path. */
export function diffLines({ path, oldText, newText }: FileDiff): Line[] {
  const head: Line = { text: visible(path), tone: 'bold', prefix: oldText === null ? 'new file ' : 'file ' };
  if (oldText === null) return [head, ...visibleLines(newText).map((text) => ({ text, tone: 'added' as const, prefix: '+ ', continued: '+┆' }))];
  if (oldText === newText) return [head, { text: 'no change', tone: 'dim' }];
  const patch = structuredPatch(path, path, oldText, newText, undefined, undefined, { context: CONTEXT, timeout: PATIENCE_MS, maxEditLength: 5_000 });
  if (patch === undefined) return [head, ...oldText.split('\n').map(removed), ...newText.split('\n').map(added)];
  return [head, ...patch.hunks.flatMap(({ lines, oldStart, newStart }) => [place(oldStart, newStart), ...lines.map(changed)])];
}

function place(oldStart: number, newStart: number): Line {
  return { text: `line ${oldStart}${oldStart === newStart ? '' : `, now ${newStart}`}`, tone: 'dim', prefix: '@ ' };
}

/** Of a line of a hunk, the first character says what it is. */
function changed(line: string): Line {
  const text = line.slice(1);
  if (line.startsWith('+')) return added(text);
  if (line.startsWith('-')) return removed(text);
  return line.startsWith('\\') ? { text: visible(text), tone: 'dim', prefix: '  ' } : kept(text);
}
