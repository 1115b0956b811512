const MAX_COMPARED = 64;

/** Edits that turn one text into the other; stops counting above `limit`. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] as number) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] as number) + 1, (current[column - 1] as number) + 1));
    }
    previous = current;
  }
  return previous[b.length] as number;
}

/**
 * The known name that somebody most likely meant, or undefined when none is near: at most a third of its letters may
 * differ; upper and lower case, `-` and `_` count as equal.
 */
export function closestName(wanted: string, known: Iterable<string>): string | undefined {
  const fold = (name: string): string => name.toLowerCase().replaceAll(/[-_\s]/g, '');
  const target = fold(wanted);
  if (target === '' || target.length > MAX_COMPARED) return undefined;
  let best: string | undefined;
  let least = Math.max(1, Math.floor(target.length / 3)) + 1;
  for (const name of known) {
    if (name.length > MAX_COMPARED) continue;
    const edits = distance(target, fold(name), least - 1);
    if (edits < least) {
      least = edits;
      best = name;
    }
  }
  return best;
}
