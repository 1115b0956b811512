import stringWidth from 'string-width';

const PLAIN = /^[ -~]*$/;
const NON_SPACING = /^[\p{Mn}\p{Me}]$/u;

const widths = new Map<string, number>();
/** Different characters whose width is kept. */
const MAX_KEPT = 10_000;

/** A character at a time: in visible text nothing joins them but marks, and segmenting takes seconds for a megabyte. */
function widthOf(character: string): number {
  let width = widths.get(character);
  if (width === undefined) {
    // Marks with a body take a column in most terminals, and none in the library's view.
    width = NON_SPACING.test(character) ? 0 : Math.max(1, stringWidth(character));
    if (widths.size < MAX_KEPT) widths.set(character, width);
  }
  return width;
}

/** Columns that visible text takes, at most. */
export function columnsOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += widthOf(character);
  return columns;
}

/**
 * Cuts visible text into pieces of at most `columns` (2 or more), one after another: a long text costs what is looked at. Cuts
 * behind a space where that leaves no great gap. Nothing is lost: the pieces together are the text.
 */
export function* pieces(text: string, columns: number): Generator<string> {
  let from = 0;
  let at = 0;
  let used = 0;
  /** Behind the latest space, and the columns up to there. */
  let word = 0;
  let wordUsed = 0;
  for (const character of text) {
    const width = widthOf(character);
    if (used + width > columns && at > from) {
      const isNear = word > from && wordUsed > columns / 2;
      const end = isNear ? word : at;
      yield text.slice(from, end);
      used = isNear ? used - wordUsed : 0;
      from = word = end;
      wordUsed = 0;
    }
    used += width;
    at += character.length;
    if (character === ' ') {
      word = at;
      wordUsed = used;
    }
  }
  yield text.slice(from);
}
