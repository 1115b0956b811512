import type { AgentEvent, AgentRun, TurnResult } from './types.ts';

/** Events of one turn, kept until somebody reads them. */
export class EventQueue implements AgentRun {
  readonly ended: Promise<TurnResult>;
  readonly #abort: () => void;
  #events: AgentEvent[] = [];
  #isOver = false;
  #wake: () => void = () => undefined;

  /** `abort` ends the turn early; `start` runs it and tells of its events. */
  constructor(start: (watch: (event: AgentEvent) => void) => Promise<TurnResult>, abort: () => void) {
    this.#abort = abort;
    this.ended = start((event) => { this.#push(event); }).then((result) => {
      this.#push({ type: 'turn-end', result });
      this.#isOver = true;
      this.#wake();
      return result;
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent, void, undefined> {
    try {
      for (;;) {
        const events = this.#events;
        this.#events = [];
        yield* events;
        if (this.#events.length > 0) continue;
        if (this.#isOver) return;
        await new Promise<void>((resolve) => { this.#wake = resolve; });
      }
    } finally {
      // Whoever stops watching before the end does not want the rest.
      if (!this.#isOver) {
        this.#abort();
        await this.ended;
      }
    }
  }

  #push(event: AgentEvent): void {
    this.#events.push(event);
    this.#wake();
  }
}
