/** One step into a value: a key of an object or an index of an array. */
export type PathStep = string | number;

const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$-]*$/u;
const MAX_STEP_LENGTH = 80;
const SHOWN_STEPS = 12;

/** A key as it appears in a message: quoted, escaped, and cut when it is very long. */
export function quoteKey(key: string): string {
  return JSON.stringify(key.length > MAX_STEP_LENGTH ? `${key.slice(0, MAX_STEP_LENGTH)}…` : key);
}

/**
 * Writes steps as `a.b`, `a[2]`, and `a["b.c"]` for a key that is no identifier; `''` for no steps.
 * A path of more than 24 steps keeps its first and last 12, so that a hostile depth makes no long text.
 */
export function formatPath(steps: readonly PathStep[]): string {
  if (steps.length > SHOWN_STEPS * 2) {
    return `${formatPath(steps.slice(0, SHOWN_STEPS))} … ${formatPath(steps.slice(-SHOWN_STEPS))}`;
  }
  let path = '';
  for (const step of steps) {
    if (typeof step === 'number') path += `[${step}]`;
    else if (step.length > MAX_STEP_LENGTH || !IDENTIFIER.test(step)) path += `[${quoteKey(step)}]`;
    else path += path === '' ? step : `.${step}`;
  }
  return path;
}
