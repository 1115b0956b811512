import { Terminal } from '@xterm/headless';
import { vi } from 'vitest';
import type { Output } from '../src/index.ts';

/** A pipe or a file: keeps what was written. */
export class Paper implements Output {
  text = '';

  write(text: string): void {
    this.text += text;
  }

  get lines(): string[] {
    return this.text.split('\n').slice(0, -1);
  }
}

/** A terminal that really draws. */
export class Glass implements Output {
  readonly isTTY = true;
  readonly #terminal: Terminal;
  written = '';

  columns: number;
  readonly rows: number;

  constructor(columns = 60, rows = 12) {
    this.columns = columns;
    this.rows = rows;
    this.#terminal = new Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true, convertEol: true });
  }

  write(text: string): void {
    this.written += text;
    this.#terminal.write(text);
  }

  resize(columns: number): void {
    this.columns = columns;
    this.#terminal.resize(columns, this.rows);
  }

  /** Everything that was not erased, without what is blank at the end. */
  async screen(): Promise<string[]> {
    const done = new Promise<void>((resolve) => { this.#terminal.write('', resolve); });
    // It draws when a timer fires.
    if (vi.isFakeTimers()) await vi.advanceTimersByTimeAsync(1);
    await done;
    const { active } = this.#terminal.buffer;
    const lines = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? '');
    while (lines.at(-1) === '') lines.pop();
    return lines;
  }
}
