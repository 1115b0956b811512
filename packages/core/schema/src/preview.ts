import { quoteKey } from './path.ts';

const MAX_TEXT = 60;
const MAX_KEYS = 5;

function quoteText(text: string): string {
  return text.length <= MAX_TEXT ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, MAX_TEXT))}… (${text.length} characters)`;
}

function previewObject(value: object): string {
  try {
    if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`;
    const proto: unknown = Object.getPrototypeOf(value);
    const name = (proto as { constructor?: { name?: unknown } } | null)?.constructor?.name;
    if (typeof name === 'string' && name !== 'Object' && name !== '') return `an instance of ${name.slice(0, MAX_TEXT)}`;
    const keys = Object.keys(value);
    if (keys.length === 0) return 'an empty object';
    const shown = keys.slice(0, MAX_KEYS).map((key) => quoteKey(key.slice(0, 20)));
    return `an object with ${shown.join(', ')}${keys.length > MAX_KEYS ? ', …' : ''}`;
  } catch {
    return 'an object that cannot be read';
  }
}

/** A short text for any value, JSON or not: its kind, and its content when that is short. Never throws. */
export function preview(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `string ${quoteText(value)}`;
    case 'number':
      return `number ${Object.is(value, -0) ? '-0' : value}`;
    case 'boolean':
      return `boolean ${value}`;
    case 'bigint':
      return 'a BigInt';
    case 'undefined':
      return 'undefined';
    case 'symbol':
      return 'a symbol';
    case 'function':
      return 'a function';
    case 'object':
      return value === null ? 'null' : previewObject(value);
  }
}
