import { isUtf8 } from './bytes.ts';
import { Utf8Places } from './spans.ts';
import { decodePiece, decodeText, formatOf, markLength } from './text.ts';
import type { FsReplaced, FsTextFormat } from './types.ts';

/** What a provider has found when it compared what it wrote with what was there; bytes. */
export interface ReplacedBytes {
  /** The old content, or what of it lies between what both begin and end with. */
  readonly old: Uint8Array;
  /** The first bytes of the old content; `FORMAT_BYTES`, if there are as many. */
  readonly begin: Uint8Array;
  /** Both begin with as many. */
  readonly head: number;
  /** Both end with as many, which are none of the head. */
  readonly tail: number;
}

/** Whether what both begin and end with need not be looked at as text, because it is lines of the same kind. */
export function areLinesAlike(begin: Uint8Array, { encoding }: FsTextFormat): boolean {
  return encoding === 'utf-8' && formatOf(begin).encoding === 'utf-8';
}

/** As much of what both begin and end with as is whole lines of the new content, in UTF-8. */
export function wholeLines(written: Uint8Array, head: number, tail: number): { head: number; tail: number } {
  const lineFeed = written.indexOf(LF, written.length - tail);
  return { head: head === 0 ? 0 : written.lastIndexOf(LF, head - 1) + 1, tail: tail === 0 || lineFeed < 0 ? 0 : written.length - lineFeed - 1 };
}
const LF = 10;

/** The same as text. `written` is the new content, encoded. */
export function replacedText(written: Uint8Array, format: FsTextFormat, { old, begin, head, tail }: ReplacedBytes): FsReplaced {
  const was = formatOf(begin);
  const mark = markLength(format);
  let text: string | undefined;
  try {
    text = head === 0 ? decodeText(old, '.').text : decodePiece(old, '.');
  } catch {
    text = undefined;
  }
  const unitsOf = (bytes: Uint8Array): number => (isUtf8(bytes) ? new Utf8Places(bytes, 0).count() : 0);
  return Object.freeze({ format: was, text, head: head <= mark ? 0 : unitsOf(written.subarray(mark, head)), tail: unitsOf(written.subarray(written.length - tail)) });
}
