import { Prompt } from '@clack/core';
import { PassThrough } from 'node:stream';
import type { Dialog } from './dialog.ts';
import { lineInput, readChunk } from './keys.ts';
import { painted } from '@sluice/terminal-text';
import type { Surface } from './surface.ts';
import type { Terminal } from './terminal.ts';

const SHOW_CURSOR = '\x1b[?25h';
const RESET = '\x1b[0m';

/** Enter decides nothing here by itself: the dialog does. */
class DialogPrompt extends Prompt<undefined> {
  protected override _shouldSubmit(): boolean {
    return false;
  }

  get caret(): number {
    return this._cursor;
  }
}

/**
 * Draws in place, over and over. The prompt library draws, and edits the line that a message is typed in; what a key means is
 * decided before it gets to see one.
 */
export const richSurface: Surface = (terminal: Terminal, dialog: Dialog) => {
  const { output } = terminal;
  const hasColours = output.hasColors();
  // Not the terminal itself, so that the library cannot change its mode, pause it, or see what is no key for it.
  const typed = new PassThrough();
  // The library draws from the first row that differs. After a resize the rows on the screen are no longer those that it drew.
  let resizes = 0;
  const onResize = (): void => {
    resizes += 1;
  };
  output.on('resize', onResize);
  const draw = (): string => {
    try {
      if (dialog.outcome !== undefined) return painted(dialog.echo(terminal.columns), hasColours);
      const rows = dialog.frame(terminal.columns, terminal.height - 1).map((row) => painted(row, hasColours));
      return RESET.repeat(resizes % 2) + rows.join('\n');
    } catch (error) {
      // The library draws where nobody would catch it. What cannot be seen cannot be agreed to.
      fail(error);
      return '';
    }
  };
  let fail!: (error: unknown) => void;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = (error) => {
      dialog.cancel();
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what was thrown goes on as it is
      reject(error);
    };
  });
  const prompt = new DialogPrompt({ input: typed, output, render: draw }, true);
  prompt.on('key', (_character, key) => {
    if (dialog.takesText) {
      dialog.message = prompt.userInput;
      dialog.caret = prompt.caret;
      if (key.name === 'return') dialog.press('enter');
    }
    if (dialog.outcome !== undefined) prompt.state = 'submit';
  });
  /** Draws anew, and ends when there is an outcome: by a key that is none. */
  const refresh = (): void => {
    typed.emit('keypress', undefined, { name: 'refresh', sequence: '', ctrl: false, meta: false, shift: false });
  };
  // Ends the library's part too.
  failed.catch(refresh);
  const showCursor = (): void => terminal.write(SHOW_CURSOR);
  process.on('exit', showCursor);
  const done = Promise.race([prompt.prompt(), failed]).finally(() => {
    process.off('exit', showCursor);
    output.off('resize', onResize);
    typed.destroy();
  });
  return {
    done: done.then(() => undefined),
    take(chunk) {
      const input = readChunk(chunk);
      if (input.kind === 'cancel') dialog.cancel();
      else if (dialog.takesText) {
        // Ctrl-Z would suspend the program with its terminal in this mode.
        typed.write(lineInput(chunk).replaceAll('\x1a', ''));
        return;
      } else if (input.kind === 'key') dialog.press(input.key);
      else if (input.kind === 'burst') dialog.refuseBurst();
      refresh();
    },
    refresh,
  };
};
