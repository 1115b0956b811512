import { readdirSync, readFileSync } from 'node:fs';
import type { JsonValue } from '@sluice/core-tools';

export type Json = JsonValue;
export type JsonRecord = Readonly<Record<string, JsonValue>>;

/** One input file, as it is. What its parts mean is in the README. */
export interface Case {
  readonly id: string;
  /** `pipeline`, `lifecycle`, `fs`, … decides who runs it. */
  readonly kind: string;
  /** What went wrong for somebody. */
  readonly symptom: string;
  readonly [part: string]: JsonValue;
}

const inputs = new URL('../inputs/', import.meta.url);

/** Ids of all inputs, sorted. */
export function caseIds(): string[] {
  return readdirSync(inputs)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

/** A fresh copy each time. */
export function readCase(id: string): Case {
  return JSON.parse(readFileSync(new URL(`${id}.json`, inputs), 'utf8')) as Case;
}

/** The list at `value`, or none. @throws TypeError when there is something else */
export function listOf(value: JsonValue | undefined): readonly JsonRecord[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new TypeError(`expected a list, found ${JSON.stringify(value)}`);
  return value.map((item: JsonValue) => recordOf(item));
}

/** The object at `value`, or an empty one. @throws TypeError when there is something else */
export function recordOf(value: JsonValue | undefined): JsonRecord {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`expected an object, found ${JSON.stringify(value)}`);
  }
  return value as JsonRecord;
}

/** A string, number or boolean as text. @throws TypeError when there is anything else, or nothing */
export function wordOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return `${value}`;
  throw new TypeError(`expected a word, found ${JSON.stringify(value)}`);
}
