import type { JsonObject, JsonValue } from './json.ts';
import { nativePattern } from './pattern/bounded.ts';
import type { CheckedSchema } from './schema/check.ts';
import { isAnnotation } from './schema/keywords.ts';

/** The schemas that speak about one value of a config: one, and those that it combines or refers to. */
export interface Place {
  /** Whether anything may stand here; then the value is kept as it is, whatever it is. */
  readonly isAnything: boolean;
  /** Those that certainly apply: their defaults count. */
  readonly certain: readonly JsonObject[];
  /** All, with those of `anyOf`, `oneOf`, `then` and `else`: their properties are known. */
  readonly possible: readonly JsonObject[];
}

const ALTERNATIVES = ['anyOf', 'oneOf'];
const CONDITIONS = ['then', 'else'];
const REFERENCES = ['$ref', '$dynamicRef', '$defs', 'definitions', '$id', '$anchor', '$dynamicAnchor'];

function isSchema(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

/** Whether a schema says nothing about values: `{}`, `true`, or annotations only. */
function isOpen(schema: JsonValue): boolean {
  return schema === true || (isSchema(schema) && Object.keys(schema).every((key) => isAnnotation(key) || REFERENCES.includes(key)));
}

/** Collects what applies in place. References that would not end were refused when the schema was checked. */
export function placeOf(schemas: readonly JsonValue[], { targets }: CheckedSchema): Place {
  const certain: JsonObject[] = [];
  const possible: JsonObject[] = [];
  let isAnything = schemas.length === 0;
  const add = (schema: JsonValue, isCertain: boolean): void => {
    const target = isSchema(schema) ? targets.get(schema) : undefined;
    if (target === undefined && isOpen(schema)) isAnything = true;
    if (!isSchema(schema)) return;
    if (isCertain) certain.push(schema);
    possible.push(schema);
    if (target !== undefined) add(target, isCertain);
    for (const part of listOf(schema['allOf'])) add(part, isCertain);
    for (const keyword of ALTERNATIVES) for (const part of listOf(schema[keyword])) add(part, false);
    for (const keyword of CONDITIONS) if (isSchema(schema[keyword])) add(schema[keyword], false);
  };
  for (const schema of schemas) add(schema, true);
  return { isAnything, certain, possible };
}

/** The schemas of one property. */
export function propertySchemas(place: Place, key: string): JsonValue[] {
  const found: JsonValue[] = [];
  for (const schema of place.possible) {
    const properties = (schema['properties'] ?? {}) as JsonObject;
    const patterns = Object.entries((schema['patternProperties'] ?? {}) as JsonObject).filter(([source]) => nativePattern(source).test(key));
    const named = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (named !== undefined) found.push(named);
    found.push(...patterns.map(([, member]) => member));
    if (named !== undefined || patterns.length > 0) continue;
    for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
      const rest = schema[keyword];
      if (rest !== undefined && rest !== false) found.push(rest);
    }
  }
  return found;
}

/** The schemas of one item. */
export function itemSchemas(place: Place, index: number): JsonValue[] {
  return place.possible.flatMap((schema) => {
    const first = Array.isArray(schema['items']) ? schema['items'] : schema['prefixItems'];
    const rest = Array.isArray(schema['items']) ? schema['additionalItems'] : schema['items'];
    const item = listOf(first)[index] ?? rest;
    return item === undefined ? [] : [item];
  });
}

/** Names that a closed object takes; undefined when the object is open, because nothing lists its properties. */
export function knownProperties(place: Place): readonly string[] | undefined {
  const listing = place.possible.filter((schema) => schema['properties'] !== undefined);
  if (listing.length === 0) return undefined;
  return [...new Set(listing.flatMap((schema) => Object.keys(schema['properties'] as JsonObject)))];
}

/** Defaults of an object's properties. */
export function defaultsOf(place: Place, { targets }: CheckedSchema): Map<string, JsonValue> {
  const defaults = new Map<string, JsonValue>();
  for (const schema of place.certain) {
    for (const [key, property] of Object.entries((schema['properties'] ?? {}) as JsonObject)) {
      const target = isSchema(property) ? targets.get(property) : undefined;
      // Not `??`: null is a default like any other.
      const holder = [property, target].find((node) => isSchema(node) && node['default'] !== undefined);
      if (isSchema(holder) && !defaults.has(key)) defaults.set(key, holder['default'] as JsonValue);
    }
  }
  return defaults;
}
