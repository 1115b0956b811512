import { hasNul, isAscii, isSame, isUtf8 } from './bytes.ts';
import { FsError } from './errors.ts';
import { decodeText, encodePiece, formatOf, markLength } from './text.ts';
import type { FsSpan, FsTextFormat } from './types.ts';

/**
 * The text with its spans replaced.
 *
 * @throws FsError `FS_BAD_EDIT` when a span is not inside the text, cuts a surrogate pair, overlaps the one before or comes
 * before it, or when there is none
 */
export function replaceSpans(text: string, spans: readonly FsSpan[], path: string): string {
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end, text: replacement } of placed(spans, new TextPlaces(text), path)) {
    pieces.push(text.slice(done, start), replacement);
    done = end;
  }
  pieces.push(text.slice(done));
  return pieces.join('');
}

/** What a file holds after an edit: pieces of what it held, which are no copies, and of what is new. */
export interface EditedPieces {
  readonly pieces: readonly Uint8Array[];
  /** Bytes in all of them. */
  readonly size: number;
  /** They are what the file held. */
  readonly isSame: boolean;
  readonly format: FsTextFormat;
}

/**
 * What a file holds after an edit. Only the replacements are encoded: bytes outside the spans are what they were.
 *
 * @throws FsError `FS_BAD_EDIT`, `FS_BAD_TEXT`, `FS_BINARY`, `FS_ENCODING`
 */
export function editedPieces(bytes: Uint8Array, spans: readonly FsSpan[], path: string): EditedPieces {
  const { format, places, beginsWithMark } = layoutOf(bytes, path);
  const { encoding, hasBom } = format;
  const found = placed(spans, places, path);
  // A mark where there was none: the file would have another encoding than its reader was told.
  if (!hasBom && bringsMark(found, markLength(format), beginsWithMark)) throw new FsError('FS_BAD_EDIT', path, { operation: 'edit', detail: 'cannot be given a byte order mark by an edit' });
  const pieces: Uint8Array[] = [];
  let [done, size, same] = [0, 0, true];
  const add = (piece: Uint8Array, from?: number): void => {
    if (from !== size) same &&= isSame(piece, bytes.subarray(size, size + piece.length));
    size += piece.length;
    if (piece.length > 0) pieces.push(piece);
  };
  for (const { start, end, text } of found) {
    add(bytes.subarray(done, start), done);
    add(encodePiece(text, encoding, path, 'edit'));
    done = end;
  }
  add(bytes.subarray(done), done);
  return { pieces, size, isSame: same && size === bytes.length, format: { encoding, hasBom } };
}

/** The same in one piece. */
export function editedBytes(bytes: Uint8Array, spans: readonly FsSpan[], path: string): { bytes: Uint8Array; format: FsTextFormat } {
  const { pieces, size, format } = editedPieces(bytes, spans, path);
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return { bytes: whole, format };
}

/** Finds where code units begin. To be asked in ascending order. */
interface Places {
  /** Code units in all. */
  count(): number;
  /** Undefined past the end; `half` inside a surrogate pair. */
  at(unit: number): number | 'half' | undefined;
}

/** The spans by where they are in what the places are in. */
function placed(spans: readonly FsSpan[], places: Places, path: string): FsSpan[] {
  const bad = (detail: string): FsError => new FsError('FS_BAD_EDIT', path, { operation: 'edit', detail });
  if (spans.length === 0) throw bad('was given no span to replace');
  let done = 0;
  return spans.map(({ start, end, text }) => {
    const outside = (): FsError => bad(`has no span from ${start} to ${end}; its text has ${places.count()} code units`);
    if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || end < start) throw outside();
    if (start < done) throw bad('was given spans that overlap or are not in ascending order');
    const [from, to] = [places.at(start), places.at(end)];
    if (from === undefined || to === undefined) throw outside();
    if (from === 'half' || to === 'half') throw bad(`has half of a surrogate pair at an end of the span from ${start} to ${end}`);
    done = end;
    return { start: from, end: to, text };
  });
}

function layoutOf(bytes: Uint8Array, path: string): { format: FsTextFormat; places: Places; beginsWithMark: (at: number) => boolean } {
  const format = formatOf(bytes);
  const mark = markLength(format);
  if (format.encoding !== 'utf-8') {
    const { text } = decodeText(bytes, path, 'edit');
    return { format, places: new TextPlaces(text, mark), beginsWithMark: (at) => text.charCodeAt((at - mark) / 2) === 0xfeff };
  }
  // Says why it is no text.
  if (hasNul(bytes) || !isUtf8(bytes)) decodeText(bytes, path, 'edit');
  return { format, places: new Utf8Places(bytes, mark), beginsWithMark: (at) => bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf };
}

/** Whether a text whose spans are replaced begins with a mark. `begin` is where it began. */
function bringsMark(spans: readonly FsSpan[], begin: number, beginsWithMark: (at: number) => boolean): boolean {
  let done = begin;
  for (const { start, end, text } of spans) {
    if (start > done) break;
    if (text !== '') return text.startsWith('\ufeff');
    done = end;
  }
  return beginsWithMark(done);
}

/** In a text itself; with `mark`, in its bytes as UTF-16 after that many of a byte order mark. */
class TextPlaces implements Places {
  readonly #text: string;
  readonly #mark: number | undefined;

  constructor(text: string, mark?: number) {
    this.#text = text;
    this.#mark = mark;
  }
  count(): number {
    return this.#text.length;
  }
  at(unit: number): number | 'half' | undefined {
    if (unit > this.#text.length) return undefined;
    const [before, after] = [this.#text.charCodeAt(unit - 1), this.#text.charCodeAt(unit)];
    if (before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff) return 'half';
    return this.#mark === undefined ? unit : this.#mark + unit * 2;
  }
}

/** Bytes that are passed over at once if all of them are ASCII. */
const BLOCK_BYTES = 16_384;

/** In bytes that are known to be UTF-8. */
export class Utf8Places implements Places {
  readonly #bytes: Uint8Array;
  #at: number;
  #units = 0;
  /** Up to there, not all is ASCII. */
  #mixed = 0;

  constructor(bytes: Uint8Array, begin: number) {
    this.#bytes = bytes;
    this.#at = begin;
  }
  count(): number {
    this.at(Infinity);
    return this.#units;
  }
  at(unit: number): number | 'half' | undefined {
    const bytes = this.#bytes;
    while (this.#units < unit) {
      const at = this.#at;
      if (at >= bytes.length) return undefined;
      if (at >= this.#mixed) {
        const block = bytes.subarray(at, at + Math.min(BLOCK_BYTES, unit - this.#units));
        if (isAscii(block)) {
          this.#at += block.length;
          this.#units += block.length;
          continue;
        }
        this.#mixed = at + block.length;
      }
      const lead = bytes[at] as number;
      this.#at += lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
      this.#units += lead < 0xf0 ? 1 : 2;
    }
    return this.#units > unit ? 'half' : this.#at;
  }
}
