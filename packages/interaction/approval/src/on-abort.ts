import type { Disposer } from '@sluice/core-context';

interface Watched {
  readonly watchers: Set<() => void>;
  readonly run: () => void;
}

/** One native listener per signal, however many questions share it: Node warns about a leak from eleven on. */
const watched = new WeakMap<AbortSignal, Watched>();

/** Calls `watcher` when the signal aborts. One function can watch a signal once. The disposer may be called again. */
export function onAbort(signal: AbortSignal, watcher: () => void): Disposer {
  const entry = watched.get(signal) ?? watch(signal);
  entry.watchers.add(watcher);
  return () => {
    if (!entry.watchers.delete(watcher) || entry.watchers.size > 0 || watched.get(signal) !== entry) return;
    watched.delete(signal);
    signal.removeEventListener('abort', entry.run);
  };
}

function watch(signal: AbortSignal): Watched {
  const watchers = new Set<() => void>();
  const run = (): void => {
    watched.delete(signal);
    for (const watcher of watchers) watcher();
  };
  const entry = { watchers, run };
  watched.set(signal, entry);
  signal.addEventListener('abort', run, { once: true });
  return entry;
}
