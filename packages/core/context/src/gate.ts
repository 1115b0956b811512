import type { Layer } from './layer.ts';

/**
 * What one mounted plugin adds to the closed gates of its scope: its own name while it is a gate and not active, and the
 * names of gates that it had mounted and, being restarted, has not mounted again. An absent policy never means yes.
 */
export class GateSign {
  readonly #layer: Layer;
  readonly #name: string;
  readonly #isGate: boolean;
  #isMounted = false;
  #isActive = false;
  #updates = 0;
  #held: readonly string[] = [];

  constructor(layer: Layer, name: string, isGate: boolean) {
    this.#layer = layer;
    this.#name = name;
    this.#isGate = isGate;
  }

  setMounted(isMounted: boolean): void {
    this.#isMounted = isMounted;
    this.#show();
  }

  setActive(isActive: boolean): void {
    this.#isActive = isActive;
    this.#show();
  }

  /** An update is under way (1) or over (-1). */
  countUpdate(change: 1 | -1): void {
    this.#updates += change;
    this.#show();
  }

  /** Keeps these closed too, whatever becomes of them. */
  hold(names: readonly string[]): void {
    this.#held = [...new Set([...this.#held, ...names])];
    this.#show();
  }

  /** Whoever mounts them now speaks for them. */
  letGo(): void {
    this.#held = [];
    this.#show();
  }

  #show(): void {
    const isClosed = this.#isGate && (!this.#isActive || this.#updates > 0);
    const names = isClosed ? [this.#name, ...this.#held] : this.#held;
    this.#layer.setClosedGates(this, this.#isMounted ? names : []);
  }
}
