import { lineInput, readChunk } from './keys.ts';
import type { Surface } from './surface.ts';

/** For terminals that cannot move a cursor (`TERM=dumb`): what changes is written below, and not one control sequence. */
export const plainSurface: Surface = (terminal, dialog) => {
  let end!: () => void;
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  let shown = '';

  const refresh = (): void => {
    const { columns, height } = terminal;
    if (dialog.outcome !== undefined) {
      terminal.write(`\r\n${dialog.echo(columns).text}\r\n`);
      end();
      return;
    }
    // In a line that is being typed, what is typed is written as it comes.
    const text = dialog.frame(columns, height - 1).map((row) => row.text).join('\r\n');
    if (text !== shown) terminal.write(`\r\n${text}${dialog.takesText ? '' : '\r\n'}`);
    shown = text;
  };

  /** Enough of an editor for one line. */
  const type = (chunk: string): void => {
    for (const character of lineInput(chunk)) {
      if (dialog.outcome !== undefined) return;
      if (character === '\r') dialog.press('enter');
      else if (character === '\x7f' || character === '\b') {
        if (dialog.message !== '') terminal.write('\b \b');
        dialog.message = Array.from(dialog.message).slice(0, -1).join('');
      } else if (!/\p{C}/u.test(character)) {
        dialog.message += character;
        terminal.write(character);
      }
    }
  };

  refresh();
  return {
    done,
    refresh,
    take(chunk) {
      const input = readChunk(chunk);
      if (input.kind === 'cancel') dialog.cancel();
      else if (dialog.takesText) {
        type(chunk);
        if (dialog.outcome === undefined) return;
      } else if (input.kind === 'key') dialog.press(input.key);
      else if (input.kind === 'burst') dialog.refuseBurst();
      refresh();
    },
  };
};
