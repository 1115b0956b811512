import type { Logger } from '@sluice/core-context';

/** A call, as far as its end matters. */
interface Ending {
  readonly exec: { readonly callId: string; readonly name: string };
  /** Where it is kept here: a set would hash every call twice. -1 when it is not. */
  livePlace: number;
}

/** Milliseconds that the end of the runtime waits for its calls. Source: the default of core-context's `graceMs`. */
const GRACE_MS = 5_000;

/**
 * Calls that have entered and not ended, bodies that outlived their call included. Those without a caller's signal are told
 * to stop when their context ends; whoever ends the runtime waits for them all, not for ever, and hears which go on.
 */
export class LiveCalls {
  readonly #calls: Ending[] = [];
  #whenEmpty: (() => void) | undefined;

  add(call: Ending): void {
    call.livePlace = this.#calls.push(call) - 1;
  }

  delete(call: Ending): void {
    const place = call.livePlace;
    if (place < 0) return;
    call.livePlace = -1;
    const last = this.#calls.pop() as Ending;
    if (last !== call) {
      this.#calls[place] = last;
      last.livePlace = place;
    }
    if (this.#calls.length === 0) this.#whenEmpty?.();
  }

  async drained(logger: Logger): Promise<void> {
    if (this.#calls.length === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
      timer = setTimeout(resolve, GRACE_MS);
    });
    clearTimeout(timer);
    if (this.#calls.length === 0) return;
    const names = this.#calls.map(({ exec }) => `call "${exec.callId}" of "${exec.name}"`);
    logger.warn(`core-tools: still running ${GRACE_MS} ms after the end of their context: ${names.join(', ')}`);
  }
}
