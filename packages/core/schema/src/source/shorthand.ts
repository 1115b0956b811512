import { closestName } from '../closest.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { formatPath, type PathStep } from '../path.ts';
import { preview } from '../preview.ts';
import { shapeOf } from '../schema/keywords.ts';

const LITERALS = ['enum', 'const'];
const RANGES = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
/** Keywords of each kind of node, besides those that every node may have. */
const VOCABULARY: Readonly<Record<string, readonly string[]>> = {
  string: [...LITERALS, 'minLength', 'maxLength', 'pattern', 'format'],
  number: [...LITERALS, ...RANGES],
  integer: [...LITERALS, ...RANGES],
  boolean: LITERALS,
  null: LITERALS,
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'additionalProperties'],
  json: [],
};
const EVERYWHERE = ['type', 'description', 'title', 'default', 'examples'];
/** Shapes of keywords whose value may be an object, so that a property of the same name can be mistaken for them. */
const OBJECT_SHAPES = new Set<unknown>(['any', 'schema', 'schema-or-schemas', 'schema-map', 'pattern-map', 'strings-map', 'dependencies']);

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value has the form of a node of a property map: a text for a type, or a list of alternatives. */
function isNodeLike(value: JsonObject): boolean {
  return typeof value['type'] === 'string' || Array.isArray(value['oneOf']);
}

/**
 * Whether a detached object is a property map, such as `{ path: { type: 'string', required: true } }`, and no schema:
 * every value is an object, and no key is a keyword of JSON Schema. The empty object is the empty map.
 *
 * A property may be called like a keyword. Where an object is no possible value of the keyword (`pattern`, `title`,
 * `type`), it is a property. Where it is one (`items`, `not`), it is a property if it says `required: true`, which no
 * schema can, or if it has the form of a node and stands beside another node with a name of its own.
 */
export function isPropertyMap(source: JsonObject): boolean {
  const doubtful: JsonObject[] = [];
  let isNamed = false;
  for (const [key, value] of Object.entries(source)) {
    if (!isObject(value)) return false;
    const shape = shapeOf(key);
    if (OBJECT_SHAPES.has(shape)) doubtful.push(value);
    else if (isNodeLike(value)) isNamed = true;
  }
  return doubtful.every((value) => isNodeLike(value) && (isNamed || typeof value['required'] === 'boolean'));
}

/**
 * Whether a detached schema is a node of the same vocabulary at its root, such as an object whose properties say
 * `required: true`. Its signs are a `required` that is no list, and the type `json`, which JSON Schema does not have.
 */
export function isShorthandNode(source: JsonObject): boolean {
  const pending: JsonValue[] = [source];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (!isObject(node)) continue;
    if (typeof node['required'] === 'boolean' || node['type'] === 'json') return isNodeLike(source);
    if (isObject(node['properties'])) pending.push(...Object.values(node['properties']));
    if (node['items'] !== undefined) pending.push(node['items']);
    if (Array.isArray(node['oneOf'])) pending.push(...(node['oneOf'] as readonly JsonValue[]));
  }
  return false;
}

/** Rewrites one property map; stops at the first node that is not in the vocabulary. */
class Shorthand {
  problem: string | undefined;

  map(members: JsonObject, steps: readonly PathStep[]): JsonObject {
    const required: string[] = [];
    const properties = Object.fromEntries(
      Object.entries(members).map(([name, member]) => {
        if (isObject(member) && member['required'] === true) required.push(name);
        return [name, this.node(member, [...steps, name], true)];
      }),
    );
    return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
  }

  private refuse(steps: readonly PathStep[], text: string): JsonObject {
    const path = formatPath(steps);
    this.problem ??= `${path === '' ? 'the schema' : `"${path}"`} ${text}`;
    return {};
  }

  node(node: JsonValue, steps: readonly PathStep[], isProperty: boolean): JsonObject {
    if (this.problem !== undefined) return {};
    if (!isObject(node)) return this.refuse(steps, `must be a property such as { type: 'string' }, received ${preview(node)}`);
    const { required, ...rest } = node;
    if (required !== undefined && !isProperty) return this.refuse([...steps, 'required'], 'can only stand on a property');
    if (required !== undefined && required !== true) {
      return this.refuse([...steps, 'required'], `must be true, or left out, received ${preview(required)}`);
    }
    if (node['oneOf'] !== undefined) return this.alternatives(rest, steps);
    const type = node['type'];
    const vocabulary = typeof type === 'string' && Object.hasOwn(VOCABULARY, type) ? VOCABULARY[type] : undefined;
    if (vocabulary === undefined) {
      const kinds = Object.keys(VOCABULARY);
      return this.refuse([...steps, 'type'], `must be one of ${kinds.join(', ')}, received ${preview(type)}`);
    }
    const unknown = Object.keys(rest).find((key) => !EVERYWHERE.includes(key) && !vocabulary.includes(key));
    if (unknown !== undefined) return this.unknown(unknown, [...EVERYWHERE, ...vocabulary], type as string, steps);
    if (type === 'object') return this.object(rest, steps);
    if (type === 'array' && rest['items'] !== undefined) {
      return { ...rest, items: this.node(rest['items'], [...steps, 'items'], false) };
    }
    if (type !== 'json') return rest;
    return Object.fromEntries(Object.entries(rest).filter(([key]) => key !== 'type'));
  }

  private unknown(key: string, known: readonly string[], type: string, steps: readonly PathStep[]): JsonObject {
    const near = closestName(key, known);
    const advice = near === undefined ? `it takes ${known.join(', ')}` : `did you mean "${near}"?`;
    return this.refuse([...steps, key], `is not known for type ${type} in a property map; ${advice}`);
  }

  private object(node: JsonObject, steps: readonly PathStep[]): JsonObject {
    if (typeof node['additionalProperties'] !== 'boolean') {
      return this.refuse([...steps, 'additionalProperties'], 'must be true or false: an object says whether it is open');
    }
    const properties = node['properties'] ?? {};
    if (!isObject(properties)) return this.refuse([...steps, 'properties'], `must be a property map, received ${preview(properties)}`);
    return { ...node, ...this.map(properties, [...steps, 'properties']) };
  }

  private alternatives(node: JsonObject, steps: readonly PathStep[]): JsonObject {
    const branches = node['oneOf'];
    const unknown = Object.keys(node).find((key) => key !== 'oneOf' && (key === 'type' || !EVERYWHERE.includes(key)));
    if (unknown !== undefined) return this.refuse([...steps, unknown], 'cannot stand beside "oneOf" in a property map');
    if (!Array.isArray(branches) || branches.length < 2) {
      return this.refuse([...steps, 'oneOf'], `must be an array of at least two alternatives, received ${preview(branches)}`);
    }
    return { ...node, oneOf: branches.map((branch: JsonValue, index) => this.node(branch, [...steps, 'oneOf', index], false)) };
  }
}

/** Turns a property map, or a node, into JSON Schema, or says what is wrong with it. The root of a map is an open object. */
export function expandShorthand(source: JsonObject): { json: JsonObject } | { problem: string } {
  const shorthand = new Shorthand();
  const json = isPropertyMap(source) ? shorthand.map(source, []) : shorthand.node(source, [], false);
  return shorthand.problem === undefined ? { json } : { problem: shorthand.problem };
}
