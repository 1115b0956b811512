import type { JsonValue } from './json.ts';
import { issueAt, mustBe, type SchemaIssue } from './issue.ts';
import type { PathStep } from './path.ts';
import { preview } from './preview.ts';

/** Bounds of one snapshot. */
export interface SnapshotLimits {
  /** Levels of objects and arrays, the root included. Default 512. */
  maxDepth: number;
  /** Values in the copy, containers included; a shared reference counts each time. Default 1_000_000. */
  maxNodes: number;
}

export type Snapshot = { ok: true; value: JsonValue } | { ok: false; issue: SchemaIssue };

export const DEFAULT_LIMITS: SnapshotLimits = Object.freeze({ maxDepth: 512, maxNodes: 1_000_000 });

type Container = Record<string, unknown> | unknown[];

interface Frame {
  source: object;
  copy: Container;
  keys: readonly PropertyKey[] | undefined;
  next: number;
  length: number;
}

class Refusal {
  readonly issue: SchemaIssue;
  constructor(issue: SchemaIssue) {
    this.issue = issue;
  }
}

const JSON_EXPECTED = 'a JSON value';

function stepOf(frame: Frame): PathStep {
  const index = frame.next - 1;
  if (frame.keys === undefined) return index;
  const key = frame.keys[index];
  return typeof key === 'string' ? key : String(key);
}

function refuse(frames: readonly Frame[], expected: string, received: string): Refusal {
  return new Refusal(mustBe(frames.map(stepOf), expected, received));
}

function isPlainPrototype(proto: unknown): boolean {
  if (proto === Object.prototype || proto === null) return true;
  // A plain object of another realm: its prototype is a root and its constructor is that realm's native Object.
  if (typeof proto !== 'object' || Object.getPrototypeOf(proto) !== null) return false;
  const constructor = Object.getOwnPropertyDescriptor(proto, 'constructor')?.value as unknown;
  return typeof constructor === 'function' && constructor.name === 'Object' && Function.prototype.toString.call(constructor).includes('[native code]');
}

function isPlainArrayPrototype(proto: unknown): boolean {
  if (proto === Array.prototype) return true;
  if (!Array.isArray(proto)) return false;
  const constructor = Object.getOwnPropertyDescriptor(proto, 'constructor')?.value as unknown;
  return typeof constructor === 'function' && constructor.name === 'Array' && Function.prototype.toString.call(constructor).includes('[native code]');
}

function enter(frames: Frame[], source: object): Frame {
  const proto: unknown = Object.getPrototypeOf(source);
  if (Array.isArray(source)) {
    if (!isPlainArrayPrototype(proto)) throw refuse(frames, JSON_EXPECTED, preview(source));
    const length = source.length;
    if (Reflect.ownKeys(source).length !== length + 1) {
      throw refuse(frames, 'a dense array without extra keys', 'an array with holes or extra keys');
    }
    return { source, copy: new Array<unknown>(length), keys: undefined, next: 0, length };
  }
  if (!isPlainPrototype(proto)) throw refuse(frames, JSON_EXPECTED, preview(source));
  const keys = Reflect.ownKeys(source);
  return { source, copy: {}, keys, next: 0, length: keys.length };
}

function tooDeep(frames: readonly Frame[], source: object, maxDepth: number): Refusal {
  const seen = frames.findIndex((frame) => frame.source === source);
  const steps = frames.map(stepOf);
  if (seen >= 0) return new Refusal(issueAt(steps, 'must not be circular', JSON_EXPECTED, 'a circular reference'));
  return new Refusal(issueAt(steps, `is nested too deeply (limit ${maxDepth} levels)`, `at most ${maxDepth} levels`, 'deeper nesting'));
}

function store(copy: Container, key: PropertyKey, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true });
  else (copy as Record<PropertyKey, unknown>)[key] = value;
}

function walk(root: object, limits: SnapshotLimits): JsonValue {
  const frames: Frame[] = [];
  if (limits.maxDepth < 1) throw tooDeep(frames, root, limits.maxDepth);
  let nodes = 1;
  let frame = enter(frames, root);
  frames.push(frame);
  const result = frame.copy;
  for (;;) {
    if (frame.next === frame.length) {
      Object.freeze(frame.copy);
      frames.pop();
      const parent = frames[frames.length - 1];
      if (parent === undefined) return result as JsonValue;
      frame = parent;
      continue;
    }
    const index = frame.next;
    const key = frame.keys === undefined ? index : (frame.keys[index] as PropertyKey);
    frame.next = index + 1;
    if (typeof key === 'symbol') throw refuse(frames, 'free of symbol keys', 'a symbol key');
    const property = Object.getOwnPropertyDescriptor(frame.source, key);
    if (property === undefined) throw refuse(frames, JSON_EXPECTED, 'nothing');
    if (!('value' in property)) throw refuse(frames, 'plain data', 'an accessor');
    if (property.enumerable !== true) throw refuse(frames, 'enumerable', 'a hidden property');
    const value: unknown = property.value;
    if (++nodes > limits.maxNodes) {
      throw new Refusal(issueAt([], `has more than ${limits.maxNodes} values`, `at most ${limits.maxNodes} values`, 'a larger value'));
    }
    if (typeof value === 'object' && value !== null) {
      if (frames.length >= limits.maxDepth) throw tooDeep(frames, value, limits.maxDepth);
      const child = enter(frames, value);
      store(frame.copy, key, child.copy);
      frames.push(child);
      frame = child;
      continue;
    }
    if (!isJsonPrimitive(value)) throw refuse(frames, JSON_EXPECTED, preview(value));
    store(frame.copy, key, value);
  }
}

function isJsonPrimitive(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    default:
      return value === null;
  }
}

/**
 * Copies a value if it is lossless JSON, and deep-freezes the copy, in one pass.
 *
 * Refused with the path of the offender: undefined, BigInt, NaN, infinities, -0, symbols, functions, cycles, arrays
 * with holes or extra keys, class instances, accessors, symbol keys and hidden properties. Nothing is coerced and
 * no code of the value runs, except the traps of a proxy. Never throws, whatever the value does.
 */
export function snapshotJson(value: unknown, limits: SnapshotLimits = DEFAULT_LIMITS): Snapshot {
  if (typeof value !== 'object' || value === null) {
    if (isJsonPrimitive(value)) return { ok: true, value: value as JsonValue };
    return { ok: false, issue: mustBe([], JSON_EXPECTED, preview(value)) };
  }
  try {
    return { ok: true, value: walk(value, limits) };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, issue: error.issue };
    return { ok: false, issue: issueAt([], 'could not be read (a proxy or an accessor threw)', JSON_EXPECTED, 'an unreadable value') };
  }
}
