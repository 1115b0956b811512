/** Characters of a value that anybody looks at on one line. */
const ENOUGH = 2_000;

/** A value on one line, cut. */
export function compactJson(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // Deeper than it can be written.
  }
  if (text === undefined) return '(cannot be shown)';
  return text.length > ENOUGH ? `${text.slice(0, ENOUGH)}…` : text;
}
