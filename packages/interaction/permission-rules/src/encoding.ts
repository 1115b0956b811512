import { looksLikeAnother, withoutLookAlikes } from './look-alikes.ts';

const ORDINARY = /^[\x20-\x24\x26-\x5b\x5d-\x7e]*$/;
const PERCENT = /%[0-9a-f]{2}/i;
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const UNUSUAL_SPACE = /[^\S ]/u;
const DOTS = /(?:^|[/\\])\.\.(?:[/\\]|$)/;

/**
 * Whether a text is written the one ordinary way: what it shows is what any program reads. Nothing unseen (NUL, control and
 * zero-width characters, half surrogates), no percent-encoding, no backslash, no `..`, no character that another
 * normalisation form or a look-alike would turn into something else, no space at an end.
 */
export function isOrdinary(text: string): boolean {
  if (text !== text.trim() || DOTS.test(text)) return false;
  if (ORDINARY.test(text)) return true;
  if (PERCENT.test(text) || text.includes('\\') || UNSEEN.test(text) || UNUSUAL_SPACE.test(text)) return false;
  return text.normalize('NFKC') === text && !looksLikeAnother(text);
}

const UNSEEN_OR_FOREIGN = /[^\n\x20-\x7e]/;
const PERCENT_RUN = /(?:%[0-9a-f]{2})+/gi;
/** Each decoding of a text that is encoded over and over shrinks it, so this is never reached by accident. */
const MAX_DECODINGS = 12;

/** What a text may stand for to some reader: itself, and each of its percent-decodings, the signs in whatever disguise. */
export function decodings(text: string): string[] {
  const all = new Set([text]);
  // Sets are walked in the order of insertion, what is added on the way included.
  for (const current of all) {
    if (all.size > MAX_DECODINGS) break;
    for (const plain of new Set([current, unmaskLines(current)])) {
      if (PERCENT.test(plain)) all.add(plain.replace(PERCENT_RUN, decodeRun));
    }
  }
  return [...all];
}

function unmaskLines(text: string): string {
  return ORDINARY.test(text) || !UNSEEN_OR_FOREIGN.test(text) ? text : text.split('\n').map(unmask).join('\n');
}

/** UTF-8 where it is UTF-8, else byte by byte. */
function decodeRun(run: string): string {
  const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? bytes.toString('latin1') : text;
}

const IGNORABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** What it looks like, in the plainest characters there are: no compatibility forms, look-alikes or characters that are not seen. */
export function unmask(text: string): string {
  return ORDINARY.test(text) ? text : withoutLookAlikes(text.normalize('NFKC').replace(IGNORABLE, ''));
}

/** One spelling for all that look alike or are read alike, whatever the case. */
export function fold(text: string): string {
  if (ORDINARY.test(text)) return text.toLowerCase();
  // Up and down again, for letters such as the sharp s; a dotted capital I in lower case is an i with a dot more.
  const lower = unmask(text).toLowerCase().toUpperCase().toLowerCase().normalize('NFKC').replaceAll('i\u0307', 'i');
  return withoutLookAlikes(lower);
}

/** All foldings of all decodings, with what comes before a NUL, where C would stop reading, and without trailing dots and spaces. */
export function foldings(text: string): readonly string[] {
  if (ORDINARY.test(text)) return [trimEnd(text.toLowerCase())];
  const all = new Set<string>();
  for (const decoded of decodings(text)) {
    all.add(trimEnd(fold(decoded)));
    const nul = decoded.indexOf('\0');
    if (nul >= 0) all.add(trimEnd(fold(decoded.slice(0, nul))));
  }
  return [...all];
}

function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '.' || /\s/.test(text[end - 1] as string))) end -= 1;
  return text.slice(0, end).trimStart();
}
