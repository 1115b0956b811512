import type { LinePattern } from '../pattern/line-matcher.ts';

const CLASSES: Readonly<Record<string, string>> = { w: '0-9A-Za-z_', d: '0-9', s: '\\t\\n\\f\\r ' };

/**
 * The pattern as ripgrep has to be given it to find the very same lines: `\w`, `\d`, `\s` and `\b` are about ASCII here, and about
 * all of Unicode there. Undefined for what cannot be said the same, or may be read differently.
 */
export function ripgrepPattern({ pattern, isLiteral }: LinePattern): string | undefined {
  if (isLiteral) return pattern.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
  let translated = '';
  let isInClass = false;
  for (let i = 0; i < pattern.length; i += 1) {
    const char = pattern.charAt(i);
    if (char === '\\') {
      const next = pattern.charAt((i += 1));
      const translation = escaped(next, isInClass);
      if (translation === undefined) return undefined;
      translated += translation;
    } else if (isInClass) {
      // Sets in sets and their operators exist only there.
      if (char === '[' || ((char === '&' || char === '~' || char === '-') && pattern.charAt(i + 1) === char)) return undefined;
      if (char === ']') isInClass = false;
      translated += char;
    } else if (char === '[') {
      isInClass = true;
      const head = /^\[\^?\]?/.exec(pattern.slice(i))?.[0] ?? char;
      if (head.endsWith(']')) return undefined;
      translated += head;
      i += head.length - 1;
    } else if (char === '(' && pattern.charAt(i + 1) === '?' && pattern.charAt(i + 2) !== ':') return undefined;
    else if (char === '{' || char === '}') {
      const repeat = /^\{\d+(?:,\d*)?\}/.exec(pattern.slice(i))?.[0];
      if (repeat === undefined) return undefined;
      translated += repeat;
      i += repeat.length - 1;
    } else translated += char;
  }
  return translated;
}

function escaped(next: string, isInClass: boolean): string | undefined {
  const set = CLASSES[next];
  if (set !== undefined) return isInClass ? set : `[${set}]`;
  const not = CLASSES[next.toLowerCase()];
  if (not !== undefined) return isInClass ? undefined : `[^${not}]`;
  if (next === 'b') return isInClass ? undefined : '(?-u:\\b)';
  if (next === 't') return '\\t';
  return /^[\\^$.|?*+()[\]{}/"'`<>=!@#%&~:;,_-]$/.test(next) ? (/^[\\^$.|?*+()[\]{}&~-]$/.test(next) ? `\\${next}` : next) : undefined;
}
