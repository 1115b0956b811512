import type { Logger } from '@sluice/core-context';

/** A call, as far as its end matters. */
interface Ending {
  readonly exec: { readonly callId: string; readonly name: string };
}

/** Milliseconds that the end of the runtime waits for its calls. Source: the default of core-context's `graceMs`. */
const GRACE_MS = 5_000;

/**
 * Calls that have entered and not ended, bodies that outlived their call included. Those without a caller's signal are told
 * to stop when their context ends; whoever ends the runtime waits for them all, not for ever, and hears which go on.
 */
export class LiveCalls {
  readonly #calls = new Set<Ending>();
  #whenEmpty: (() => void) | undefined;

  add(call: Ending): void {
    this.#calls.add(call);
  }

  delete(call: Ending): void {
    this.#calls.delete(call);
    if (this.#calls.size === 0) this.#whenEmpty?.();
  }

  async drained(logger: Logger): Promise<void> {
    if (this.#calls.size === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
      timer = setTimeout(resolve, GRACE_MS);
    });
    clearTimeout(timer);
    if (this.#calls.size === 0) return;
    const names = Array.from(this.#calls, ({ exec }) => `call "${exec.callId}" of "${exec.name}"`);
    logger.warn(`core-tools: still running ${GRACE_MS} ms after the end of their context: ${names.join(', ')}`);
  }
}
