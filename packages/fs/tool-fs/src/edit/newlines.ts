/**
 * A text with every line ending as one `\n`, and the way back. What a model has read has no endings, so what it sends is compared
 * with this.
 */
export interface Unified {
  readonly text: string;
  /** Where a place in `text` is in the original: a line break's is where its ending begins. */
  original(at: number): number;
}

/** CRLF, LF and a lone carriage return are endings. */
export function unify(text: string): Unified {
  if (!text.includes('\r')) return { text, original: (at) => at };
  // Places in the unified text after which the original is one code unit longer, ascending.
  const longer: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) longer.push(at - longer.length);
  return { text: text.replace(/\r\n?/g, '\n'), original: (at) => at + countBelow(longer, at) };
}

/** How many of the ascending numbers are below one. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

const ENDINGS = /\r\n|\n|\r/g;

export function endingsIn(text: string): string[] {
  return text.match(ENDINGS) ?? [];
}

/** Finds the ending of the line that a place is in: of the last line that has one, if it has none; `\n` in a text without any. */
export class NearestEnding {
  readonly #text: string;
  /** The last answer, which is good for every place from `from` up to the ending at `at`. */
  #known: { readonly from: number; readonly at: number; readonly ending: string } | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Cheap for places that ascend. */
  at(place: number): string {
    const known = this.#known;
    if (known !== undefined && place >= known.from && place <= known.at) return known.ending;
    const next = new RegExp(ENDINGS);
    next.lastIndex = place;
    const found = next.exec(this.#text);
    const ending = found?.[0] ?? lastEndingOf(this.#text);
    this.#known = { from: place, at: found?.index ?? Infinity, ending };
    return ending;
  }
}

function lastEndingOf(text: string): string {
  const at = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
  if (at < 0) return '\n';
  return text.charAt(at) === '\n' && text.charAt(at - 1) === '\r' ? '\r\n' : text.charAt(at);
}
