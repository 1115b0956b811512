/** Values looked at in one answer; a promise further in than that is not found. */
const MAX_LOOKED_AT = 10_000;

/**
 * For an answer that is refused. A promise that is it, or is in it (an `await` was forgotten), has nobody who waits for it
 * any more; its rejection would have nowhere to go and would end the process. Looks into lists and plain objects only: what
 * a class instance holds is its own affair. Calls nothing of the answer's.
 */
export function disown(answer: unknown): void {
  if (typeof answer !== 'object' || answer === null) return;
  const seen = new Set<object>([answer]);
  for (const value of seen) {
    try {
      if (value instanceof Promise) void Promise.prototype.then.call(value, undefined, ignore);
      else if (isContainer(value)) collect(value, seen);
    } catch {
      // A proxy that does not want to be looked at.
    }
  }
}

function isContainer(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || proto === null || proto === Object.prototype;
}

/** Adds the objects among the data properties of `value`. */
function collect(value: object, seen: Set<object>): void {
  for (const key of Reflect.ownKeys(value)) {
    if (seen.size >= MAX_LOOKED_AT) return;
    const member: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
    if (typeof member === 'object' && member !== null) seen.add(member);
  }
}

function ignore(): void {
  // Refusing the answer says enough.
}
