import type { JsonObject, JsonValue } from '../json.ts';
import type { CheckedSchema } from './check.ts';
import { CHECKED_FORMATS, shapeOf } from './keywords.ts';

/** A schema as Ajv gets it: 2020-12, no annotations, no names, every reference `#/$defs/<n>`. */
export type LoweredNode = boolean | Record<string, unknown>;

export interface LoweredSchema {
  readonly root: Record<string, unknown>;
  /** Whether a name such as `constructor` is asked for, which a plain `value.constructor` would find in the prototype. */
  readonly needsOwnCheck: boolean;
  /** Whether a property named `''` is required: Ajv takes that name for none missing, unless it loops over the names. */
  readonly requiresEmptyName: boolean;
  /** Whether `unevaluatedProperties` or `unevaluatedItems` occurs. */
  readonly hasUnevaluated: boolean;
}

/** On each referenced schema; counts its evaluations. */
export const STEP_KEYWORD = 'sluiceStep';

const NAMES = new Set(['$schema', '$id', '$anchor', '$dynamicAnchor', '$defs', 'definitions', '$ref', '$dynamicRef']);
/** Written together with the keyword that they qualify. */
const QUALIFIERS = new Set(['additionalItems', 'then', 'else', 'minContains', 'maxContains', 'nullable']);
const PROTO_PATTERN = '^__proto__$';

/** Rewrites a checked schema. Recursion is bounded by the depth that was checked. */
class Lowering {
  needsOwnCheck = false;
  requiresEmptyName = false;
  hasUnevaluated = false;
  private readonly targets: ReadonlyMap<JsonObject, JsonValue>;
  private readonly names = new Map<JsonValue, string>();

  constructor(targets: ReadonlyMap<JsonObject, JsonValue>) {
    this.targets = targets;
    for (const target of targets.values()) {
      if (typeof target === 'object' && !this.names.has(target)) this.names.set(target, `${this.names.size}`);
    }
  }

  document(json: JsonObject): Record<string, unknown> {
    const place = this.place(json);
    const root = place === true ? {} : (place as Record<string, unknown>);
    if (this.names.size > 0) {
      root['$defs'] = Object.fromEntries(
        [...this.names].map(([target, name]) => [name, { [STEP_KEYWORD]: true, ...this.body(target as JsonObject) }]),
      );
    }
    return root;
  }

  /** A schema where another one refers to it or holds it. */
  private place(schema: JsonValue): LoweredNode {
    if (typeof schema === 'boolean') return schema;
    const name = this.names.get(schema);
    return name === undefined ? this.body(schema as JsonObject) : { $ref: `#/$defs/${name}` };
  }

  private body(node: JsonObject): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    const also: LoweredNode[] = [];
    const target = this.targets.get(node);
    if (target === false) also.push(false);
    else if (target !== undefined && target !== true) out['$ref'] = `#/$defs/${this.names.get(target) ?? ''}`;
    for (const [keyword, content] of Object.entries(node)) {
      if (!NAMES.has(keyword) && !QUALIFIERS.has(keyword)) this.keyword(node, keyword, content, out, also);
    }
    if (also.length > 0) out['allOf'] = [...((out['allOf'] as LoweredNode[] | undefined) ?? []), ...also];
    return out;
  }

  private keyword(
    node: JsonObject,
    keyword: string,
    content: JsonValue,
    out: Record<string, unknown>,
    also: LoweredNode[],
  ): void {
    switch (keyword) {
      case 'type':
        out['type'] = node['nullable'] === true ? [...new Set([content, 'null'].flat())] : content;
        return;
      case 'enum':
        // Ajv does not compile an empty one, which allows nothing.
        if ((content as readonly JsonValue[]).length === 0) also.push(false);
        else out['enum'] = content;
        return;
      case 'format':
        if (CHECKED_FORMATS.includes(content as string)) out['format'] = content;
        return;
      case 'required':
        out['required'] = this.required(content as readonly string[]);
        return;
      case 'dependentRequired':
      case 'dependencies':
        this.dependencies(keyword, content as JsonObject, out, also);
        return;
      case 'items':
        if (!Array.isArray(content)) {
          out['items'] = this.place(content);
          return;
        }
        out['prefixItems'] = content.map((item: JsonValue) => this.place(item));
        if (node['additionalItems'] !== undefined) out['items'] = this.place(node['additionalItems']);
        return;
      case 'if':
        this.conditional(node, content, out);
        return;
      case 'contains':
        out['contains'] = this.place(content);
        for (const bound of ['minContains', 'maxContains']) if (node[bound] !== undefined) out[bound] = node[bound];
        return;
      default:
        this.ordinary(keyword, content, out);
    }
  }

  private ordinary(keyword: string, content: JsonValue, out: Record<string, unknown>): void {
    switch (shapeOf(keyword)) {
      case 'schema':
        if (keyword.startsWith('unevaluated')) this.hasUnevaluated = true;
        out[keyword] = this.place(content);
        return;
      case 'schemas':
        out[keyword] = (content as readonly JsonValue[]).map((item) => this.place(item));
        return;
      case 'schema-map':
      case 'pattern-map':
        this.members(keyword, content as JsonObject, out);
        return;
      case 'number':
      case 'positive':
      case 'count':
      case 'pattern':
        out[keyword] = content;
        return;
      default:
        if (keyword === 'const') out['const'] = content;
        if (keyword === 'uniqueItems' && content === true) out['uniqueItems'] = true;
    }
  }

  private conditional(node: JsonObject, content: JsonValue, out: Record<string, unknown>): void {
    if (node['then'] === undefined && node['else'] === undefined) return;
    out['if'] = this.place(content);
    if (node['then'] !== undefined) out['then'] = this.place(node['then']);
    if (node['else'] !== undefined) out['else'] = this.place(node['else']);
  }

  private members(keyword: string, content: JsonObject, out: Record<string, unknown>): void {
    const members: Record<string, unknown> = (out[keyword] as Record<string, unknown> | undefined) ?? {};
    this.noteNames(Object.keys(content));
    for (const [name, member] of Object.entries(content)) {
      const lowered = this.place(member);
      if (name !== '__proto__') members[name] = lowered;
      else if (keyword === 'patternProperties') members['(?:__proto__)'] = lowered;
      else if (keyword === 'properties') {
        // Ajv skips a property of this name; a pattern for it says the same.
        const patterns = (out['patternProperties'] ??= {}) as Record<string, unknown>;
        patterns[PROTO_PATTERN] = lowered;
      }
    }
    out[keyword] = members;
  }

  private dependencies(keyword: string, content: JsonObject, out: Record<string, unknown>, also: LoweredNode[]): void {
    const members: Record<string, unknown> = {};
    this.noteNames(Object.keys(content));
    for (const [name, member] of Object.entries(content)) {
      if (!Array.isArray(member)) members[name] = this.place(member);
      // Ajv misses an empty name in a list, but not in a `required` of its own.
      else if (member.includes('')) also.push({ dependentSchemas: { [name]: { required: this.required(member) } } });
      else members[name] = this.required(member);
    }
    out[keyword] = members;
  }

  private required(names: readonly string[]): readonly string[] {
    this.noteNames(names);
    if (names.includes('')) this.requiresEmptyName = true;
    return names;
  }

  private noteNames(names: readonly string[]): void {
    if (!this.needsOwnCheck) this.needsOwnCheck = names.some((name) => name in Object.prototype);
  }
}

/** Rewrites a checked schema for Ajv, without changing what it accepts. */
export function lowerSchema({ json, targets }: CheckedSchema): LoweredSchema {
  const lowering = new Lowering(targets);
  const root = lowering.document(json);
  return { root, needsOwnCheck: lowering.needsOwnCheck, requiresEmptyName: lowering.requiresEmptyName, hasUnevaluated: lowering.hasUnevaluated };
}
