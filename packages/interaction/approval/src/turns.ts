import type { Question } from './question.ts';

/** Milliseconds that an answerer has to withdraw a question which is decided; then the next one is put to it. */
const WITHDRAWAL_MS = 1_000;

/** One question's turn with one answerer. It lasts until the question is decided, or passed on. */
export interface Turn {
  /** The answerer works on the question; a second time when somebody further out asks again. */
  enter(): void;
  /** It has answered. */
  leave(): void;
  /** The answerer is free for the next question. Twice is harmless. */
  end(): void;
}

interface Waiting {
  readonly begin: () => void;
}

/** One answerer's questions: one at a time, in the order in which they got here. */
export class Turns {
  readonly #waiting: Waiting[] = [];
  readonly #onIdle: () => void;
  #isBusy = false;
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `onIdle` is told each time nothing is left to ask or to wait for. */
  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  /** Resolves when it is this question's turn, or when it is decided before that; then with undefined. */
  take(question: Question): Promise<Turn | undefined> {
    if (question.outcome !== undefined) return Promise.resolve(undefined);
    if (!this.#isBusy) return Promise.resolve(this.#begin(question));
    return new Promise((resolve) => {
      const waiting: Waiting = { begin: () => { resolve(this.#begin(question)); } };
      this.#waiting.push(waiting);
      void question.decision.then(() => {
        const at = this.#waiting.indexOf(waiting);
        if (at >= 0) this.#waiting.splice(at, 1);
        resolve(undefined);
      });
    });
  }

  /** Nothing is asked any more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #begin(question: Question): Turn {
    this.#isBusy = true;
    let active = 0;
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(this.#timer);
      this.#isBusy = false;
      const next = this.#waiting.shift();
      if (next === undefined) this.#onIdle();
      else next.begin();
    };
    // Only when it is decided: the next question may be answered by what was decided on this one.
    void question.decision.then(() => {
      if (active === 0) end();
      // An answerer that does not listen to the signal must not hold up everything behind it.
      else if (!isOver && !this.#isClosed) this.#timer = setTimeout(end, WITHDRAWAL_MS).unref();
    });
    return {
      enter() {
        active += 1;
      },
      leave() {
        active -= 1;
        if (active === 0 && question.outcome !== undefined) end();
      },
      end,
    };
  }
}
