import { walkCarefully } from './careful-walk.ts';
import { issueAt, type SchemaIssue } from './issue.ts';
import type { JsonValue } from './json.ts';
import { scanJson, type JsonFault } from './json-scan.ts';
import { formatPath } from './path.ts';
import { preview } from './preview.ts';
import { DEFAULT_LIMITS, type Snapshot, type SnapshotLimits } from './snapshot-limits.ts';

const EMPTY: Snapshot = Object.freeze({ ok: true, value: Object.freeze({}) });
const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;
const MAX_LITERAL = 40;

/** What the sealing pass saw in a parsed value. */
interface Sealed {
  /** Keys of all objects together. */
  keys: number;
  /** Whether some number is infinite or above 2^53 - 1, so that its text must be looked at. */
  hasDoubtfulNumber: boolean;
  exceedsLimits: boolean;
}

/** Freezes what `JSON.parse` gave and turns -0 into 0, all of it: beyond a limit as well, for the sake of the issue. */
function seal(root: object, { maxDepth, maxNodes }: SnapshotLimits): Sealed {
  const sealed: Sealed = { keys: 0, hasDoubtfulNumber: false, exceedsLimits: false };
  const pending: (object | number)[] = [root, 1];
  let budget = maxNodes - 1;
  while (pending.length > 0) {
    const depth = pending.pop() as number;
    const container = pending.pop() as Record<PropertyKey, unknown>;
    const keys = Array.isArray(container) ? undefined : Object.keys(container);
    const length = keys === undefined ? (container as unknown as unknown[]).length : keys.length;
    if (keys !== undefined) sealed.keys += length;
    budget -= length;
    if (depth > maxDepth || budget < 0) sealed.exceedsLimits = true;
    for (let index = 0; index < length; index++) {
      const key = keys === undefined ? index : (keys[index] as string);
      const value = container[key];
      if (typeof value === 'number') {
        if (value === 0) container[key] = 0;
        else if (!(value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER)) sealed.hasDoubtfulNumber = true;
      } else if (typeof value === 'object' && value !== null) {
        pending.push(value, depth + 1);
      }
    }
    Object.freeze(container);
  }
  return sealed;
}

/** Where the string that opens at `start` ends, in text that is known to be valid. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
  }
}

/** Counts the `key: value` pairs of valid JSON text. More pairs than keys in the parsed value means a repeated key. */
function countPairs(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COLON) pairs++;
    else if (code === QUOTE) at = endOfString(text, at);
  }
  return pairs;
}

function issueOfNumber(fault: Extract<JsonFault, { kind: 'number' }>): SchemaIssue {
  const { literal, path } = fault;
  const shown = literal.length > MAX_LITERAL ? `${literal.slice(0, MAX_LITERAL)}…` : literal;
  const value = Number(literal);
  if (!Number.isFinite(value)) {
    const expected = 'a number within the range of a double';
    return issueAt(path, `must be ${expected}, received ${shown}`, expected, `number ${shown}`);
  }
  const expected = 'a number that a double holds exactly';
  const text = `must be ${expected}: ${shown} would become ${value}; send it as a string if that is allowed`;
  return issueAt(path, text, expected, `number ${shown}`);
}

function issueOf(text: string, fault: JsonFault): SchemaIssue {
  switch (fault.kind) {
    case 'incomplete': {
      const where = fault.inside.length === 0 ? '' : ` inside ${JSON.stringify(formatPath(fault.inside))}`;
      return issueAt([], `is incomplete JSON: the text is cut off at position ${text.length}${where}`, 'complete JSON text', 'text that is cut off');
    }
    case 'malformed': {
      const character = preview(String.fromCodePoint(text.codePointAt(fault.position) ?? 0)).replace('string', 'character');
      return issueAt([], `is not valid JSON: unexpected ${character} at position ${fault.position}`, 'valid JSON text', character);
    }
    case 'duplicate':
      return issueAt(fault.path, 'is given more than once; give each key once', 'each key once', 'a repeated key');
    case 'number':
      return issueOfNumber(fault);
  }
}

function refusal(text: string, fault: JsonFault): Snapshot {
  return { ok: false, issue: issueOf(text, fault) };
}

/**
 * Reads JSON text as a model sent it, into a frozen value.
 *
 * Empty text and white space mean `{}`, which is how models call a tool without parameters. Refused: malformed text
 * (with the position), text that is cut off (said so, never completed), a repeated key, a number beyond double range,
 * a number above 2^53 - 1 that would change, and what exceeds the limits. `-0` becomes 0; `__proto__` is a key like any
 * other. Never throws.
 */
export function parseJsonText(text: string, limits: SnapshotLimits = DEFAULT_LIMITS): Snapshot {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (text.trim() === '') return EMPTY;
    const fault = scanJson(text);
    return refusal(text, fault ?? { kind: 'malformed', position: 0, inside: [] });
  }
  if (typeof value !== 'object' || value === null) {
    const fault = typeof value === 'number' ? scanJson(text) : undefined;
    if (fault !== undefined) return refusal(text, fault);
    return { ok: true, value: value === 0 ? 0 : (value as JsonValue) };
  }
  const sealed = seal(value, limits);
  if (sealed.hasDoubtfulNumber || countPairs(text) !== sealed.keys) {
    const fault = scanJson(text);
    if (fault !== undefined) return refusal(text, fault);
  }
  // Only the limits are left to complain about: the walk says which one, and where.
  if (sealed.exceedsLimits) return walkCarefully(value, limits.maxDepth, limits.maxNodes);
  return { ok: true, value: value as JsonValue };
}
