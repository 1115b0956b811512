import type { Changes, Hunk } from './changes.ts';
import { linesOf, whole } from '../read/line-window.ts';
import { counted, numbered } from '../shown.ts';

const MAX_ROWS = 60;
const MAX_ROW_CHARS = 500;

/** `+3 -1 lines`. */
export function tally({ linesAdded, linesRemoved }: Pick<Changes, 'linesAdded' | 'linesRemoved'>): string {
  return `+${linesAdded} -${linesRemoved} lines`;
}

/** How changed places read now, with the lines around them; bounded. */
export function snippet({ hunks, placesOmitted }: Pick<Changes, 'hunks' | 'placesOmitted'>, lineNumbers: boolean): string[] {
  const rows: string[] = [];
  let left = placesOmitted;
  for (const hunk of hunks) {
    const lines = linesOf(hunk.newText);
    if (rows.length > 0 && rows.length + lines.length > MAX_ROWS) {
      left += 1;
      continue;
    }
    if (rows.length > 0) rows.push('[...]');
    rows.push(...rowsOf(hunk, lines, lineNumbers));
  }
  if (left > 0) rows.push(`[${counted(left, 'more changed place')} not shown]`);
  return rows;
}

function rowsOf({ newStart }: Hunk, lines: readonly string[], lineNumbers: boolean): string[] {
  const rows = lines.slice(0, MAX_ROWS).map((line, i) => {
    const text = line.length > MAX_ROW_CHARS ? `${line.slice(0, whole(line, MAX_ROW_CHARS))}…` : line;
    return numbered(text, lineNumbers ? newStart + i : undefined);
  });
  if (lines.length > MAX_ROWS) rows.push(`[${counted(lines.length - MAX_ROWS, 'more line')} not shown]`);
  return rows;
}
