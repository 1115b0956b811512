/**
 * Whether a person is being asked now, and so somebody else may be drawing. Told of it twice, by who asks and by the
 * pipeline, because not everybody who asks tells.
 */
export class Questions {
  readonly #asked = new Set<string>();
  #first: string | undefined;
  #held = 0;

  get isOpen(): boolean {
    return this.#asked.size > 0 || this.#held > 0;
  }

  asked(id: string): void {
    if (this.#asked.size === 0) this.#first = id;
    this.#asked.add(id);
  }

  decided(id: string): void {
    this.#asked.delete(id);
    if (this.#first === id) this.#first = undefined;
  }

  /** Whether this question came up while no other was open. Then nothing of it is on the screen yet, and there is time to draw. */
  isFirst(id: string): boolean {
    return this.#asked.size === 0 || this.#first === id;
  }

  hold(isHeld: boolean): void {
    // One that began before anybody listened here ends below nothing.
    this.#held = Math.max(0, this.#held + (isHeld ? 1 : -1));
  }
}
