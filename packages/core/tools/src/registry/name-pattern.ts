/**
 * A tool-name pattern: `*` stands for any run of characters, everything else for itself. Linear time, since patterns come
 * from deployment files.
 */
export function namePattern(pattern: string): (name: string) => boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) return (name) => name === pattern;
  const first = parts[0] as string;
  const last = parts[parts.length - 1] as string;
  const middle = parts.slice(1, -1);
  return (name) => {
    if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
    const end = name.length - last.length;
    let from = first.length;
    for (const part of middle) {
      const at = name.indexOf(part, from);
      if (at < 0 || at + part.length > end) return false;
      from = at + part.length;
    }
    return true;
  };
}
