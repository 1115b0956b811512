import { layout } from '../text/layout.ts';
import { columnsOf, painted } from '@sluice/terminal-text';
import type { Row, Section } from '../text/line.ts';

/** Where rows go: a terminal, a pipe, a file. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  hasColors?(): boolean;
  on?(event: 'error', listener: () => void): unknown;
  off?(event: 'error', listener: () => void): unknown;
}

export interface ScreenOptions {
  readonly width?: number | undefined;
  readonly colors?: boolean | undefined;
  /** What is going on now; drawn below everything else where there is a terminal. */
  readonly pending: () => readonly Section[];
}

/** Milliseconds between two drawings of what is going on. */
const FRAME_MS = 50;
const PLAIN_WIDTH = 80;

/**
 * Rows that stay, and below them, on a terminal, rows that are drawn over and over. Without one it only ever appends. While
 * somebody else has the terminal it keeps everything for later. What the output does never reaches the caller.
 */
export class Screen {
  readonly #output: Output;
  readonly #options: ScreenOptions;
  readonly #isLive: boolean;
  readonly #colors: boolean;
  /** Of the rows that are to go: how wide they are. */
  #drawn: number[] = [];
  #kept: Section[] = [];
  #isLent = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #onError = (): void => undefined;

  constructor(output: Output, options: ScreenOptions) {
    this.#output = output;
    this.#options = options;
    this.#isLive = output.isTTY === true && process.env['TERM'] !== 'dumb';
    const mayColour = this.#isLive && !process.env['NO_COLOR'];
    this.#colors = options.colors ?? (mayColour && (output.hasColors?.() ?? true));
    // A pipe that closed must not end the process because of what is drawn.
    output.on?.('error', this.#onError);
  }

  /** Adds rows that stay. `isUrgent`: also while the terminal is lent. */
  print(sections: readonly Section[], isUrgent = false): void {
    if (sections.length === 0) return;
    this.#kept.push(...sections);
    if (!this.#isHeld || isUrgent) this.#flush();
  }

  /** Something that is going on has changed. Drawn soon. */
  changed(): void {
    if (!this.#isLive || this.#isLent || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#isLent) this.#flush();
    }, FRAME_MS);
    this.#timer.unref();
  }

  /** Whether somebody else draws on the terminal now, such as who asks a person. */
  lend(isLent: boolean): void {
    if (this.#isLent === isLent) return;
    if (isLent) {
      this.#write(this.#erased() + this.#taken());
      this.#isLent = true;
    } else {
      this.#isLent = false;
      this.#flush();
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#write(this.#erased() + this.#taken());
    this.#output.off?.('error', this.#onError);
  }

  /** Only a terminal is shared with others that draw. */
  get #isHeld(): boolean {
    return this.#isLent && this.#isLive;
  }

  #flush(): void {
    this.#write(this.#erased() + this.#taken() + (this.#isLive && !this.#isLent ? this.#region() : ''));
  }

  #taken(): string {
    const rows = this.#rows(this.#kept);
    this.#kept = [];
    return this.#text(rows);
  }

  #region(): string {
    const height = Math.max(1, (this.#output.rows ?? 24) - 1);
    const all = this.#rows(this.#options.pending());
    const rows = all.slice(0, height);
    this.#drawn = rows.map(({ text }) => columnsOf(text));
    return this.#text(rows);
  }

  /** A terminal that became narrower has wrapped the rows that it had. */
  #erased(): string {
    const up = this.#drawn.reduce((sum, columns) => sum + Math.max(1, Math.ceil(columns / this.#columns)), 0);
    this.#drawn = [];
    // What was typed meanwhile, such as ^C, has moved the cursor to the right.
    return up === 0 ? '' : `\r\x1b[${up}A\x1b[J`;
  }

  #rows(sections: readonly Section[]): Row[] {
    return sections.flatMap((section) => layout(section, this.#columns));
  }

  #text(rows: readonly Row[]): string {
    return rows.map((row) => `${painted(row, this.#colors)}\n`).join('');
  }

  get #columns(): number {
    // Some terminals do not know, and say 0.
    const { columns = 0 } = this.#output;
    return this.#options.width ?? (columns > 0 ? columns : PLAIN_WIDTH);
  }

  #write(text: string): void {
    if (text === '') return;
    try {
      this.#output.write(text);
    } catch {
      // A terminal that is gone is no reason for a call to fail.
    }
  }
}
