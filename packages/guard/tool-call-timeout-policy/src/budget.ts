import { namePattern } from '@sluice/core-tools';

/** Milliseconds per attempt for a tool, or none. */
export type BudgetFor = (toolName: string, declaredMs: number | undefined) => number | undefined;

export interface BudgetConfig {
  readonly perTool?: Readonly<Record<string, number>>;
  readonly defaultMs?: number;
  readonly maxMs?: number;
}

/**
 * Exact name, then the longest matching glob (of two equally long ones the alphabetically first), then the definition, then
 * the default; whatever comes out is capped by `maxMs`.
 */
export function budgetOf({ perTool = {}, defaultMs, maxMs }: BudgetConfig): BudgetFor {
  const exact = new Map(Object.entries(perTool));
  const globs = Object.entries(perTool)
    .filter(([pattern]) => pattern.includes('*'))
    .sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1))
    .map(([pattern, ms]) => ({ matches: namePattern(pattern), ms }));
  return (toolName, declaredMs) => {
    const ms = exact.get(toolName) ?? globs.find(({ matches }) => matches(toolName))?.ms ?? declaredMs ?? defaultMs;
    // A cap is a deadline of its own: with it, no call is without one.
    return maxMs === undefined ? ms : Math.min(ms ?? maxMs, maxMs);
  };
}
