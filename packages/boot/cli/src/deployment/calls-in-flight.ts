import type { Context, Disposer } from '@sluice/core-context';
import type {} from '@sluice/core-tools';

/** Counts the calls that run, by scope, so that a scope is not ended under them. */
export class CallsInFlight {
  readonly #counts = new Map<string, number>();
  readonly #waiting = new Set<() => void>();

  constructor(ctx: Context) {
    ctx.on('tools/call', ({ scopePath }) => { this.#count(scopePath, 1); });
    ctx.on('tools/result', ({ scopePath }) => { this.#count(scopePath, -1); });
  }

  #count(scopePath: readonly string[], change: 1 | -1): void {
    const key = keyOf(scopePath);
    const count = (this.#counts.get(key) ?? 0) + change;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
    if (change < 0) for (const look of this.#waiting) look();
  }

  /** Resolves when none runs in the scope or below, or after so many milliseconds. */
  async none(scopePath: readonly string[], ms: number): Promise<void> {
    const key = keyOf(scopePath);
    const isIdle = (): boolean => ![...this.#counts.keys()].some((each) => each === key || each.startsWith(`${key}\0`));
    if (isIdle()) return;
    let stop: Disposer | undefined;
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (isIdle()) resolve();
      };
      this.#waiting.add(look);
      const timer = setTimeout(resolve, ms);
      stop = () => {
        clearTimeout(timer);
        this.#waiting.delete(look);
      };
    });
    stop?.();
  }
}

function keyOf(scopePath: readonly string[]): string {
  return scopePath.join('\0');
}
