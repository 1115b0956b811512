import type { Row, Tone } from '@sluice/terminal-text';

export type { Row, Tone };

/** A line as it was given, however long. `text` is anybody's, raw; `prefix` and `continued` are ours. */
export interface Line {
  readonly text: string;
  readonly tone?: Tone;
  /** Stands before its first row. Default: nothing. */
  readonly prefix?: string;
  /** Stands before its other rows. Default: `prefix`. */
  readonly continued?: string;
}

/** Lines that are cut together. */
export interface Section {
  readonly lines: readonly Line[];
  /** Rows that it may take, the one that says what was left out included. Default: no bound. */
  readonly maxRows?: number;
  /** Which of its rows stay when there are too many. Default `start`. */
  readonly keep?: 'start' | 'end';
  /** Stands before all its rows; ours. */
  readonly indent?: string;
}

/** The lines of a text; only a line feed, alone or after a carriage return, ends one. */
export function linesOf(text: string, look: Omit<Line, 'text'> = {}): Line[] {
  const lines = text.split(/\r?\n/);
  // A text that ends with a line feed has no line after it.
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines.map((line) => ({ ...look, text: line }));
}
