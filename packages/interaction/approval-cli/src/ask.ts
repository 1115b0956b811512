import type { ApprovalOutcome } from '@sluice/approval';
import type { Dialog } from './dialog.ts';
import { plainSurface } from './plain-surface.ts';
import { richSurface } from './rich-surface.ts';
import { Terminal, whyNot, type Streams } from './terminal.ts';

/** There may be several of us on one terminal, in several scopes: who asks there has it alone. */
const taken = new WeakMap<object, Promise<unknown>>();

const CANCELLED: ApprovalOutcome = { kind: 'cancelled' };

/** Asks at the terminal as soon as it is free. `signal` withdraws the question, wherever it is. Never rejects for what a terminal does. */
export async function ask(streams: Streams, dialog: () => Dialog, signal: AbortSignal): Promise<ApprovalOutcome> {
  const { input } = streams;
  const before = taken.get(input);
  const asking = (async () => {
    await before;
    if (signal.aborted) return CANCELLED;
    const why = whyNot(streams);
    return why === undefined ? atTerminal(streams, dialog(), signal) : ({ kind: 'unavailable', why } as const);
  })();
  const free = asking.catch(() => undefined);
  taken.set(input, free);
  return asking;
}

async function atTerminal(streams: Streams, dialog: Dialog, signal: AbortSignal): Promise<ApprovalOutcome> {
  let hangUp!: () => void;
  const hungUp = new Promise<void>((resolve) => {
    hangUp = resolve;
  });
  const terminal = new Terminal(streams, () => {
    dialog.cancel();
    hangUp();
  });
  let withdraw = (): void => dialog.withdraw();
  const onAbort = (): void => withdraw();
  signal.addEventListener('abort', onAbort);
  try {
    await Promise.race([terminal.drain(signal), hungUp]);
    const early = dialog.decided();
    if (early !== undefined) return early;
    const surface = process.env['TERM'] === 'dumb' ? plainSurface : richSurface;
    const drawn = surface(terminal, dialog);
    terminal.read((chunk) => {
      if (dialog.outcome === undefined) drawn.take(chunk);
    });
    withdraw = () => {
      dialog.withdraw();
      drawn.refresh();
    };
    await Promise.race([drawn.done, hungUp]);
    return dialog.decided() ?? CANCELLED;
  } finally {
    signal.removeEventListener('abort', onAbort);
    terminal.close();
  }
}
