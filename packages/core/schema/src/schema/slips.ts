import { closestName } from '../closest.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { quoteKey } from '../path.ts';
import { preview } from '../preview.ts';

const APPLIES_TO: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: ['items', 'prefixItems', 'contains', 'minItems', 'maxItems', 'uniqueItems', 'additionalItems', 'unevaluatedItems'],
  object: [
    'properties',
    'patternProperties',
    'additionalProperties',
    'unevaluatedProperties',
    'propertyNames',
    'required',
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
  ],
};

const COMBINING = ['allOf', 'anyOf', 'oneOf', '$ref', '$dynamicRef', 'if', 'patternProperties', 'dependentSchemas'];

interface Slip {
  keyword: string;
  reason: string;
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function withoutEffect(node: JsonObject, types: readonly string[]): Slip | undefined {
  for (const [applies, keywords] of Object.entries(APPLIES_TO)) {
    if (types.includes(applies)) continue;
    const keyword = keywords.find((name) => Object.hasOwn(node, name));
    if (keyword !== undefined) return { keyword, reason: `has no effect on type ${types.join(', ')}; remove it or change the type` };
  }
  return undefined;
}

function impossibleLiteral(node: JsonObject, types: readonly string[]): Slip | undefined {
  const listed = node['enum'] as readonly JsonValue[] | undefined;
  const fits = (value: JsonValue): boolean => types.includes(typeOf(value));
  const wrong = listed?.find((value) => !fits(value));
  if (wrong !== undefined) return { keyword: 'enum', reason: `has ${preview(wrong)}, which is not of type ${types.join(', ')}` };
  const fixed = node['const'];
  if (fixed !== undefined && !fits(fixed)) return { keyword: 'const', reason: `is not of type ${types.join(', ')}` };
  return undefined;
}

/** A required name that is no property is a slip, unless another part of the schema may describe it. */
function undeclaredName(node: JsonObject): Slip | undefined {
  const properties = node['properties'] as JsonObject | undefined;
  const required = node['required'] as readonly string[] | undefined;
  if (properties === undefined || required === undefined || COMBINING.some((keyword) => Object.hasOwn(node, keyword))) return undefined;
  const name = required.find((wanted) => !Object.hasOwn(properties, wanted));
  if (name === undefined) return undefined;
  const near = closestName(name, Object.keys(properties));
  const advice = near === undefined ? 'declare it or leave it out' : `did you mean ${quoteKey(near)}?`;
  return { keyword: 'required', reason: `names ${quoteKey(name)}, which is not among "properties"; ${advice}` };
}

/** What can never matter or never match in a node that is otherwise valid: legal, but hardly what its author meant. */
export function findSlip(node: JsonObject): Slip | undefined {
  const type = node['type'];
  if (type === undefined) return undefined;
  const types = ([type].flat() as readonly string[]).map((name) => (name === 'integer' ? 'number' : name));
  return withoutEffect(node, types) ?? impossibleLiteral(node, types) ?? undeclaredName(node);
}
