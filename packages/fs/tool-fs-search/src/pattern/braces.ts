const MAX_ALTERNATIVES = 500;

/**
 * `{a,b}` written out, nested ones too. Braces without a comma are text, as are those that do not close.
 *
 * @throws RangeError when there would be more than 500
 */
export function withoutBraces(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = firstGroup(next);
    if (group === undefined) done.push(next);
    else for (const option of group.options.reverse()) open.push(group.before + option + group.after);
    if (open.length + done.length > MAX_ALTERNATIVES) throw new RangeError(`has more than ${MAX_ALTERNATIVES} alternatives`);
  }
  return done;
}

/** `a,b` split where no brace is open: whoever writes a list means either. */
export function alternativesOf(list: string): string[] {
  return splitAtCommas(list).filter((part) => part.trim() !== '').map((part) => part.trim());
}

function firstGroup(pattern: string): { before: string; options: string[]; after: string } | undefined {
  for (let start = indexOfUnescaped(pattern, '{', 0); start >= 0; start = indexOfUnescaped(pattern, '{', start + 1)) {
    const end = closing(pattern, start);
    if (end === undefined) return undefined;
    const options = splitAtCommas(pattern.slice(start + 1, end));
    if (options.length > 1) return { before: pattern.slice(0, start), options, after: pattern.slice(end + 1) };
  }
  return undefined;
}

function closing(pattern: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < pattern.length; at += 1) {
    const char = pattern.charAt(at);
    if (char === '\\') at += 1;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return undefined;
}

function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\') at += 1;
    else if (char === '{') depth += 1;
    else if (char === '}') depth -= 1;
    else if (char === ',' && depth <= 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}

function indexOfUnescaped(text: string, wanted: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === wanted) return at;
  }
  return -1;
}
