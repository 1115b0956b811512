import { CheckLimit } from '../check-limit.ts';

/** Evaluations of referenced schemas that one validation may take: two for each value of the largest snapshot; about a second. */
const MAX_STEPS = 2_000_000;

let left = MAX_STEPS;

/** Call before each validation. Validation is synchronous and runs no foreign code, so one counter serves all. */
export function resetSteps(limit = MAX_STEPS): void {
  left = limit;
}

/**
 * Counts one evaluation of a referenced schema. References are the only way in which a small schema can cost a time that
 * grows exponentially, as in `anyOf: [{ $ref: a }, { $ref: a }]` on thirty levels.
 * @throws CheckLimit when there have been too many.
 */
export function countStep(): true {
  if (--left < 0) throw new CheckLimit('the schema is too ambiguous to be checked in bounded time');
  return true;
}
