/** What a terminal obeys, hides, reorders or draws as blank: of all spaces, only the plain one is seen for what it is. */
const UNSEEN = String.raw`[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Z}`;
/** Marks that have nothing to sit on, or pile up until they cover their neighbours. */
const STRAY_MARK = String.raw`(?<=\p{M}{4}|^\p{M}{0,3})\p{M}`;
const LOOKS_ESCAPED = String.raw`x[0-9a-f]{2}|u\{[0-9a-f]+\}`;

// A run of backslashes is taken as a whole: looking on from each of them would cost the square of their number.
const SPECIAL = new RegExp(String.raw`(\\+)|${UNSEEN}|${STRAY_MARK}`, 'gu');
const ESCAPE_FOLLOWS = new RegExp(`${LOOKS_ESCAPED}|${UNSEEN}|${STRAY_MARK}`, 'uy');
const PLAIN = /^[ -[\]-~]*$/;

/**
 * One line of text in which nothing is unseen: control, escape, bidi, zero-width, tag and private-use characters become
 * `\x1b` or `\u{202e}`, a tab an arrow and three spaces. Backslashes in front of an escape, or of what looks like one, are
 * doubled, so that text cannot pass for one. The same rules as those of `@sluice/approval-cli`.
 */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll('\t', '→   ').replace(SPECIAL, (special, slashes: string | undefined, at: number, whole: string) => {
    if (slashes === undefined) return codePoint(special);
    ESCAPE_FOLLOWS.lastIndex = at + slashes.length;
    return ESCAPE_FOLLOWS.test(whole) ? slashes + slashes : slashes;
  });
}

function codePoint(character: string): string {
  const code = character.codePointAt(0) as number;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
