import { FsError } from './errors.ts';
import { decodeText, encodeText } from './text.ts';
import type { FsSpan, FsTextFormat } from './types.ts';

/**
 * The text with its spans replaced.
 *
 * @throws FsError `FS_BAD_EDIT` when a span is not inside the text, cuts a surrogate pair, overlaps the one before or comes
 * before it, or when there is none
 */
export function replaceSpans(text: string, spans: readonly FsSpan[], path: string): string {
  const bad = (detail: string): FsError => new FsError('FS_BAD_EDIT', path, { operation: 'edit', detail });
  if (spans.length === 0) throw bad('was given no span to replace');
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end, text: replacement } of spans) {
    if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || end < start || end > text.length) {
      throw bad(`has no span from ${start} to ${end}; its text has ${text.length} code units`);
    }
    if (start < done) throw bad('was given spans that overlap or are not in ascending order');
    if (cutsPair(text, start) || cutsPair(text, end)) throw bad(`has half of a surrogate pair at an end of the span from ${start} to ${end}`);
    pieces.push(text.slice(done, start), replacement);
    done = end;
  }
  pieces.push(text.slice(done));
  return pieces.join('');
}

/**
 * What a file holds after an edit. Bytes outside the spans are the same: only valid text is decoded, and all of it comes back.
 *
 * @throws FsError `FS_BAD_EDIT`, `FS_BAD_TEXT`, `FS_BINARY`, `FS_ENCODING`
 */
export function editedBytes(bytes: Uint8Array, spans: readonly FsSpan[], path: string): { bytes: Uint8Array; format: FsTextFormat } {
  const { text, ...format } = decodeText(bytes, path, 'edit');
  const edited = replaceSpans(text, spans, path);
  if (!edited.startsWith('\ufeff')) return encodeText(edited, format, path, 'edit');
  // It stands behind the mark, or it would be one, and then the file has another encoding than its reader was told.
  if (format.hasBom) return encodeText(`\ufeff${edited}`, format, path, 'edit');
  throw new FsError('FS_BAD_EDIT', path, { operation: 'edit', detail: 'cannot be given a byte order mark by an edit' });
}

function cutsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
