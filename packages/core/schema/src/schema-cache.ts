import type { CompiledSchema } from './compile.ts';

const SMALLEST_SWEEP = 256;

/** Compiled schemas by their text, held weakly: a schema that nobody uses any more is gone with its last tool. */
const compiled = new Map<string, WeakRef<CompiledSchema>>();
let sweepAt = SMALLEST_SWEEP;

/** The compiled schema of an equal text, while somebody still holds it. */
export function recall(key: string): CompiledSchema | undefined {
  return compiled.get(key)?.deref();
}

export function remember(key: string, schema: CompiledSchema): void {
  compiled.set(key, new WeakRef(schema));
  if (compiled.size < sweepAt) return;
  // The texts of dead entries go when the map has doubled since the last time, so that sweeping stays cheap.
  for (const [text, entry] of compiled) if (entry.deref() === undefined) compiled.delete(text);
  sweepAt = Math.max(SMALLEST_SWEEP, compiled.size * 2);
}
