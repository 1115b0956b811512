/**
 * What a terminal obeys, hides, reorders or draws as blank: control and format characters (escape, bidi, zero-width, tags),
 * private use, lone surrogates, unassigned ones, line separators, and every space but the plain one.
 */
const UNSEEN = String.raw`[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Z}`;
/** Marks that have nothing to sit on, or pile up until they cover their neighbours. */
const STRAY_MARK = String.raw`(?<=\p{M}{4}|^\p{M}{0,3})\p{M}`;
/** Text that could be taken for one of our escapes. */
const LOOKS_ESCAPED = String.raw`x[0-9a-f]{2}|u\{[0-9a-f]+\}`;

// A run of backslashes is taken as a whole: looking on from each of them would cost the square of their number.
const SPECIAL = new RegExp(String.raw`(\\+)|${UNSEEN}|${STRAY_MARK}`, 'gu');
const ESCAPE_FOLLOWS = new RegExp(`${LOOKS_ESCAPED}|${UNSEEN}|${STRAY_MARK}`, 'uy');
const PLAIN = /^[ -[\]-~]*$/;

/**
 * One line of text in which nothing is unseen: `\x1b`, `\x0a`, `\u{202e}`. Backslashes in front of an escape, or of what looks
 * like one, are doubled, so that an odd number of them is an escape of ours and an even number is text. A tab becomes an
 * arrow and three spaces.
 */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll('\t', '→   ').replace(SPECIAL, (special, slashes: string | undefined, at: number, whole: string) => {
    if (slashes === undefined) return codePoint(special);
    ESCAPE_FOLLOWS.lastIndex = at + slashes.length;
    return ESCAPE_FOLLOWS.test(whole) ? slashes + slashes : slashes;
  });
}

/** The same for text of several lines; only a line feed ends a line. */
export function visibleLines(text: string): string[] {
  return text.split('\n').map(visible);
}

function codePoint(character: string): string {
  const code = character.codePointAt(0) as number;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
