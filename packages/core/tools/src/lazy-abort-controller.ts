const brand = Symbol.for('sluice.lazy-abort-controller');

/**
 * An `AbortController` for wrappers: given to `next({ signal })` it counts as a signal, and makes a real one only when somebody
 * reads it. Most bodies never do, and on Node 20 a signal costs three times as much as a small call.
 */
export class LazyAbortController {
  readonly [brand] = true;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  get aborted(): boolean {
    return this.#aborted !== undefined;
  }

  /** `undefined` until it is aborted. */
  get reason(): unknown {
    return this.#aborted?.reason;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  /** Once; later ones do nothing. Default reason: a `DOMException` named `AbortError`, as with an `AbortController`. */
  abort(reason: unknown = new DOMException('This operation was aborted', 'AbortError')): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = { reason };
    this.#controller?.abort(reason);
  }
}

/** Of this copy of the package or another. Never throws, whatever the value does. */
export function isLazyAbortController(value: unknown): value is LazyAbortController {
  try {
    return (
      typeof value === 'object' &&
      value !== null &&
      (value as { [brand]?: unknown })[brand] === true &&
      typeof (value as { aborted?: unknown }).aborted === 'boolean'
    );
  } catch {
    return false;
  }
}
