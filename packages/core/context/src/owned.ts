import { asPromise, isThenable } from './async.ts';
import type { Cleanup } from './types.ts';

/** Errors of an ending that is complete, or the promise of them. Never rejects. */
export type Ending = readonly unknown[] | Promise<readonly unknown[]>;

export const NO_ERRORS: readonly unknown[] = Object.freeze([]);

/** Something that ends with the fiber that owns it: an effect, a plugin mounted in it, a scope made from it. */
export interface Owned {
  /** Ends it; the same ending however often it is called. */
  end(): Ending;
}

/** Ends several things one after the other, each when the one before has ended. */
export function endInTurn(items: readonly Owned[]): Ending {
  const errors: unknown[] = [];
  for (const [index, item] of items.entries()) {
    const ending = item.end();
    if (ending instanceof Promise) return endRest(errors, ending, items.slice(index + 1));
    errors.push(...ending);
  }
  return errors;
}

async function endRest(errors: unknown[], first: Promise<readonly unknown[]>, items: readonly Owned[]): Promise<readonly unknown[]> {
  errors.push(...(await first));
  for (const item of items) errors.push(...(await item.end()));
  return errors;
}

/** A cleanup that is run once. */
export class Effect implements Owned {
  readonly kind = 'effect';
  readonly label: string;
  /** It has begun to run and has not ended. */
  isRunning = false;
  #cleanup: Cleanup | undefined;
  readonly #forget: (effect: Effect) => void;
  #ending: Ending | undefined;

  /** `forget` is called when the cleanup has ended. */
  constructor(label: string, cleanup: Cleanup | undefined, forget: (effect: Effect) => void) {
    this.label = label;
    this.#cleanup = cleanup;
    this.#forget = forget;
  }

  /** The cleanup is on the call stack. */
  get isOnStack(): boolean {
    return this.isRunning && this.#ending === undefined;
  }

  end(): Ending {
    // A cleanup that calls its own disposer gets the empty ending instead of waiting for itself.
    if (this.isOnStack) return NO_ERRORS;
    return (this.#ending ??= this.#run());
  }

  #run(): Ending {
    this.isRunning = true;
    try {
      const result: unknown = this.#cleanup?.();
      if (!isThenable(result)) return this.#ended(NO_ERRORS);
      return asPromise(result).then(
        () => this.#ended(NO_ERRORS),
        (error: unknown) => this.#ended([error]),
      );
    } catch (error) {
      return this.#ended([error]);
    }
  }

  #ended(errors: readonly unknown[]): readonly unknown[] {
    this.isRunning = false;
    this.#cleanup = undefined;
    this.#ending = errors;
    this.#forget(this);
    return errors;
  }
}
