import type { Contribution } from './contribution.ts';
import type { Disposer } from './types.ts';

/**
 * All contributions of one fiber, in the order they were made. Live ones are attached as they come. Those of an instance
 * that an update prepares are attached together, or not at all.
 */
export class Contributions {
  #isLive: boolean;
  /** Each with whether it is attached. */
  readonly #all = new Map<Contribution, boolean>();
  /** What detaching threw, when there was nobody to throw it to. */
  readonly errors: unknown[] = [];

  constructor(isLive: boolean) {
    this.#isLive = isLive;
  }

  /** False before an update has swapped them in, after they were swapped out, and after the end. */
  get isLive(): boolean {
    return this.#isLive;
  }

  list(): Iterable<Contribution> {
    return this.#all.keys();
  }

  /** Adds one; throws what attaching throws. Undefined when everything was cleared while it was being attached. */
  add(contribution: Contribution): Disposer | undefined {
    const isLive = this.#isLive;
    this.#all.set(contribution, false);
    try {
      if (isLive) contribution.attach();
      else contribution.stage?.();
    } catch (error) {
      this.#all.delete(contribution);
      throw error;
    }
    if (!this.#all.has(contribution)) {
      if (isLive) contribution.detach();
      return undefined;
    }
    this.#all.set(contribution, isLive);
    return () => this.#remove(contribution);
  }

  #remove(contribution: Contribution): void {
    const isAttached = this.#all.get(contribution);
    this.#all.delete(contribution);
    if (isAttached === true) contribution.detach();
    else if (isAttached === false) contribution.unstage?.();
  }

  /** Attaches all that are not; when one throws, those are detached again and the error goes on. */
  attachAll(): void {
    this.#isLive = true;
    const attached: Contribution[] = [];
    try {
      for (const [contribution, isAttached] of this.#all) {
        if (isAttached) continue;
        contribution.attach();
        // Foreign code may have removed it just now.
        if (!this.#all.has(contribution)) {
          contribution.detach();
          continue;
        }
        contribution.unstage?.();
        this.#all.set(contribution, true);
        attached.push(contribution);
      }
    } catch (error) {
      this.#isLive = false;
      for (const contribution of attached.reverse()) this.#detach(contribution);
      throw error;
    }
  }

  /** Detaches all, last first, and keeps them. */
  detachAll(): void {
    this.#isLive = false;
    for (const [contribution, isAttached] of [...this.#all].reverse()) if (isAttached) this.#detach(contribution);
  }

  /** Forgets all, after they were detached. */
  clear(): void {
    for (const contribution of this.#all.keys()) contribution.unstage?.();
    this.#all.clear();
  }

  #detach(contribution: Contribution): void {
    this.#all.set(contribution, false);
    try {
      contribution.detach();
    } catch (error) {
      this.errors.push(error);
    }
  }
}
