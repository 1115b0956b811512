/**
 * How files are shown to a model. What stands at the beginning of a line is ours; what a file or a name has to say comes after a
 * prefix, so no content can pass for a heading, a footer or another line.
 */

/** Everything that some reader takes for the end of a line, but the line feed, which lines do not have. */
// eslint-disable-next-line no-control-regex -- they are what is looked for
const BREAKS = /[\r\v\f\x1c-\x1e\x85\u2028\u2029]/g;

/** One line with its number; or without, in `| `. */
export function numbered(text: string, number: number | undefined): string {
  const prefix = number === undefined ? '| ' : `${number}: `;
  return `${prefix}${text.replace(BREAKS, (char) => (char === '\r' ? CONTINUED : `${char}${CONTINUED}`))}`;
}

/** Begins a row that goes on with the line above, where a character breaks it. */
const CONTINUED = '\n  > ';

export interface ParsedLine {
  readonly number: number;
  readonly text: string;
}

/** The lines that `numbered` has written, out of a text with other things around. */
export function parseNumbered(text: string, firstNumber: number): ParsedLine[] {
  const lines: { number: number; text: string }[] = [];
  for (const row of text.split('\n')) {
    const match = /^(?:(\d+): |\| )/.exec(row);
    if (match !== null) lines.push({ number: match[1] === undefined ? firstNumber + lines.length : Number(match[1]), text: row.slice(match[0].length) });
    else if (row.startsWith(CONTINUED.slice(1))) {
      const last = lines.at(-1);
      // A carriage return is the one that is not written before the break.
      const isWritten = last?.text.slice(-1).search(BREAKS) === 0;
      if (last !== undefined) last.text += `${isWritten ? '' : '\r'}${row.slice(CONTINUED.length - 1)}`;
    }
  }
  return lines;
}

/** A name or path: as it is if nothing in it can be misread, in quotes with escapes otherwise. */
export function shownName(name: string): string {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S}]+(?: [\p{L}\p{M}\p{N}\p{P}\p{S}]+)*$/u.test(name) && !/^["[]/.test(name) ? name : JSON.stringify(name).replace(/[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** `1 line`, `2,000 lines`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
