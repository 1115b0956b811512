/** Properties looked at in one answer; a promise further in than that is not found. */
const MAX_LOOKED_AT = 10_000;

/**
 * For an answer that is refused. A promise that is it, or is in it (an `await` was forgotten), has nobody who waits for it
 * any more; its rejection would have nowhere to go and would end the process. Looks into lists and plain objects only: what
 * a class instance holds is its own affair. Calls nothing of the answer's.
 */
export function disown(answer: unknown): void {
  if (typeof answer !== 'object' || answer === null) return;
  const found = new Set<object>([answer]);
  let looks = MAX_LOOKED_AT;
  for (const value of found) {
    try {
      if (value instanceof Promise) void Promise.prototype.then.call(value, undefined, ignore);
      for (const key of keysOf(value, looks)) {
        looks -= 1;
        const member: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
        if (typeof member === 'object' && member !== null) found.add(member);
      }
    } catch {
      // A proxy that does not want to be looked at.
    }
  }
}

/** At most `max` keys of a list or plain object; none of anything else. */
function keysOf(value: object, max: number): readonly PropertyKey[] {
  // Listing the keys of a long array costs more than all the rest.
  if (Array.isArray(value)) return Array.from({ length: Math.min(value.length, max) }, (_hole, index) => index);
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === null || proto === Object.prototype ? Reflect.ownKeys(value).slice(0, max) : [];
}

function ignore(): void {
  // Refusing the answer says enough.
}
