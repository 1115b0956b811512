import type { GrepValue } from './grep-tool.ts';
import { renderNotes } from './search/notes.ts';
import { counted, numbered, shownName } from './shown.ts';

/** What a model reads: a count, then each file with its lines, then what was not searched. */
export function renderGrep(value: GrepValue): string {
  const { mode, files, total, totalFiles, nextOffset, notes } = value;
  const what = mode === 'lines' ? counted(total, 'match', 'matches') : counted(total, 'file');
  const isAll = nextOffset === undefined && value.offset === 0;
  const where = mode === 'lines' ? ` in ${counted(totalFiles, 'file')}` : '';
  const shown = isAll ? '' : `; from offset ${value.offset}`;
  const rows = [total === 0 ? 'No matches.' : `${what}${where}${shown}`];
  for (const file of files) {
    if (mode === 'lines') rows.push(shownName(file.path), ...linesOf(file));
    else rows.push(mode === 'count' ? `${shownName(file.path)}: ${file.count}` : shownName(file.path));
  }
  if (nextOffset !== undefined) rows.push(`[${mode === 'lines' ? counted(total - nextOffset, 'more match', 'more matches') : counted(total - nextOffset, 'more file')}; go on with offset ${nextOffset}]`);
  return [...rows, ...renderNotes(notes)].join('\n');
}

/** Each line once, in order; a gap between two groups is marked. */
function linesOf({ matches }: GrepValue['files'][number]): string[] {
  const rows: string[] = [];
  const isMatch = new Set(matches.map(({ lineNumber }) => lineNumber));
  let last = 0;
  const around = (text: string, number: number): void => {
    if (number <= last || isMatch.has(number)) return;
    if (last > 0 && number > last + 1) rows.push('--');
    rows.push(numbered(text, number, '-'));
    last = number;
  };
  for (const { lineNumber, line, start = 0, fullChars, before = [], after = [] } of matches) {
    before.forEach((text, i) => { around(text, lineNumber - before.length + i); });
    if (last > 0 && lineNumber > last + 1 && (before.length > 0 || after.length > 0)) rows.push('--');
    rows.push(numbered(line, lineNumber, ':'));
    if (fullChars !== undefined) rows.push(`[line ${lineNumber} is cut: characters ${start + 1} to ${start + line.length} of ${fullChars} are shown]`);
    last = lineNumber;
    after.forEach((text, i) => { around(text, lineNumber + 1 + i); });
  }
  return rows;
}
