/** What is wanted of a text. */
export interface WindowRequest {
  /** Number of the first line; 1 or more. */
  readonly offset: number;
  /** Lines; 1 or more. */
  readonly limit: number;
  /** UTF-16 code units of a line. */
  readonly maxLineChars: number;
  /** UTF-8 bytes of all lines together, their separators included. The first line is there whatever its size, cut if need be. */
  readonly maxBytes: number;
}

export interface WindowLine {
  readonly number: number;
  /** Without its ending. */
  readonly text: string;
  /** Code units of the whole line; only when `text` is not all of it. */
  readonly fullChars?: number;
}

/** Half-open, in code units of the text. */
export interface WindowRange {
  readonly start: number;
  readonly end: number;
}

export interface TextWindow {
  readonly lines: WindowLine[];
  /** Exact. A newline at the end begins no further line. */
  readonly totalLines: number;
  /** Code units of the whole text. */
  readonly totalChars: number;
  /** The last line ends with a newline. */
  readonly endsWithNewline: boolean;
  /** Of all lines. */
  readonly lineEndings: 'none' | 'lf' | 'crlf' | 'mixed';
  /** The window ends before `limit` because of `maxBytes`. */
  readonly isFull: boolean;
  /** What the lines show of the text, endings included; adjacent lines are one range. */
  readonly shown: readonly WindowRange[];
}

const LF = 10;
const CR = 13;

/**
 * Takes a text in pieces and keeps the lines of one window of it, and never more than a window's worth of text. A line ends
 * with a line feed, and a carriage return right before it belongs to the ending; everything else is part of the line.
 */
export class LineWindow {
  readonly #request: WindowRequest;
  readonly #lines: WindowLine[] = [];
  readonly #shown: { start: number; end: number }[] = [];
  /** Of the current line: its first code units, one more than may be shown, so that a carriage return can be told from a cut. */
  #kept = '';
  #lineChars = 0;
  #lastUnit = 0;
  #lineStart = 0;
  /** Complete lines so far. */
  #count = 0;
  #bytes = 0;
  #isFull = false;
  #hasLf = false;
  #hasCrlf = false;

  constructor(request: WindowRequest) {
    this.#request = request;
  }

  add(text: string): void {
    let at = 0;
    while (at < text.length) {
      if (this.#lineChars === 0) at = this.#pass(text, at);
      const lineFeed = text.indexOf('\n', at);
      const end = lineFeed < 0 ? text.length : lineFeed;
      this.#take(text, at, end);
      if (lineFeed < 0) return;
      this.#endLine(true);
      at = lineFeed + 1;
    }
  }

  end(): TextWindow {
    const endsWithNewline = this.#lineChars === 0 && this.#count > 0;
    if (this.#lineChars > 0) this.#endLine(false);
    return {
      lines: this.#lines,
      totalLines: this.#count,
      totalChars: this.#lineStart,
      endsWithNewline,
      lineEndings: this.#hasCrlf ? (this.#hasLf ? 'mixed' : 'crlf') : this.#hasLf ? 'lf' : 'none',
      isFull: this.#isFull,
      shown: this.#shown,
    };
  }

  get #isInside(): boolean {
    const { offset, limit } = this.#request;
    return !this.#isFull && this.#count + 1 >= offset && this.#count + 1 < offset + limit;
  }

  /** Counts whole lines that are not in the window, which begins there if nothing is left to count. */
  #pass(text: string, start: number): number {
    const { offset, limit } = this.#request;
    const most = this.#count + 1 < offset ? offset - 1 - this.#count : this.#isFull || this.#count + 1 >= offset + limit ? Infinity : 0;
    const mayHaveCr = most > 0 && text.includes('\r', start);
    let at = start;
    let passed = 0;
    for (let lineFeed = most > 0 ? text.indexOf('\n', at) : -1; lineFeed >= 0 && passed < most; lineFeed = text.indexOf('\n', at)) {
      if (mayHaveCr && lineFeed > at && text.charCodeAt(lineFeed - 1) === CR) this.#hasCrlf = true;
      else this.#hasLf = true;
      at = lineFeed + 1;
      passed += 1;
    }
    this.#lineStart += at - start;
    this.#count += passed;
    return at;
  }

  #take(text: string, start: number, end: number): void {
    if (end === start) return;
    if (this.#isInside) {
      const room = this.#request.maxLineChars + 1 - this.#kept.length;
      if (room > 0) this.#kept += text.slice(start, Math.min(end, start + room));
    }
    this.#lineChars += end - start;
    this.#lastUnit = text.charCodeAt(end - 1);
  }

  #endLine(hasLineFeed: boolean): void {
    if (hasLineFeed && this.#lastUnit === CR) this.#hasCrlf = true;
    else if (hasLineFeed) this.#hasLf = true;
    if (this.#isInside) this.#show(hasLineFeed);
    this.#lineStart += this.#lineChars + (hasLineFeed ? 1 : 0);
    this.#count += 1;
    this.#kept = '';
    this.#lineChars = 0;
    this.#lastUnit = 0;
  }

  #show(hasLineFeed: boolean): void {
    const { maxLineChars, maxBytes } = this.#request;
    const chars = hasLineFeed && this.#lineChars > 0 && this.#lastUnit === CR ? this.#lineChars - 1 : this.#lineChars;
    let text = this.#kept.slice(0, whole(this.#kept, Math.min(chars, maxLineChars)));
    const separator = this.#lines.length === 0 ? 0 : 1;
    if (this.#bytes + separator + utf8Length(text) > maxBytes) {
      if (this.#lines.length > 0) {
        this.#isFull = true;
        return;
      }
      text = headOfBytes(text, maxBytes);
    }
    this.#bytes += separator + utf8Length(text);
    this.#lines.push({ number: this.#count + 1, text, ...(text.length < chars ? { fullChars: chars } : {}) });
    const end = this.#lineStart + (text.length < chars ? text.length : this.#lineChars + (hasLineFeed ? 1 : 0));
    const last = this.#shown.at(-1);
    if (last?.end === this.#lineStart) last.end = end;
    else this.#shown.push({ start: this.#lineStart, end });
  }
}

/** Where to cut so that no surrogate pair is cut, and a pair that does not fit is left out. */
export function whole(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return end > 0 && end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

function headOfBytes(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const char of text) {
    bytes += utf8Length(char);
    // At least one, or the reader would come back to the same place for ever.
    if (bytes > maxBytes && end > 0) break;
    end += char.length;
  }
  return text.slice(0, end);
}

function utf8Length(text: string): number {
  return encoder.encode(text).length;
}
const encoder = new TextEncoder();

/** All lines of a text, without their endings, by the same rule. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, i) => (line.charCodeAt(line.length - 1) === CR && (i < lines.length - 1 || text.charCodeAt(text.length - 1) === LF) ? line.slice(0, -1) : line));
}
