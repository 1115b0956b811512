import type { ListenerEntry } from './types.ts';

/**
 * Runs a chain of listeners around `last`. Each listener gets `args` and its own `next`, which runs everything further in
 * and may be called again, for a fresh run of it. The chain is the one handed in: changes meanwhile do not matter.
 * Rejects with whatever is thrown and not caught further out.
 */
export function runWaterfall(chain: readonly ListenerEntry[], args: readonly unknown[], last: () => unknown): Promise<unknown> {
  const enter = async (index: number): Promise<unknown> => {
    const entry = chain[index];
    return await (entry === undefined ? last() : entry.invoke(...args, () => enter(index + 1)));
  };
  return enter(0);
}
