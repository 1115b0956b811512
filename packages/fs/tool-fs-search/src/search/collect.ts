import type { LineMatcher } from '../pattern/line-matcher.ts';
import { excerpt } from './scan.ts';

export type GrepMode = 'lines' | 'files' | 'count';

/** A line, or as much of it as is shown. */
export interface FoundLine {
  readonly lineNumber: number;
  readonly line: string;
  /** Present when `line` is not all of it: where it begins, and how long the whole is; code units. */
  readonly start?: number;
  readonly fullChars?: number;
  readonly before?: string[];
  readonly after?: string[];
}

export interface FoundFile {
  readonly path: string;
  /** Lines that match; 1 in mode `files`. */
  count: number;
  readonly matches: FoundLine[];
}

export interface PageRequest {
  readonly mode: GrepMode;
  readonly offset: number;
  readonly limit: number;
  readonly context: number;
  readonly maxLineChars: number;
  readonly maxTextChars: number;
}

/** Puts one page together out of everything that is found, and counts all of it. */
export class Page {
  readonly files: FoundFile[] = [];
  /** Matching lines, or files in the other modes. */
  total = 0;
  totalFiles = 0;
  #taken = 0;
  #chars = 0;
  #isFull = false;
  readonly #request: PageRequest;

  constructor(request: PageRequest) {
    this.#request = request;
  }

  /** In mode `files` one line of a file is enough. */
  get wantsAll(): boolean {
    return this.#request.mode !== 'files';
  }

  get nextOffset(): number | undefined {
    const next = this.#request.offset + this.#taken;
    return next < this.total && this.#taken > 0 ? next : undefined;
  }

  add(path: string, found: readonly { lineNumber: number; line: string }[], count: number, lines: () => readonly string[] = () => [], matcher?: LineMatcher): void {
    if (count === 0) return;
    this.totalFiles += 1;
    if (this.#request.mode !== 'lines') {
      if (this.#takes(path.length)) this.files.push({ path, count, matches: [] });
      return;
    }
    let all: readonly string[] | undefined;
    const matches: FoundLine[] = [];
    for (const { lineNumber, line } of found) {
      const { offset, context, maxLineChars } = this.#request;
      if (this.#isFull || this.total < offset) {
        this.#takes(0);
        continue;
      }
      const { text, start } = excerpt(line, matcher, maxLineChars);
      const shown = (each: string): string => excerpt(each, undefined, maxLineChars).text;
      if (context > 0) all ??= lines();
      const before = all?.slice(Math.max(0, lineNumber - 1 - context), lineNumber - 1).map(shown);
      const after = all?.slice(lineNumber, lineNumber + context).map(shown);
      const size = [text, ...(before ?? []), ...(after ?? [])].reduce((sum, each) => sum + each.length, 0);
      if (!this.#takes(size)) continue;
      matches.push({
        lineNumber,
        line: text,
        ...(text.length < line.length ? { start, fullChars: line.length } : {}),
        ...(before === undefined || after === undefined ? {} : { before, after }),
      });
    }
    this.total += count - found.length;
    if (matches.length > 0) this.files.push({ path, count, matches });
  }

  /** A file of which only the number of its lines is known. True: nothing of it is on the page, so it need not be read. */
  addUnread(path: string, count: number): boolean {
    const { mode, offset } = this.#request;
    if (mode !== 'lines') this.add(path, [], mode === 'files' ? 1 : count);
    else if (this.room > 0 && this.total + count > offset) return false;
    else {
      this.totalFiles += 1;
      this.total += count;
    }
    return true;
  }

  /** Counts one, and says whether it is on the page. The first one always is. */
  #takes(chars: number): boolean {
    const { offset, limit, maxTextChars } = this.#request;
    this.total += 1;
    if (this.total <= offset || this.#isFull) return false;
    if (this.#taken >= limit || (this.#taken > 0 && this.#chars + chars > maxTextChars)) {
      this.#isFull = true;
      return false;
    }
    this.#taken += 1;
    this.#chars += chars;
    return true;
  }

  /** How many lines of the next file can still be of use, at most. */
  get room(): number {
    const { offset, limit, mode } = this.#request;
    return mode === 'lines' && !this.#isFull ? Math.max(0, offset + limit - this.total) : 0;
  }
}
