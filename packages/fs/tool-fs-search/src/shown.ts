/** Everything that some reader takes for the end of a line, but the line feed, which lines do not have. */
// eslint-disable-next-line no-control-regex -- they are what is looked for
const BREAKS = /[\r\v\f\x1c-\x1e\x85\u2028\u2029]/g;

/**
 * A line of a file: `12: ` before a match, `12- ` before one around it. What stands at the beginning of a line is ours, so that no
 * content can pass for a path or a note.
 */
export function numbered(text: string, number: number, sign: ':' | '-'): string {
  return `${number}${sign} ${text.replace(BREAKS, (char) => (char === '\r' ? '\n  > ' : `${char}\n  > `))}`;
}

/** A path: as it is if nothing in it can be misread, in quotes with escapes otherwise. */
export function shownName(name: string): string {
  const isPlain = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]+(?: [\p{L}\p{M}\p{N}\p{P}\p{S}]+)*$/u.test(name) && !/^(?:["[]|\d+[:-] )/.test(name);
  return isPlain ? name : JSON.stringify(name).replace(/[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** `1 match`, `2,000 matches`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
