import type { ListenerEntry } from './types.ts';

/**
 * Runs a chain of listeners around `last`. Each listener gets `args` and its own `next`, which runs everything further in
 * and may be called again, for a fresh run of it. The chain is the one handed in: changes meanwhile do not matter.
 * Rejects with whatever is thrown and not caught further out.
 */
export async function runWaterfall(chain: readonly ListenerEntry[], args: readonly unknown[], last: () => unknown): Promise<unknown> {
  const enter = (index: number): unknown => {
    const entry = chain[index];
    return entry === undefined ? last() : entry.invoke(...args, async () => enter(index + 1));
  };
  return enter(0);
}
