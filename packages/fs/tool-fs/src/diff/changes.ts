import type { FsSpan } from '@sluice/fs';

/** Lines around a change that are shown with it. */
export const CONTEXT = 3;
const MAX_RANGES = 1_000;

/** A changed part of a file with the lines around it. Line numbers are from 1. */
export interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly oldText: string;
  readonly newText: string;
}

export interface LineRange {
  readonly first: number;
  /** Before `first` when all lines there were removed. */
  readonly last: number;
}

export interface Changes {
  readonly linesAdded: number;
  readonly linesRemoved: number;
  /** Changed lines in the new text; the first 1,000 places. */
  readonly ranges: LineRange[];
  /** As many as there is room for. */
  readonly hunks: Hunk[];
  /** Places that are changed and in no hunk. */
  readonly placesOmitted: number;
}

/** Whole lines that change. Offsets are in the old text. */
interface Block {
  readonly start: number;
  end: number;
  readonly spans: FsSpan[];
}

/**
 * What spans, ascending, do to the lines of a text. Takes time in proportion to the text, however many there are. `firstLine` is the
 * number of its first line, if it is only a part of one.
 */
export function changesOf(text: string, spans: readonly FsSpan[], maxChars: number, firstLine = 1): Changes {
  const lines = new LineCounter(text, firstLine);
  const ranges: LineRange[] = [];
  const hunks: Hunk[] = [];
  let [linesAdded, linesRemoved, room, omitted, places] = [0, 0, maxChars, 0, 0];
  let open: OpenHunk | undefined;
  const close = (): void => {
    if (open === undefined) return;
    const hunk = open.finish();
    const size = hunk.oldText.length + hunk.newText.length;
    if (size <= room) {
      hunks.push(hunk);
      room -= size;
    } else {
      omitted += open.places;
    }
    open = undefined;
  };
  for (const block of blocksOf(text, spans)) {
    const replacement = replaced(text, block);
    const oldLine = lines.at(block.start);
    const [removed, added] = [lineCount(text.slice(block.start, block.end)), lineCount(replacement)];
    const newLine = oldLine + linesAdded - linesRemoved;
    if (places++ < MAX_RANGES) ranges.push({ first: newLine, last: newLine + added - 1 });
    if (open !== undefined && block.start <= open.reach) open.add(block, replacement);
    else {
      close();
      // Nothing is put together that there is no room for.
      if (room > 0) open = new OpenHunk(text, block, replacement, { oldLine, newLine });
      else omitted += 1;
    }
    linesAdded += added;
    linesRemoved += removed;
  }
  close();
  return { linesAdded, linesRemoved, ranges, hunks, placesOmitted: omitted };
}

class OpenHunk {
  readonly #text: string;
  readonly #start: number;
  readonly #oldLine: number;
  readonly #newLine: number;
  readonly #pieces: string[];
  #end: number;
  places = 1;

  constructor(text: string, block: Block, replacement: string, { oldLine, newLine }: { readonly oldLine: number; readonly newLine: number }) {
    this.#text = text;
    const [start, linesBefore] = linesUp(text, block.start, CONTEXT);
    this.#start = start;
    this.#oldLine = oldLine - linesBefore;
    this.#newLine = newLine - linesBefore;
    this.#pieces = [text.slice(start, block.start), replacement];
    this.#end = block.end;
  }

  /** A block that begins here or before belongs to this hunk. */
  get reach(): number {
    return linesDown(this.#text, this.#end, 2 * CONTEXT);
  }

  add(block: Block, replacement: string): void {
    this.#pieces.push(this.#text.slice(this.#end, block.start), replacement);
    this.#end = block.end;
    this.places += 1;
  }

  finish(): Hunk {
    const end = linesDown(this.#text, this.#end, CONTEXT);
    const newText = [...this.#pieces, this.#text.slice(this.#end, end)].join('');
    return { oldStart: this.#oldLine, newStart: this.#newLine, oldText: this.#text.slice(this.#start, end), newText };
  }
}

function* blocksOf(text: string, spans: readonly FsSpan[]): Generator<Block> {
  let open: Block | undefined;
  for (const span of spans) {
    if (open !== undefined && span.start < open.end) {
      open.spans.push(span);
      if (span.end > open.end) open.end = lineEnd(text, span.start, span.end);
      continue;
    }
    if (open !== undefined) yield open;
    const start = span.start === 0 ? 0 : text.lastIndexOf('\n', span.start - 1) + 1;
    // What is put in between two lines changes neither.
    const isBetween = span.start === span.end && span.start === start && (span.text === '' || span.text.endsWith('\n'));
    open = { start, end: isBetween ? start : lineEnd(text, start, span.end), spans: [span] };
  }
  if (open !== undefined) yield open;
}

function lineEnd(text: string, start: number, end: number): number {
  if (end > start && text.charCodeAt(end - 1) === 10) return end;
  const next = text.indexOf('\n', end);
  return next < 0 ? text.length : next + 1;
}

function replaced(text: string, { start, end, spans }: Block): string {
  const pieces: string[] = [];
  let done = start;
  for (const span of spans) {
    pieces.push(text.slice(done, span.start), span.text);
    done = span.end;
  }
  pieces.push(text.slice(done, end));
  return pieces.join('');
}

/** Numbers of the lines that places are in; cheap for places that ascend. */
class LineCounter {
  readonly #text: string;
  #place = 0;
  #line: number;

  constructor(text: string, firstLine: number) {
    this.#text = text;
    this.#line = firstLine;
  }

  at(place: number): number {
    for (let next = this.#text.indexOf('\n', this.#place); next >= 0 && next < place; next = this.#text.indexOf('\n', this.#place)) {
      this.#place = next + 1;
      this.#line += 1;
    }
    return this.#line;
  }
}

/** A newline at the end begins no further line. */
export function lineCount(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Where so many lines above a place at the beginning of one begin, and how many there are. */
export function linesUp(text: string, start: number, wanted: number): [start: number, lines: number] {
  let at = start;
  let lines = 0;
  while (lines < wanted && at > 0) {
    at = at === 1 ? 0 : text.lastIndexOf('\n', at - 2) + 1;
    lines += 1;
  }
  return [at, lines];
}

/** Where so many lines below a place end. */
export function linesDown(text: string, end: number, wanted: number): number {
  let at = end;
  for (let i = 0; i < wanted && at < text.length; i += 1) {
    const next = text.indexOf('\n', at);
    at = next < 0 ? text.length : next + 1;
  }
  return at;
}
