/**
 * What a terminal obeys, hides, reorders or draws as blank: control and format characters (escape, bidi, zero-width, tags),
 * private use, lone surrogates, unassigned ones, line separators, and every space but the plain one.
 */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Z}/gu;

/** Text that could be taken for one of our escapes. */
const LOOKS_ESCAPED = /\\(?=x[0-9a-f]{2}|u\{[0-9a-f]+\})/gi;

/** Marks that have nothing to sit on, or pile up until they cover their neighbours. */
const STRAY_MARKS = /^\p{M}+|(?<=\p{M}{4})\p{M}+/gu;

const codePoint = (character: string): string => {
  const code = character.codePointAt(0) as number;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
};

const escapeAll = (characters: string): string => Array.from(characters, codePoint).join('');

/** One line of text in which nothing is unseen: `\x1b`, `\x0a`, `\u{202e}`. A tab becomes an arrow and three spaces. */
export function visible(text: string): string {
  if (/^[ -[\]-~]*$/.test(text)) return text;
  return text.replace(LOOKS_ESCAPED, '\\\\').replaceAll('\t', '→   ').replace(UNSEEN, codePoint).replace(STRAY_MARKS, escapeAll);
}

/** The same for text of several lines; only a line feed ends a line. */
export function visibleLines(text: string): string[] {
  return text.split('\n').map(visible);
}
