import { issueAt, mustBe, type SchemaIssue } from './issue.ts';
import { isJsonPrimitive, type JsonValue } from './json.ts';
import type { PathStep } from './path.ts';
import { isArrayPrototype, isObjectPrototype, setOwn } from './plain.ts';
import { preview } from './preview.ts';
import type { Snapshot } from './snapshot-limits.ts';

/** One container on the way from the root to the current value. */
interface Frame {
  readonly source: object;
  readonly copy: Record<string, unknown> | unknown[];
  /** Keys of an object; undefined for an array, whose keys are 0 to length - 1. */
  readonly keys: readonly PropertyKey[] | undefined;
  readonly length: number;
  next: number;
}

interface Rules {
  readonly maxDepth: number;
  readonly maxNodes: number;
  /** Keys of objects that are left out of the copy, whatever they hold. */
  readonly skips: ((key: PropertyKey) => boolean) | undefined;
}

class Refusal {
  readonly #issue: SchemaIssue;

  constructor(issue: SchemaIssue) {
    this.#issue = issue;
  }

  /** The issue of a refusal, undefined for anything else. Runs no code of a foreign error, which `instanceof` would. */
  static issueOf(error: unknown): SchemaIssue | undefined {
    return typeof error === 'object' && error !== null && #issue in error ? error.#issue : undefined;
  }
}

const JSON_VALUE = 'a JSON value';

function pathOf(frames: readonly Frame[]): PathStep[] {
  return frames.map((frame) => {
    const key = frame.keys === undefined ? frame.next - 1 : frame.keys[frame.next - 1];
    return typeof key === 'number' ? key : String(key);
  });
}

function refuse(frames: readonly Frame[], expected: string, received: string): never {
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- caught in this file; an Error would collect a stack
  throw new Refusal(mustBe(pathOf(frames), expected, received));
}

/** A cycle ends at one of the limits, perhaps in a side branch: so any ancestor that comes twice is the cause. */
function refuseCycle(frames: readonly Frame[], source: object): void {
  const seen = new Set<object>();
  for (const [index, ancestor] of [...frames.map((frame) => frame.source), source].entries()) {
    if (seen.has(ancestor)) refuse(frames.slice(0, index), 'free of cycles', 'a circular reference');
    seen.add(ancestor);
  }
}

function refuseSize(frames: readonly Frame[], source: object, maxNodes: number): never {
  refuseCycle(frames, source);
  const expected = `at most ${maxNodes} values`;
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- caught in this file; an Error would collect a stack
  throw new Refusal(issueAt([], `must have ${expected}, received more`, expected, 'a larger value'));
}

function refuseDepth(frames: readonly Frame[], source: object, maxDepth: number): never {
  refuseCycle(frames, source);
  refuse(frames, `nested at most ${maxDepth} levels deep`, 'a deeper value');
}

function enter(frames: readonly Frame[], source: object, budget: number, { maxNodes, skips }: Rules): Frame {
  const proto = Object.getPrototypeOf(source) as object | null;
  if (Array.isArray(source)) {
    if (!isArrayPrototype(proto)) refuse(frames, 'a plain array', preview(source));
    const length: unknown = source.length;
    if (typeof length !== 'number' || !(length >= 0 && length <= budget)) refuseSize(frames, source, maxNodes);
    const keys = Reflect.ownKeys(source);
    if (keys.length !== length + 1) {
      const received = keys.length > length ? 'an array with extra keys' : 'an array with holes';
      refuse(frames, 'a dense array without extra keys', received);
    }
    return { source, copy: [], keys: undefined, length, next: 0 };
  }
  if (!isObjectPrototype(proto)) refuse(frames, 'a plain object', preview(source));
  let keys = Reflect.ownKeys(source);
  if (keys.length > budget) refuseSize(frames, source, maxNodes);
  if (skips !== undefined) keys = keys.filter((key) => !skips(key));
  return { source, copy: {}, keys, length: keys.length, next: 0 };
}

/** Reads the frame's current property, exactly once. */
function readProperty(frames: readonly Frame[], frame: Frame, key: PropertyKey): unknown {
  if (typeof key === 'symbol') refuse(frames, 'a string key', 'a symbol key');
  const property = Object.getOwnPropertyDescriptor(frame.source, key);
  if (property === undefined) refuse(frames, JSON_VALUE, frame.keys === undefined ? 'a hole' : 'nothing');
  if (property.get !== undefined || property.set !== undefined) refuse(frames, 'plain data', 'an accessor');
  if (property.enumerable !== true) refuse(frames, 'enumerable', 'a hidden property');
  return property.value;
}

function walk(root: object, rules: Rules): JsonValue {
  const { maxDepth, maxNodes } = rules;
  const frames: Frame[] = [];
  if (maxDepth < 1) refuseDepth(frames, root, maxDepth);
  let budget = maxNodes - 1;
  if (budget < 0) refuseSize(frames, root, maxNodes);
  let frame = enter(frames, root, budget, rules);
  const result = frame.copy;
  budget -= frame.length;
  frames.push(frame);
  for (;;) {
    if (frame.next === frame.length) {
      Object.freeze(frame.copy);
      frames.pop();
      const parent = frames.at(-1);
      if (parent === undefined) return result as JsonValue;
      frame = parent;
      continue;
    }
    const key = frame.keys === undefined ? frame.next : (frame.keys[frame.next] as PropertyKey);
    frame.next++;
    const value = readProperty(frames, frame, key);
    let child: Frame | undefined;
    if (typeof value === 'object' && value !== null) {
      if (frames.length >= maxDepth) refuseDepth(frames, value, maxDepth);
      child = enter(frames, value, budget, rules);
      budget -= child.length;
    } else if (!isJsonPrimitive(value)) {
      refuse(frames, JSON_VALUE, preview(value));
    }
    const stored = child === undefined ? value : child.copy;
    if (Array.isArray(frame.copy)) frame.copy.push(stored);
    else setOwn(frame.copy, key as string, stored);
    if (child !== undefined) {
      frames.push(child);
      frame = child;
    }
  }
}

/**
 * The slow twin of the fast copy in snapshot.ts: same rules, but it keeps the way from the root, so that it can name the
 * offender, and it expects that any read may run foreign code. Used for proxies and for values that the fast copy refused.
 * The value may have changed meanwhile; then the answer is about what it is now.
 * @param skips keys of objects to leave out of the copy.
 */
export function walkCarefully(
  root: object,
  maxDepth: number,
  maxNodes: number,
  skips?: (key: PropertyKey) => boolean,
): Snapshot {
  try {
    return { ok: true, value: walk(root, { maxDepth, maxNodes, skips }) };
  } catch (error) {
    const issue = Refusal.issueOf(error);
    if (issue !== undefined) return { ok: false, issue };
    return { ok: false, issue: issueAt([], 'cannot be read: a proxy or accessor threw', JSON_VALUE, 'an unreadable value') };
  }
}
