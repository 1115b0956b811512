// Text that fits a terminal: columns, cutting, wrapping, colour. Nothing here knows about tools.
import { styleText } from 'node:util';

/** Columns to draw in, read anew each time: a person may resize the window meanwhile. */
export const width = () => Math.min(Math.max(process.stdout.columns || 80, 24), 96);

/** Obeys NO_COLOR and FORCE_COLOR; plain when stdout is no terminal. For a list of styles Node.js 20 forgets that. */
export const paint = (style, text) => styleText(style, text);
export const bold = (text) => paint('bold', text);
export const dim = (text) => paint('dim', text);

const graphemes = new Intl.Segmenter();
const WIDE =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60\u{20000}-\u{3fffd}]/u;
const widthOf = (grapheme) => (WIDE.test(grapheme) || grapheme.includes('\ufe0f') ? 2 : 1);

/** Columns that a text takes. Measure first, paint then. */
export function columns(text) {
  if (/^[ -~]*$/.test(text)) return text.length;
  return [...graphemes.segment(text)].reduce((sum, { segment }) => sum + widthOf(segment), 0);
}

/** At most `max` columns; `…` stands for what is cut off. */
export function cut(text, max) {
  if (columns(text) <= max) return text;
  let kept = '';
  let used = 1;
  for (const { segment } of graphemes.segment(text)) {
    used += widthOf(segment);
    if (used > max) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** The same from the other end: of a path, the end says more. */
export function cutStart(text, max) {
  if (columns(text) <= max) return text;
  const segments = [...graphemes.segment(text)].map(({ segment }) => segment);
  while (columns(segments.join('')) >= max) segments.shift();
  return `…${segments.join('')}`;
}

export const pad = (text, to) => text + ' '.repeat(Math.max(0, to - columns(text)));

/** Lines of at most `max` columns, broken between words. */
export function wrap(text, max) {
  const lines = [];
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && columns(longer) <= max) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map((line) => cut(line, max));
}

/** A file may hold control codes; a terminal is not to obey them. */
export const harmless = (text) => text.replaceAll('\t', '  ').replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd');

/** At most 7 columns. */
export function duration(ms) {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${ms.toFixed(ms < 9.995 ? 2 : ms < 99.95 ? 1 : 0)} ms`;
}
