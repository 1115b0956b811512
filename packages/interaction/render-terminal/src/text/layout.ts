import { columnsOf, pieces, visible } from '@sluice/terminal-text';
import type { Line, Row, Section } from './line.ts';

/** The narrowest terminal that is drawn for; a narrower one wraps by itself. */
export const MIN_WIDTH = 20;

/** The rows of a section at this width. Whatever is drawn comes through here, so nothing unseen gets past. */
export function layout(section: Section, width: number): Row[] {
  const { lines, maxRows = Number.POSITIVE_INFINITY } = section;
  const rows: Row[] = [];
  if (section.keep === 'end' && lines.length > maxRows) return lastRows(section, maxRows, width);
  for (const [index, line] of lines.entries()) {
    // One row more than fits tells that it does not.
    const room = maxRows - rows.length;
    const drawn = rowsOf(line, section.indent ?? '', width, room + 1);
    rows.push(...drawn);
    const isLast = index === lines.length - 1;
    if (rows.length < maxRows || (rows.length === maxRows && isLast)) continue;
    const whole = drawn.length > room ? index : index + 1;
    if (section.keep === 'end') return lastRows(section, maxRows, width);
    // The last row makes room for the notice; a line that loses its only row is left out too.
    const lost = lines.length - whole + (drawn.length === 1 && drawn.length <= room ? 1 : 0);
    return [...rows.slice(0, maxRows - 1), notice(section, `… ${many(Math.max(1, lost))}`, width)];
  }
  return rows;
}

function lastRows(section: Section, maxRows: number, width: number): Row[] {
  const rows: Row[] = [];
  let index = section.lines.length;
  while (index > 0 && rows.length < maxRows - 1) {
    index -= 1;
    const drawn = rowsOf(section.lines[index] as Line, section.indent ?? '', width, Number.POSITIVE_INFINITY);
    rows.unshift(...drawn.slice(-(maxRows - 1 - rows.length)));
  }
  const first = index === 0 ? 1 : index;
  return [notice(section, `… ${many(first)} before`, width), ...rows];
}

function notice({ indent = '', lines }: Section, text: string, width: number): Row {
  // In the gutter of the lines that it stands for.
  const gutter = lines[0]?.prefix ?? '';
  return { ...(rowsOf({ text, prefix: gutter }, indent, width, 1)[0] as Row), tone: 'dim' };
}

function many(lines: number): string {
  return `${lines.toLocaleString('en')} more line${lines === 1 ? '' : 's'}`;
}

/** At most `enough` rows of a line. */
function rowsOf({ text, tone = 'plain', prefix = '', continued = prefix }: Line, indent: string, width: number, enough: number): Row[] {
  const columns = Math.max(MIN_WIDTH, width);
  const fits = (lead: string): string => lead.slice(0, columns - 2);
  const [first, rest] = [fits(indent + prefix), fits(indent + continued)];
  const room = columns - Math.max(columnsOf(first), columnsOf(rest));
  // More than can be shown need not be looked at. A lone half of a pair at the end is not shown either.
  const looked = enough === Number.POSITIVE_INFINITY ? text : text.slice(0, (enough + 1) * columns * 2);
  const rows: Row[] = [];
  for (const piece of pieces(visible(looked), room)) {
    rows.push({ text: ((rows.length === 0 ? first : rest) + piece).trimEnd(), tone });
    if (rows.length >= enough) break;
  }
  return rows;
}
