import { types } from 'node:util';
import { walkCarefully } from './careful-walk.ts';
import { mustBe } from './issue.ts';
import { isJsonPrimitive, type JsonValue } from './json.ts';
import { isArrayPrototype, isObjectPrototype, setOwn } from './plain.ts';
import { preview } from './preview.ts';
import { DEFAULT_LIMITS, type Snapshot, type SnapshotLimits } from './snapshot-limits.ts';

/** Listing the hidden keys of a long array costs four times the copy; see README, Limits. */
const EXACT_ARRAY_KEYS = 64;

const { isProxy } = types;
/** Four times faster on array elements than reading their descriptors. A setter alone reads as undefined, which is refused. */
const lookupGetter = (Object.prototype as { __lookupGetter__?: unknown }).__lookupGetter__ as (this: object, key: number) => unknown;
const { getOwnPropertyDescriptor, getOwnPropertyNames, getOwnPropertySymbols, getPrototypeOf, freeze, keys } = Object;

/**
 * Whether an array has its indices and no other keys. Own keys come indices first, in ascending order: as many keys as
 * elements, with the last index last, are exactly the indices.
 */
function hasExactlyIndices(source: readonly unknown[], length: number): boolean {
  if (length === 0) return getOwnPropertyNames(source).length === 1;
  if (length <= EXACT_ARRAY_KEYS && getOwnPropertyNames(source).length !== length + 1) return false;
  const enumerable = keys(source);
  return enumerable.length === length && enumerable[length - 1] === String(length - 1);
}

/** State of one fast copy. */
interface Pass {
  readonly maxDepth: number;
  /** How many values may still come. */
  budget: number;
  /** Containers to be filled later, as triples: source, its copy (already stored in its parent), its depth. */
  readonly pending: unknown[];
}

/** Gives the copy of a value that was just read; undefined when it cannot be copied here. */
function copyOf(pass: Pass, value: unknown, depth: number, inline: boolean): unknown {
  if (typeof value !== 'object' || value === null) return isJsonPrimitive(value) ? value : undefined;
  if (depth >= pass.maxDepth) return undefined;
  const child: object = Array.isArray(value) ? [] : {};
  // One level is filled at once, deeper ones wait: rows of a table never touch the list, and the stack stays flat.
  if (!inline) pass.pending.push(value, child, depth + 1);
  else if (!fill(pass, value, child, depth + 1, false)) return undefined;
  return child;
}

/** Copies the properties of one container and freezes the copy. Says false when anything is not as it should be. */
function fill(pass: Pass, source: object, copy: object, depth: number, inline: boolean): boolean {
  if (isProxy(source) || getOwnPropertySymbols(source).length > 0) return false;
  const proto = getPrototypeOf(source) as object | null;
  if (Array.isArray(source)) {
    const { length } = source;
    if ((pass.budget -= length) < 0 || !isArrayPrototype(proto) || !hasExactlyIndices(source, length)) return false;
    for (let index = 0; index < length; index++) {
      if (lookupGetter.call(source, index) !== undefined) return false;
      const value = copyOf(pass, source[index], depth, inline);
      if (value === undefined) return false;
      (copy as unknown[]).push(value);
    }
  } else {
    if (!isObjectPrototype(proto)) return false;
    const names = getOwnPropertyNames(source);
    if ((pass.budget -= names.length) < 0) return false;
    for (const key of names) {
      const property = getOwnPropertyDescriptor(source, key);
      if (property?.enumerable !== true || property.get !== undefined || property.set !== undefined) return false;
      const value = copyOf(pass, property.value, depth, inline);
      if (value === undefined) return false;
      if (key === '__proto__') setOwn(copy as Record<string, unknown>, key, value);
      else (copy as Record<string, unknown>)[key] = value;
    }
  }
  freeze(copy);
  return true;
}

/**
 * The pass for values without surprises. It keeps no paths and no ancestors; a cycle simply runs into `maxDepth`.
 * Runs no code of the value: proxies are left to the careful walk.
 * @returns the frozen copy, or undefined when anything is not as it should be.
 */
function copyFast(root: object, maxDepth: number, maxNodes: number): JsonValue | undefined {
  const pending: unknown[] = [];
  const pass: Pass = { maxDepth, budget: maxNodes - 1, pending };
  if (maxDepth < 1 || pass.budget < 0) return undefined;
  const result: object = Array.isArray(root) ? [] : {};
  if (!fill(pass, root, result, 1, true)) return undefined;
  while (pending.length > 0) {
    const depth = pending.pop() as number;
    const copy = pending.pop() as object;
    const source = pending.pop() as object;
    if (!fill(pass, source, copy, depth, true)) return undefined;
  }
  return result as JsonValue;
}

/**
 * Copies a value that is lossless JSON and deep-freezes the copy, in one pass.
 *
 * Refused, with the path of the offender: undefined, BigInt, NaN, infinities, -0, symbols, functions, cycles, arrays
 * with holes or extra keys, class instances, accessors, symbol keys, hidden properties, and what exceeds the limits.
 * Plain objects of any realm and those without a prototype are accepted, a shared reference becomes two copies,
 * `__proto__` stays a key like any other, and lone surrogates stay as they are. Nothing is coerced; `toJSON` is not called.
 * Never throws, whatever the value does: a proxy or accessor that throws is an issue.
 */
export function snapshotJson(value: unknown, limits: SnapshotLimits = DEFAULT_LIMITS): Snapshot {
  if (typeof value !== 'object' || value === null) {
    if (isJsonPrimitive(value)) return { ok: true, value };
    return { ok: false, issue: mustBe([], 'a JSON value', preview(value)) };
  }
  const { maxDepth, maxNodes } = limits;
  let copy: JsonValue | undefined;
  try {
    copy = copyFast(value, maxDepth, maxNodes);
  } catch {
    copy = undefined;
  }
  return copy === undefined ? walkCarefully(value, maxDepth, maxNodes) : { ok: true, value: copy };
}
