/** One native listener per signal, however many pauses: Node warns about a leak from eleven on, and a batch has one signal. */
const pausing = new WeakMap<AbortSignal, { readonly ends: Set<() => void>; readonly run: () => void }>();

/** Waits, and says whether it could: false as soon as `signal` aborts. Leaves neither timer nor listener. */
export function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(false);
      return;
    }
    const forget = onAbort(signal, () => {
      clearTimeout(timer);
      resolve(false);
    });
    const timer = setTimeout(() => {
      forget();
      resolve(true);
    }, ms);
  });
}

function onAbort(signal: AbortSignal, end: () => void): () => void {
  let shared = pausing.get(signal);
  if (shared === undefined) {
    const ends = new Set<() => void>();
    const run = (): void => {
      pausing.delete(signal);
      for (const each of ends) each();
    };
    shared = { ends, run };
    pausing.set(signal, shared);
    signal.addEventListener('abort', run, { once: true });
  }
  const { ends, run } = shared;
  ends.add(end);
  return () => {
    ends.delete(end);
    if (ends.size > 0) return;
    pausing.delete(signal);
    signal.removeEventListener('abort', run);
  };
}
