/**
 * For the answer of a callback that must be synchronous and was refused: had it been a promise, its rejection would have
 * nowhere to go and would end the process.
 */
export function disown(answer: unknown): void {
  if (answer instanceof Promise) answer.catch(() => undefined);
}
