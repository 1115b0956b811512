import stringWidth from 'string-width';

/** How a line is painted where there is colour. Never the only sign of anything. */
export type Tone = 'plain' | 'bold' | 'dim' | 'added' | 'removed' | 'notice';

/** A line of text, however long. `text` is visible already (see `visible`). */
export interface Line {
  readonly text: string;
  readonly tone?: Tone;
  /** Stands before each of its rows. */
  readonly prefix?: string;
  /** Stands before its rows but the first, in place of `prefix`. */
  readonly continued?: string;
}

/** A line that fits the width of the terminal. */
export interface Row {
  readonly text: string;
  readonly tone: Tone;
}

const PLAIN = /^[ -~]*$/;
const MARK = /^\p{M}$/u;

const widths = new Map<string, number>();
/** Different characters whose width is kept. */
const MAX_KEPT = 10_000;

/** A character at a time: in visible text nothing joins them but marks. `Intl.Segmenter` takes seconds for a megabyte. */
function widthOf(character: string): number {
  let width = widths.get(character);
  if (width === undefined) {
    width = MARK.test(character) ? 0 : stringWidth(character);
    if (widths.size < MAX_KEPT) widths.set(character, width);
  }
  return width;
}

/** Columns that visible text takes. */
export function columnsOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += widthOf(character);
  return columns;
}

/** Cuts visible text into pieces of at most `columns`, one after another, so that a long text costs what is looked at. */
function* pieces(text: string, columns: number): Generator<string> {
  if (PLAIN.test(text)) {
    for (let at = 0; at === 0 || at < text.length; at += columns) yield text.slice(at, at + columns);
    return;
  }
  let from = 0;
  let at = 0;
  let used = 0;
  for (const character of text) {
    const width = widthOf(character);
    if (used + width > columns && at > from) {
      yield text.slice(from, at);
      from = at;
      used = 0;
    }
    used += width;
    at += character.length;
  }
  yield text.slice(from);
}

/** The rows that a line takes at this width. */
export function* rowsOf({ text, tone = 'plain', prefix = '', continued = prefix }: Line, columns: number): Generator<Row> {
  let lead = prefix;
  const room = columns - Math.max(columnsOf(prefix), columnsOf(continued));
  for (const piece of pieces(text, Math.max(1, room))) {
    yield { text: lead + piece, tone };
    lead = continued;
  }
}

/** All rows of all lines. */
export function allRows(lines: Iterable<Line>, columns: number): Row[] {
  const rows: Row[] = [];
  for (const line of lines) {
    for (const row of rowsOf(line, columns)) rows.push(row);
  }
  return rows;
}

/** Text of at most `columns`; `…` stands for what is cut off. */
export function cut(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  const [first = ''] = pieces(text, Math.max(1, columns - 1));
  return `${first}…`;
}
