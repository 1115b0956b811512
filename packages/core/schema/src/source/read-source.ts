import { walkCarefully } from '../careful-walk.ts';
import { SluiceError } from '../errors.ts';
import { describeIssues, type SchemaIssue } from '../issue.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { preview } from '../preview.ts';
import { snapshotJson } from '../snapshot.ts';
import { expandShorthand, isPropertyMap, isShorthandNode } from './shorthand.ts';
import { convertStandard, standardOf } from './standard.ts';

/** A schema source as plain JSON Schema. */
export interface SourceDocument {
  /** Deep-frozen and detached. */
  readonly json: JsonObject;
  /** Written by a library from a schema of its own: it may say more than JSON Schema knows, but makes no slips. */
  readonly isGenerated: boolean;
}

/** Levels of JSON. Ajv compiles recursively and is safe to about twice as many, on an empty stack. */
const MAX_SCHEMA_DEPTH = 256;
const MAX_SCHEMA_NODES = 100_000;

/** What TypeBox and zod note on their objects beside JSON Schema. A refinement is not among them: it would go unchecked. */
const NOTES = new Set<PropertyKey>(['~kind', '~optional', '~readonly', '~immutable', '~unsafe', '~codec', '~hint', '~standard']);

function isNote(key: PropertyKey): boolean {
  return typeof key === 'symbol' ? key.description?.startsWith('TypeBox.') === true : NOTES.has(key);
}

function adviceFor(issue: SchemaIssue): string {
  if (issue.path.includes('~refine')) return '; a refinement of TypeBox is code, check it in the tool itself';
  if (issue.received.includes('RegExp')) return '; write the source of the regular expression as text';
  if (issue.received.includes('circular')) return '; refer with "$ref" to a schema under "$defs"';
  return '';
}

function detach(source: unknown, label: string): JsonObject {
  let taken = snapshotJson(source, { maxDepth: MAX_SCHEMA_DEPTH, maxNodes: MAX_SCHEMA_NODES });
  if (!taken.ok && typeof source === 'object' && source !== null) {
    taken = walkCarefully(source, MAX_SCHEMA_DEPTH, MAX_SCHEMA_NODES, isNote);
  }
  if (!taken.ok) {
    const { issue } = taken;
    throw new SluiceError('INVALID_SCHEMA', `${label}: ${describeIssues([issue], 'the schema')}${adviceFor(issue)}`);
  }
  const { value } = taken;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SluiceError('INVALID_SCHEMA', `${label}: a schema must be JSON Schema, a TypeBox schema, a Standard JSON Schema object or a property map, received ${preview(source)}`);
  }
  return value as JsonObject;
}

/** `$schema` of a generated schema says what is the default here anyway; a model need not read it. */
function withoutDialect(json: JsonObject): JsonObject {
  const rest: Record<string, JsonValue> = { ...json };
  delete rest['$schema'];
  return Object.freeze(rest);
}

/** Schema objects of libraries never change, and converting them is slow. */
const converted = new WeakMap<object, SourceDocument>();

/**
 * Tells the forms of a schema source apart and gives plain JSON Schema.
 * @throws SluiceError `INVALID_SCHEMA` for anything that is none of them.
 */
export function readSource(source: unknown, label: string): SourceDocument {
  const isCallable = typeof source === 'function';
  const standard = isCallable || (typeof source === 'object' && source !== null) ? standardOf(source) : undefined;
  if (standard !== undefined) {
    let document = converted.get(source as object);
    if (document === undefined) {
      document = { json: withoutDialect(detach(convertStandard(standard, label), label)), isGenerated: true };
      converted.set(source as object, document);
    }
    return document;
  }
  const json = detach(source, label);
  if (!isPropertyMap(json) && !isShorthandNode(json)) return { json, isGenerated: false };
  const expanded = expandShorthand(json);
  if ('problem' in expanded) throw new SluiceError('INVALID_SCHEMA', `${label}: ${expanded.problem}`);
  return { json: detach(expanded.json, label), isGenerated: false };
}
