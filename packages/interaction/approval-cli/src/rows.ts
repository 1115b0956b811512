import stringWidth from 'string-width';

/** How a line is painted where there is colour. Never the only sign of anything. */
export type Tone = 'plain' | 'bold' | 'dim' | 'added' | 'removed' | 'notice';

/** A line of text, however long. `text` is visible already (see `visible`). */
export interface Line {
  readonly text: string;
  readonly tone?: Tone;
  /** Stands before each of its rows. */
  readonly prefix?: string;
  /** Stands before its rows but the first, in place of `prefix`; as wide. */
  readonly continued?: string;
}

/** A line that fits the width of the terminal. */
export interface Row {
  readonly text: string;
  readonly tone: Tone;
}

const graphemes = new Intl.Segmenter();
const widths = new Map<string, number>();
const PLAIN = /^[ -~]*$/;
/** Different graphemes whose width is kept. */
const MAX_KEPT = 10_000;

function widthOf(grapheme: string): number {
  let width = widths.get(grapheme);
  if (width === undefined) {
    width = stringWidth(grapheme);
    if (widths.size < MAX_KEPT) widths.set(grapheme, width);
  }
  return width;
}

/** Columns that visible text takes. */
export function columnsOf(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** Cuts visible text into pieces of at most `columns`, one after another, so that a long text costs what is looked at. */
function* pieces(text: string, columns: number): Generator<string> {
  if (PLAIN.test(text)) {
    for (let at = 0; at === 0 || at < text.length; at += columns) yield text.slice(at, at + columns);
    return;
  }
  let piece = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const width = widthOf(segment);
    if (used + width > columns && piece !== '') {
      yield piece;
      piece = '';
      used = 0;
    }
    piece += segment;
    used += width;
  }
  yield piece;
}

/** The rows that a line takes at this width. */
export function* rowsOf({ text, tone = 'plain', prefix = '', continued = prefix }: Line, columns: number): Generator<Row> {
  let lead = prefix;
  for (const piece of pieces(text, Math.max(1, columns - columnsOf(prefix)))) {
    yield { text: lead + piece, tone };
    lead = continued;
  }
}

/** Text of at most `columns`; `…` stands for what is cut off. */
export function cut(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  const [first = ''] = pieces(text, Math.max(1, columns - 1));
  return `${first}…`;
}
