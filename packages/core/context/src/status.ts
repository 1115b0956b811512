import { Deferred } from './async.ts';
import type { PluginStatus } from './types.ts';

/** The status of a mounted plugin, and the promises that follow it. Both are made only when somebody asks for them. */
export class Status {
  #value: PluginStatus = 'waiting';
  /** Makes what `ready` rejects with. */
  readonly #reason: () => unknown;
  #ready: Deferred<void> | undefined;
  #next: Deferred<void> | undefined;

  constructor(reason: () => unknown) {
    this.#reason = reason;
  }

  get value(): PluginStatus {
    return this.#value;
  }

  /** Resolves when it becomes active, rejects when it fails or is disposed; from then on a new one until the next time. */
  get ready(): Promise<void> {
    if (this.#ready === undefined) {
      this.#ready = Deferred.optional();
      this.#settle(this.#ready);
    }
    return this.#ready.promise;
  }

  set(value: PluginStatus): void {
    if (this.#value === 'active' || this.#value === 'failed') this.#ready = undefined;
    this.#value = value;
    this.#next?.resolve();
    this.#next = undefined;
    if (this.#ready !== undefined) this.#settle(this.#ready);
  }

  /** Resolves when it is set the next time. */
  next(): Promise<void> {
    this.#next ??= new Deferred();
    return this.#next.promise;
  }

  #settle(ready: Deferred<void>): void {
    if (this.#value === 'active') ready.resolve();
    else if (this.#value === 'failed' || this.#value === 'disposed') ready.reject(this.#reason());
  }
}
