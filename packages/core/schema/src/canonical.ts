import type { JsonObject, JsonValue } from './json.ts';

interface Frame {
  readonly container: JsonObject | readonly JsonValue[];
  /** Sorted keys of an object; undefined for an array. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  next: number;
}

function open(container: JsonObject | readonly JsonValue[]): Frame {
  if (Array.isArray(container)) return { container, keys: undefined, length: container.length, next: 0 };
  const keys = Object.keys(container);
  if (keys.length > 1) keys.sort();
  return { container, keys, length: keys.length, next: 0 };
}

function scalarText(value: string | number | boolean | null): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** Most arguments hold no containers: nothing to keep track of then. Undefined for one that does. */
function flatText(container: JsonObject | readonly JsonValue[]): string | undefined {
  if (Array.isArray(container)) return container.every(isScalar) ? JSON.stringify(container) : undefined;
  const object = container as JsonObject;
  const keys = Object.keys(object);
  let isOrdered = true;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    if (!isScalar(object[key])) return undefined;
    if (index > 0 && (keys[index - 1] as string) > key) isOrdered = false;
  }
  // In order as they are: then it is what JSON.stringify says, in one go.
  if (isOrdered) return JSON.stringify(object);
  return `{${keys.sort().map((key) => `${JSON.stringify(key)}:${JSON.stringify(object[key])}`).join(',')}}`;
}

function isScalar(value: JsonValue | undefined): boolean {
  return typeof value !== 'object' || value === null;
}

/** Writes one container without recursion. Members of tables have the same keys, so each key is quoted once. */
function write(root: JsonObject | readonly JsonValue[]): string {
  const quoted = new Map<string, string>();
  let frame = open(root);
  const frames = [frame];
  let text = frame.keys === undefined ? '[' : '{';
  for (;;) {
    const index = frame.next++;
    if (index === frame.length) {
      text += frame.keys === undefined ? ']' : '}';
      frames.pop();
      const parent = frames.at(-1);
      if (parent === undefined) return text;
      frame = parent;
      continue;
    }
    if (index > 0) text += ',';
    const key = frame.keys?.[index];
    if (key !== undefined) {
      let name = quoted.get(key);
      if (name === undefined) quoted.set(key, (name = `${JSON.stringify(key)}:`));
      text += name;
    }
    const child = (frame.container as Readonly<Record<PropertyKey, JsonValue>>)[key ?? index] as JsonValue;
    if (typeof child !== 'object' || child === null) {
      text += scalarText(child);
      continue;
    }
    frame = open(child);
    frames.push(frame);
    text += frame.keys === undefined ? '[' : '{';
  }
}

/**
 * Writes JSON text that is the same for values that differ only in the order of keys: keys sorted by UTF-16 code units,
 * no white space, numbers and strings as `JSON.stringify` writes them (RFC 8785 for all text without lone surrogates).
 * Takes values as `snapshotJson` gives them; a cycle would not end.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return scalarText(value);
  return flatText(value) ?? write(value);
}
