import { getEventListeners } from 'node:events';

/** A caller's signal that counts who listens to it. */
export interface WatchedSignal {
  readonly controller: AbortController;
  readonly signal: AbortSignal;
  /** Listeners that were put on it so far. */
  readonly added: number;
  /** Listeners that are on it now. */
  readonly left: number;
}

export function aWatchedSignal(): WatchedSignal {
  const controller = new AbortController();
  const { signal } = controller;
  let added = 0;
  const add = signal.addEventListener.bind(signal) as (...args: unknown[]) => void;
  signal.addEventListener = (...args: unknown[]) => {
    added += 1;
    add(...args);
  };
  return {
    controller,
    signal,
    get added() {
      return added;
    },
    get left() {
      return getEventListeners(signal, 'abort').length;
    },
  };
}
