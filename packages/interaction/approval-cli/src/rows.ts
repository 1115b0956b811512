import { columnsOf, pieces, type Row, type Tone } from '@sluice/terminal-text';

export { columnsOf, type Row, type Tone };

/** A line of text, however long. `text` is visible already (see `visible`). */
export interface Line {
  readonly text: string;
  readonly tone?: Tone;
  /** Stands before each of its rows. */
  readonly prefix?: string;
  /** Stands before its rows but the first, in place of `prefix`. */
  readonly continued?: string;
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
