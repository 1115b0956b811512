import type { Dialog } from './dialog.ts';
import type { Terminal } from './terminal.ts';

/** A dialog on a screen. */
export interface Drawn {
  /** Resolves when the dialog has an outcome and the last line is drawn. */
  readonly done: Promise<void>;
  /** What was typed, one chunk as it came. */
  take(chunk: string): void;
  /** The dialog has changed by itself. */
  refresh(): void;
}

/** Draws the dialog, at once; whatever is typed from then on was typed in answer to it. */
export type Surface = (terminal: Terminal, dialog: Dialog) => Drawn;
