import type { Limit } from './rules.ts';

/** The budget that is used up. */
export type Excess =
  | { readonly kind: 'turn' | 'run'; readonly calls: number }
  /** `resetsInMs` is undefined while calls that wait for their turn use up the window. */
  | { readonly kind: 'window'; readonly calls: number; readonly ms: number; readonly resetsInMs: number | undefined };

/** One call's share of a meter. */
export interface Share {
  /** It begins; `now` reads a clock that never goes back, in milliseconds. */
  begin(now: () => number): void;
  /** It reached no body: as if it had never been counted. Harmless after the turn or run has ended. */
  giveBack(): void;
}

const nothing = (): void => undefined;

/** Counts the calls that one rule binds, in one scope. A call counts from its reservation on. */
export class Meter {
  #turn = { calls: 0 };
  #run = { calls: 0 };
  /** Counted towards the window, but not begun. */
  #waiting = 0;
  /** When calls of the window began, ascending. */
  readonly #began: number[] = [];

  excess({ perTurn, perRun, perWindow }: Limit): Excess | undefined {
    // What resets last is named first: waiting for the other would be in vain.
    if (perRun !== undefined && this.#run.calls >= perRun) return { kind: 'run', calls: perRun };
    if (perTurn !== undefined && this.#turn.calls >= perTurn) return { kind: 'turn', calls: perTurn };
    if (perWindow === undefined) return undefined;
    const { calls, ms } = perWindow;
    const now = performance.now();
    while (this.#began[0] !== undefined && this.#began[0] + ms <= now) this.#began.shift();
    const tooMany = this.#began.length + this.#waiting - calls;
    if (tooMany < 0) return undefined;
    const last = this.#began[tooMany];
    return { kind: 'window', calls, ms, resetsInMs: last === undefined ? undefined : last + ms - now };
  }

  /** Counts a call. Whether it may be is for the caller to ask first, in the same turn of the event loop. */
  reserve({ perWindow }: Limit): Share {
    // An ended turn has its own object, so what is given back too late changes nothing.
    const turn = this.#turn;
    const run = this.#run;
    turn.calls += 1;
    run.calls += 1;
    const untimed = (): void => {
      turn.calls -= 1;
      run.calls -= 1;
    };
    if (perWindow === undefined) return { begin: nothing, giveBack: untimed };
    let began: number | undefined;
    this.#waiting += 1;
    return {
      begin: (now) => {
        if (began !== undefined) return;
        this.#waiting -= 1;
        this.#began.push((began = now()));
      },
      giveBack: () => {
        untimed();
        if (began === undefined) this.#waiting -= 1;
        else this.#forget(began);
      },
    };
  }

  reset(what: 'turn' | 'run'): void {
    this.#turn = { calls: 0 };
    if (what === 'run') this.#run = { calls: 0 };
  }

  #forget(began: number): void {
    const at = this.#began.lastIndexOf(began);
    if (at >= 0) this.#began.splice(at, 1);
  }
}
