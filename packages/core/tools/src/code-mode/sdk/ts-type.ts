import type { JsonObject, JsonValue } from '@sluice/core-schema';

/** Levels of inline types; what is deeper is any JSON. Keeps text and stack bounded, whatever a schema's author had in mind. */
const MAX_DEPTH = 40;
/** Characters of one description. */
const MAX_COMMENT = 400;
const JSON_TYPE = 'Json';
const bare = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** Types of one schema in TypeScript. What has no TypeScript equivalent becomes `Json` where it stands, and nowhere else. */
export class TsTypes {
  /** Named types that references made necessary, in the order of their first use. */
  readonly declarations: string[] = [];
  readonly #root: JsonObject;
  readonly #prefix: string;
  readonly #names = new Map<string, string>();
  readonly #taken: Set<string>;

  /** `prefix` starts the names of referenced types, such as `ReadFile`; `taken` are names in use, and gets these as well. */
  constructor(root: JsonObject, prefix: string, taken: Set<string>) {
    this.#root = root;
    this.#prefix = prefix;
    this.#taken = taken;
  }

  get root(): string {
    return this.#type(this.#root, '', 0);
  }

  #type(schema: JsonValue | undefined, indent: string, depth: number): string {
    if (schema === false) return 'never';
    if (!isObject(schema) || depth > MAX_DEPTH) return JSON_TYPE;
    if (typeof schema['$ref'] === 'string') return this.#referred(schema['$ref'], depth);
    if ('const' in schema) return literal(schema['const']);
    if (Array.isArray(schema['enum'])) return union((schema['enum'] as readonly JsonValue[]).map(literal));
    const parts: string[] = [];
    for (const key of ['anyOf', 'oneOf'] as const) {
      const branches = schema[key];
      if (Array.isArray(branches)) parts.push(union((branches as readonly JsonValue[]).map((each) => this.#type(each, indent, depth + 1))));
    }
    if (Array.isArray(schema['allOf'])) {
      for (const each of schema['allOf'] as readonly JsonValue[]) parts.push(this.#type(each, indent, depth + 1));
    }
    const own = this.#own(schema, indent, depth);
    if (own !== undefined) parts.push(own);
    return intersection(parts);
  }

  /** What `type` and the keywords beside it say; undefined when they say nothing. */
  #own(schema: JsonObject, indent: string, depth: number): string | undefined {
    const { type } = schema;
    if (Array.isArray(type)) return union((type as readonly JsonValue[]).map((each) => this.#ofType(each, schema, indent, depth)));
    if (type !== undefined) return this.#ofType(type, schema, indent, depth);
    if (isObject(schema['properties']) || isObject(schema['additionalProperties'])) return this.#object(schema, indent, depth);
    if (schema['items'] !== undefined || Array.isArray(schema['prefixItems'])) return this.#array(schema, indent, depth);
    return undefined;
  }

  #ofType(type: JsonValue, schema: JsonObject, indent: string, depth: number): string {
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
      case 'number':
        return type;
      case 'integer':
        return 'number';
      case 'array':
        return this.#array(schema, indent, depth);
      case 'object':
        return this.#object(schema, indent, depth);
      default:
        return JSON_TYPE;
    }
  }

  #array(schema: JsonObject, indent: string, depth: number): string {
    // Tuples of draft 2020-12, and of draft-07, where a list under `items` said the same.
    const listed = schema['prefixItems'] ?? (Array.isArray(schema['items']) ? schema['items'] : undefined);
    if (Array.isArray(listed)) {
      const places = (listed as readonly JsonValue[]).map((each) => this.#type(each, indent, depth + 1));
      const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0;
      const rest = Array.isArray(schema['items']) ? schema['additionalItems'] : schema['items'];
      const tail = rest === false ? [] : [`...${grouped(this.#type(rest, indent, depth + 1))}[]`];
      return `[${[...places.map((each, index) => (index < least ? each : `${grouped(each)}?`)), ...tail].join(', ')}]`;
    }
    return `${grouped(this.#type(schema['items'], indent, depth + 1))}[]`;
  }

  #object(schema: JsonObject, indent: string, depth: number): string {
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as readonly JsonValue[]) : []);
    const inner = `${indent}  `;
    const types: string[] = [];
    const members = Object.entries(properties).map(([key, value]) => {
      const optional = required.has(key) ? '' : '?';
      const type = this.#type(value, inner, depth + 1);
      types.push(type);
      return `${comment(value, inner)}${inner}${propertyKey(key)}${optional}: ${type};\n`;
    });
    const rest = schema['additionalProperties'];
    const others = Object.values(isObject(schema['patternProperties']) ? schema['patternProperties'] : {}).map((each) => this.#type(each, indent, depth + 1));
    if (isObject(rest)) others.push(this.#type(rest, indent, depth + 1));
    if (members.length === 0) {
      if (rest === false && others.length === 0) return 'Record<string, never>';
      // Keys that no pattern fits may be anything, unless something is said of them.
      return `Record<string, ${others.length === 0 || (rest !== false && !isObject(rest)) ? JSON_TYPE : union(others)}>`;
    }
    const body = `{\n${members.join('')}${indent}}`;
    // Undeclared keys of an open object are left out: with them every misspelt key would be right. Where they have a type of their own, what
    // is declared must fit as well, or no object would.
    return others.length === 0 ? body : `${body} & Record<string, ${union([...others, ...types])}>`;
  }

  #referred(ref: string, depth: number): string {
    const target = this.#target(ref);
    if (target === undefined) return JSON_TYPE;
    const known = this.#names.get(ref);
    if (known !== undefined) return known;
    const name = this.#freshName(ref);
    this.#names.set(ref, name);
    const at = this.declarations.push('') - 1;
    this.declarations[at] = `type ${name} = ${this.#type(target, '', depth + 1)};`;
    return name;
  }

  #target(ref: string): JsonValue | undefined {
    if (ref === '#') return this.#root;
    if (!ref.startsWith('#/')) return undefined;
    let at: JsonValue | undefined = this.#root;
    for (const step of ref.slice(2).split('/')) {
      const key = unescapePointer(step);
      if (key === undefined || typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
      at = (at as Readonly<Record<string, JsonValue>>)[key];
    }
    return at;
  }

  #freshName(ref: string): string {
    const last = ref === '#' ? 'Self' : (ref.split('/').pop() ?? '');
    const wanted = `${this.#prefix}${camelCase(last)}`;
    let name = wanted;
    for (let n = 2; this.#taken.has(name); n += 1) name = `${wanted}_${n}`;
    this.#taken.add(name);
    return name;
  }
}

/** `read_file` as `ReadFile`: a valid start of a type name. */
export function camelCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const camel = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^[A-Za-z]/.test(camel) ? camel : `T${camel}`;
}

export function propertyKey(name: string): string {
  return bare.test(name) ? name : JSON.stringify(name);
}

/** A doc comment of a schema's description, format and default, on lines of its own before what follows; or nothing. */
export function comment(schema: JsonValue | undefined, indent: string): string {
  if (!isObject(schema)) return '';
  const said = typeof schema['description'] === 'string' ? schema['description'] : '';
  const notes = ['format', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'default']
    .filter((key) => schema[key] !== undefined)
    .map((key) => `@${key} ${JSON.stringify(schema[key])}`);
  return docComment([said, ...notes].filter((part) => part !== '').join(' '), indent);
}

/** One line that no text can break out of: whitespace is collapsed, and the end of a comment cannot be written in one. */
export function docComment(text: string, indent: string): string {
  const line = text.replace(/[\s\u2028\u2029]+/g, ' ').trim().replaceAll('*/', '*\\/');
  return line === '' ? '' : `${indent}/** ${cut(line, MAX_COMMENT)} */\n`;
}

export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)}…`;
}

function literal(value: JsonValue | undefined): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
    case 'number':
    case 'boolean':
      return String(value);
    default:
      // Containers as literals would need a type of their own; the checked value is exact all the same.
      return value === null ? 'null' : JSON_TYPE;
  }
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  return distinct.length === 0 ? 'never' : distinct.join(' | ');
}

function intersection(types: readonly string[]): string {
  const distinct = [...new Set(types)].filter((type) => type !== JSON_TYPE);
  if (distinct.length === 0) return JSON_TYPE;
  return distinct.length === 1 ? (distinct[0] as string) : distinct.map(grouped).join(' & ');
}

/** A simple name, literal or object needs no parentheses; everything else gets them. */
function grouped(type: string): string {
  return /^[\w$."'-]+$/.test(type) ? type : `(${type})`;
}

function unescapePointer(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
