import { asciiText, hasNul, isAscii } from './bytes.ts';
import { FsError } from './errors.ts';
import { isWellFormed } from './paths.ts';
import type { FsEncoding, FsLineEndings, FsTextFormat } from './types.ts';

/** Bytes of a text file that is read as a whole unless a caller says otherwise: 128 MiB. */
export const DEFAULT_MAX_TEXT_BYTES = 134_217_728;

export const UTF8: FsTextFormat = Object.freeze({ encoding: 'utf-8', hasBom: false });

/** Enough of a file for `formatOf`. */
export const FORMAT_BYTES = 4;

/** How a file that begins with these bytes is encoded, if it is text. UTF-8 when nothing says otherwise. */
export function formatOf(head: Uint8Array): FsTextFormat {
  const [a, b, c] = head;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: 'utf-8', hasBom: true };
  if (a === 0xff && b === 0xfe) return { encoding: 'utf-16le', hasBom: true };
  if (a === 0xfe && b === 0xff) return { encoding: 'utf-16be', hasBom: true };
  return UTF8;
}

/** How text that replaces a file is encoded: like the file, or in UTF-8 if the file is no text. `bytes` is all of it. */
export function formatToKeep(bytes: Uint8Array): FsTextFormat {
  const format = formatOf(bytes);
  if (format.encoding === 'utf-8') return format;
  try {
    decodeText(bytes, '.');
    return format;
  } catch {
    return UTF8;
  }
}

export interface Decoded extends FsTextFormat {
  readonly text: string;
}

/**
 * Every character of a text file but its byte order mark. What comes out goes back to the very same bytes with `encodeText`.
 *
 * @throws FsError `FS_BINARY` (a NUL), `FS_ENCODING` (no valid UTF-8, or UTF-16 without a mark, or UTF-32)
 */
export function decodeText(bytes: Uint8Array, path: string, operation = 'read'): Decoded {
  const format = formatOf(bytes);
  if (isUtf32(bytes)) throw new FsError('FS_ENCODING', path, { operation, detail: 'is UTF-32, an encoding that is not supported' });
  if (format.encoding === 'utf-8' && hasNul(bytes)) {
    if (!looksLikeUtf16(bytes)) throw new FsError('FS_BINARY', path, { operation, detail: `is a binary file of ${bytes.length} bytes` });
    throw new FsError('FS_ENCODING', path, { operation, detail: 'looks like UTF-16 without a byte order mark, which is not supported' });
  }
  let text: string;
  try {
    // The mark is cut off here, not by the decoder, so that a second one stays.
    const body = bytes.subarray(markLength(format));
    text = format.encoding === 'utf-8' && isAscii(body) ? asciiText(body) : decoderFor(format.encoding).decode(body);
  } catch (cause) {
    throw new FsError('FS_ENCODING', path, { operation, detail: `is not valid ${nameOf(format.encoding)}: a binary file, or text in another encoding`, cause });
  }
  if (format.encoding !== 'utf-8' && text.includes('\0')) throw new FsError('FS_BINARY', path, { operation });
  return { ...format, text };
}

/**
 * Every character of a piece of UTF-8 that begins and ends between two characters; a U+FEFF is one of them.
 *
 * @throws FsError `FS_BINARY`, `FS_ENCODING`
 */
export function decodePiece(bytes: Uint8Array, path: string, operation = 'read'): string {
  if (hasNul(bytes)) throw new FsError('FS_BINARY', path, { operation });
  if (isAscii(bytes)) return asciiText(bytes);
  try {
    return decoderFor('utf-8').decode(bytes);
  } catch (cause) {
    throw new FsError('FS_ENCODING', path, { operation, cause });
  }
}

/**
 * The bytes of a text. A U+FEFF at its beginning is taken for the byte order mark.
 *
 * @throws FsError `FS_BAD_TEXT` for text that no reader would get back
 */
export function encodeText(text: string, { encoding, hasBom }: FsTextFormat, path: string, operation = 'write'): { bytes: Uint8Array; format: FsTextFormat } {
  const isMarked = text.startsWith('\ufeff');
  const body = isMarked ? text.slice(1) : text;
  // UTF-16 without its mark would not be recognised again.
  const format: FsTextFormat = { encoding, hasBom: hasBom || isMarked || encoding !== 'utf-8' };
  return { bytes: encodePiece(format.hasBom ? `\ufeff${body}` : body, encoding, path, operation), format };
}

/**
 * The bytes of a piece of a text, as it stands.
 *
 * @throws FsError `FS_BAD_TEXT`
 */
export function encodePiece(text: string, encoding: FsEncoding, path: string, operation: string): Uint8Array {
  if (text.includes('\0')) throw new FsError('FS_BAD_TEXT', path, { operation, detail: 'cannot be given text with NUL characters' });
  if (!isWellFormed(text)) throw new FsError('FS_BAD_TEXT', path, { operation, detail: 'cannot be given text with half of a surrogate pair' });
  return encode(text, encoding);
}

/** Bytes of the byte order mark. */
export function markLength({ encoding, hasBom }: FsTextFormat): number {
  return hasBom ? (encoding === 'utf-8' ? 3 : 2) : 0;
}

export function lineEndingsOf(text: string): FsLineEndings {
  if (!text.includes('\r')) return text.includes('\n') ? 'lf' : 'none';
  let lf = false;
  let crlf = false;
  let cr = false;
  for (let at = text.indexOf('\n'); at >= 0 && !(lf && crlf); at = text.indexOf('\n', at + 1)) {
    if (text.charCodeAt(at - 1) === 13) crlf = true;
    else lf = true;
  }
  for (let at = text.indexOf('\r'); at >= 0 && !cr; at = text.indexOf('\r', at + 1)) cr = text.charCodeAt(at + 1) !== 10;
  const kinds = [lf && 'lf', crlf && 'crlf', cr && 'cr'].filter((kind) => kind !== false) as FsLineEndings[];
  return kinds.length > 1 ? 'mixed' : (kinds[0] ?? 'none');
}

/** `lineEndings` is only computed when somebody looks. */
export function withLineEndings<T extends { readonly text: string }>(facts: T): T & { readonly lineEndings: FsLineEndings } {
  let found: FsLineEndings | undefined;
  const lazy = { get: (): FsLineEndings => (found ??= lineEndingsOf(facts.text)), enumerable: true };
  return Object.freeze(Object.defineProperty({ ...facts }, 'lineEndings', lazy) as T & { readonly lineEndings: FsLineEndings });
}

function nameOf(encoding: FsEncoding): string {
  return encoding === 'utf-8' ? 'UTF-8' : encoding === 'utf-16le' ? 'UTF-16LE' : 'UTF-16BE';
}

function decoderFor(encoding: FsEncoding): InstanceType<typeof TextDecoder> {
  return new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
}

const utf8 = new TextEncoder();

function encode(text: string, encoding: FsEncoding): Uint8Array {
  if (encoding === 'utf-8') return utf8.encode(text);
  const bytes = new Uint8Array(text.length * 2);
  const high = encoding === 'utf-16be' ? 0 : 1;
  for (let i = 0, at = 0; i < text.length; i += 1, at += 2) {
    const unit = text.charCodeAt(i);
    bytes[at + high] = unit >> 8;
    bytes[at + 1 - high] = unit & 0xff;
  }
  return bytes;
}

/** FF FE 00 00 would also be UTF-16LE that begins with a NUL, which is no text either way. */
function isUtf32([a, b, c, d]: Uint8Array): boolean {
  return (a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff);
}

/** Mostly one NUL in every two bytes, always on the same side: Latin text in UTF-16. */
function looksLikeUtf16(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 512);
  const nuls = [0, 0];
  for (let i = 0; i < head.length; i += 1) if (head[i] === 0) nuls[i % 2] = (nuls[i % 2] as number) + 1;
  const [even, odd] = nuls as [number, number];
  return bytes.length % 2 === 0 && Math.min(even, odd) === 0 && Math.max(even, odd) >= 2 && Math.max(even, odd) * 3 >= head.length;
}
