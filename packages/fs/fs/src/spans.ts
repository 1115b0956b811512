import { FsError } from './errors.ts';
import { decodeText, encodePiece, markLength, type Decoded } from './text.ts';
import type { FsSpan, FsTextFormat } from './types.ts';

/**
 * The text with its spans replaced.
 *
 * @throws FsError `FS_BAD_EDIT` when a span is not inside the text, cuts a surrogate pair, overlaps the one before or comes
 * before it, or when there is none
 */
export function replaceSpans(text: string, spans: readonly FsSpan[], path: string): string {
  assertSpans(text, spans, path);
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end, text: replacement } of spans) {
    pieces.push(text.slice(done, start), replacement);
    done = end;
  }
  pieces.push(text.slice(done));
  return pieces.join('');
}

/**
 * What a file holds after an edit. Only the replacements are encoded: bytes outside the spans are copied.
 *
 * @throws FsError `FS_BAD_EDIT`, `FS_BAD_TEXT`, `FS_BINARY`, `FS_ENCODING`
 */
export function editedBytes(bytes: Uint8Array, spans: readonly FsSpan[], path: string): { bytes: Uint8Array; format: FsTextFormat } {
  const decoded = decodeText(bytes, path, 'edit');
  const { text, encoding, hasBom } = decoded;
  assertSpans(text, spans, path);
  // A mark where there was none: the file would have another encoding than its reader was told.
  if (!hasBom && beginsWithMark(text, spans)) throw new FsError('FS_BAD_EDIT', path, { operation: 'edit', detail: 'cannot be given a byte order mark by an edit' });
  const byteAt = byteOffsets(bytes, decoded);
  const pieces: Uint8Array[] = [];
  let done = 0;
  for (const { start, end, text: replacement } of spans) {
    pieces.push(bytes.subarray(done, byteAt(start)), encodePiece(replacement, encoding, path, 'edit'));
    done = byteAt(end);
  }
  pieces.push(bytes.subarray(done));
  return { bytes: concatenated(pieces), format: { encoding, hasBom } };
}

function assertSpans(text: string, spans: readonly FsSpan[], path: string): void {
  const bad = (detail: string): FsError => new FsError('FS_BAD_EDIT', path, { operation: 'edit', detail });
  if (spans.length === 0) throw bad('was given no span to replace');
  let done = 0;
  for (const { start, end } of spans) {
    if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || end < start || end > text.length) {
      throw bad(`has no span from ${start} to ${end}; its text has ${text.length} code units`);
    }
    if (start < done) throw bad('was given spans that overlap or are not in ascending order');
    if (cutsPair(text, start) || cutsPair(text, end)) throw bad(`has half of a surrogate pair at an end of the span from ${start} to ${end}`);
    done = end;
  }
}

function cutsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

function beginsWithMark(text: string, spans: readonly FsSpan[]): boolean {
  let done = 0;
  for (const { start, end, text: replacement } of spans) {
    if (start > done) break;
    if (replacement !== '') return replacement.startsWith('\ufeff');
    done = end;
  }
  return text.startsWith('\ufeff', done);
}

/** Where the code unit at an offset begins in the bytes. To be asked in ascending order. The bytes are known to be valid. */
function byteOffsets(bytes: Uint8Array, format: Decoded): (unit: number) => number {
  const mark = markLength(format);
  if (format.encoding !== 'utf-8') return (unit) => mark + unit * 2;
  if (format.text.length === bytes.length - mark) return (unit) => mark + unit;
  let at = mark;
  let units = 0;
  return (unit) => {
    while (units < unit) {
      const lead = bytes[at] as number;
      at += lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
      units += lead < 0xf0 ? 1 : 2;
    }
    return at;
  };
}

function concatenated(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
