import { closestName } from '../closest.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { formatPath, type PathStep } from '../path.ts';
import { boundedPattern, nativePattern, UnboundedPattern } from '../pattern/bounded.ts';
import { preview } from '../preview.ts';
import { CHECKED_FORMATS, KEYWORDS, shapeOf, TYPES, UNCHECKED_FORMATS, type KeywordShape } from './keywords.ts';
import { endlessReference } from './progress.ts';
import { ReferenceMap } from './references.ts';
import { findSlip } from './slips.ts';

/** How a schema is read. */
export interface Reading {
  /** Unknown keywords, unknown formats and keywords without effect are slips, not extensions. */
  strict: boolean;
  /** Patterns come from outside and must be bounded. */
  foreign: boolean;
}

/** A schema without faults. Each node that has a reference, with the schema it refers to. */
export interface CheckedSchema {
  readonly json: JsonObject;
  readonly targets: ReadonlyMap<JsonObject, JsonValue>;
}

interface Reference {
  node: JsonObject;
  keyword: string;
  text: string;
  base: string;
  steps: readonly PathStep[];
}

const MAX_VIOLATIONS = 5;

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStringList(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/**
 * One walk over the places of a document where JSON Schema puts schemas: what the meta-schema checks, and what Ajv would
 * find out only when it compiles. The document is a tree of bounded depth, so the recursion is bounded too.
 */
class Walk {
  readonly violations: string[] = [];
  readonly references: Reference[] = [];
  readonly visited = new Set<JsonObject>();
  private readonly map: ReferenceMap;
  private readonly reading: Reading;

  constructor(map: ReferenceMap, reading: Reading) {
    this.map = map;
    this.reading = reading;
  }

  refuse(steps: readonly PathStep[], text: string): void {
    const path = formatPath(steps);
    this.violations.push(`${path === '' ? 'the schema' : `"${path}"`} ${text}`);
  }

  schema(value: JsonValue, steps: readonly PathStep[], base: string): void {
    if (typeof value === 'boolean') return;
    if (!isObject(value)) {
      this.refuse(steps, `must be a schema (an object, true or false), received ${preview(value)}`);
      return;
    }
    if (this.visited.has(value)) return;
    this.visited.add(value);
    const faults = this.violations.length;
    const inner = this.map.enter(value, base);
    if (inner === undefined) this.refuse([...steps, '$id'], 'is the $id of another part of this schema; make them different');
    for (const [keyword, content] of Object.entries(value)) {
      const shape = shapeOf(keyword);
      if (shape === undefined) this.unknown(keyword, steps);
      else this.keyword(value, keyword, shape, content, [...steps, keyword], inner ?? base);
    }
    if (!this.reading.strict || this.violations.length > faults) return;
    const slip = findSlip(value);
    if (slip !== undefined) this.refuse([...steps, slip.keyword], slip.reason);
  }

  private unknown(keyword: string, steps: readonly PathStep[]): void {
    if (!this.reading.strict || keyword.startsWith('x-')) return;
    const near = keyword === 'nullable' ? 'type: [..., "null"]' : closestName(keyword, KEYWORDS);
    const advice = near === undefined ? 'remove it, or start its name with "x-"' : `did you mean ${near}?`;
    this.refuse([...steps, keyword], `is no keyword of JSON Schema; ${advice}`);
  }

  private keyword(
    node: JsonObject,
    keyword: string,
    shape: KeywordShape,
    content: JsonValue,
    steps: readonly PathStep[],
    base: string,
  ): void {
    const expect = (isRight: boolean, expected: string): void => {
      if (!isRight) this.refuse(steps, `must be ${expected}, received ${preview(content)}`);
    };
    switch (shape) {
      case 'any':
        return;
      case 'string':
        // What a foreign schema says about itself is nothing to refuse its tool for.
        if (keyword.startsWith('$') || !this.reading.foreign) expect(typeof content === 'string', 'a string');
        return;
      case 'boolean':
        if (keyword === 'uniqueItems' || !this.reading.foreign) expect(typeof content === 'boolean', 'true or false');
        return;
      case 'number':
        { expect(typeof content === 'number', 'a number'); return; }
      case 'positive':
        { expect(typeof content === 'number' && content > 0, 'a number above 0'); return; }
      case 'count':
        { expect(Number.isInteger(content) && (content as number) >= 0, 'a whole number from 0'); return; }
      case 'array':
        { expect(Array.isArray(content) && !(this.reading.strict && content.length === 0), 'an array of values'); return; }
      case 'strings':
        { expect(isStringList(content), 'an array of strings'); return; }
      case 'type':
        { this.types(content, steps); return; }
      case 'pattern':
        expect(typeof content === 'string', 'a regular expression');
        if (typeof content === 'string') this.pattern(content, steps);
        return;
      case 'format':
        expect(typeof content === 'string', 'the name of a format');
        if (typeof content === 'string') this.format(content, steps);
        return;
      case 'reference':
        expect(typeof content === 'string', 'a reference');
        if (typeof content === 'string') this.references.push({ node, keyword, text: content, base, steps });
        return;
      default:
        this.nested(shape, content, steps, base);
    }
  }

  private nested(shape: KeywordShape, content: JsonValue, steps: readonly PathStep[], base: string): void {
    if (shape === 'schema') { this.schema(content, steps, base); return; }
    if (shape === 'schemas' || (shape === 'schema-or-schemas' && Array.isArray(content))) {
      if (!Array.isArray(content) || content.length === 0) {
        this.refuse(steps, `must be an array with at least one schema, received ${preview(content)}`); return;
      }
      content.forEach((item: JsonValue, index) => { this.schema(item, [...steps, index], base); });
      return;
    }
    if (shape === 'schema-or-schemas') { this.schema(content, steps, base); return; }
    if (!isObject(content)) { this.refuse(steps, `must be an object, received ${preview(content)}`); return; }
    for (const [key, member] of Object.entries(content)) {
      const at = [...steps, key];
      if (shape === 'pattern-map') this.pattern(key, at);
      if (shape === 'strings-map' || (shape === 'dependencies' && Array.isArray(member))) {
        if (!isStringList(member)) this.refuse(at, `must be an array of strings, received ${preview(member)}`);
      } else {
        this.schema(member, at, base);
      }
    }
  }

  private types(content: JsonValue, steps: readonly PathStep[]): void {
    const names: readonly JsonValue[] = Array.isArray(content) ? content : [content];
    const wrong = names.find((name) => typeof name !== 'string' || !TYPES.includes(name));
    if (wrong === undefined && names.length > 0) return;
    const near = typeof wrong === 'string' ? closestName(wrong, TYPES) : undefined;
    const advice = near === undefined ? '' : `; did you mean "${near}"?`;
    this.refuse(steps, `must be one of ${TYPES.join(', ')}, or an array of these, received ${preview(wrong ?? content)}${advice}`);
  }

  private pattern(source: string, steps: readonly PathStep[]): void {
    try {
      if (this.reading.foreign) boundedPattern(source);
      else nativePattern(source);
    } catch (error) {
      if (error instanceof UnboundedPattern) {
        this.refuse(steps, `is a pattern whose checking time cannot be bounded: ${error.message}; simplify it or leave it out`);
      } else {
        this.refuse(steps, `must be a regular expression of JavaScript, received ${preview(source)}`);
      }
    }
  }

  private format(name: string, steps: readonly PathStep[]): void {
    if (!this.reading.strict || CHECKED_FORMATS.includes(name) || UNCHECKED_FORMATS.includes(name)) return;
    const near = closestName(name, CHECKED_FORMATS);
    this.refuse(steps, `is no known format: ${preview(name)}; ${near === undefined ? 'use "pattern"' : `did you mean "${near}"?`}`);
  }
}

/** Resolves all references. A target outside of the usual places is walked like the rest. */
function resolveAll(walk: Walk, map: ReferenceMap): Map<JsonObject, JsonValue> {
  const targets = new Map<JsonObject, JsonValue>();
  for (let next = walk.references.shift(); next !== undefined; next = walk.references.shift()) {
    const found = map.resolve(next.text, next.base);
    if ('problem' in found) {
      walk.refuse(next.steps, `${found.problem}: ${preview(next.text)}`);
    } else if (typeof found.node !== 'boolean' && !isObject(found.node)) {
      walk.refuse(next.steps, `points to something that is no schema: ${preview(next.text)}`);
    } else if (targets.has(next.node) && targets.get(next.node) !== found.node) {
      walk.refuse(next.steps, 'must not stand beside another reference; put one of them into "allOf"');
    } else {
      targets.set(next.node, found.node);
      walk.schema(found.node, next.steps, next.base);
    }
  }
  return targets;
}

/**
 * Checks a detached schema document.
 * @returns what is wrong, or the checked schema.
 */
export function checkSchema(json: JsonObject, reading: Reading): CheckedSchema | { violations: readonly string[] } {
  const map = new ReferenceMap(json);
  const walk = new Walk(map, reading);
  walk.schema(json, [], map.base);
  const targets = resolveAll(walk, map);
  if (walk.violations.length === 0) {
    const endless = endlessReference(walk.visited, targets);
    if (endless !== undefined) {
      walk.refuse([], `has a reference that only leads back to itself: ${preview(endless)}; let it pass through "properties" or "items"`);
    }
  }
  return walk.violations.length === 0 ? { json, targets } : { violations: walk.violations.slice(0, MAX_VIOLATIONS) };
}
