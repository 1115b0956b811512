import { checkedOf, compileSchema, isObjectRoot, type CompiledSchema } from './compile.ts';
import { defaultsOf, itemSchemas, knownProperties, placeOf, propertySchemas, type Place } from './config-places.ts';
import { SluiceError } from './errors.ts';
import { describeIssues, mustBe, type SchemaIssue } from './issue.ts';
import { isJsonPrimitive, type JsonValue } from './json.ts';
import type { PathStep } from './path.ts';
import { isPlainObject, setOwn } from './plain.ts';
import { preview } from './preview.ts';
import type { CheckedSchema } from './schema/check.ts';
import { unknownProperty } from './unknown-property.ts';

const MAX_DEPTH = 100;

/** One value twice: as the plugin gets it, and as JSON for the validator, with `null` where anything goes. */
interface Built {
  value: unknown;
  json: JsonValue;
}

/** Copies a config along its schema. */
class ConfigCopy {
  readonly issues: SchemaIssue[] = [];
  /** Whether everything that the schema speaks about is JSON, so that the validator can judge it. */
  isPlain = true;
  private readonly checked: CheckedSchema;

  constructor(checked: CheckedSchema) {
    this.checked = checked;
  }

  build(value: unknown, schemas: readonly JsonValue[], steps: readonly PathStep[]): Built {
    const place = placeOf(schemas, this.checked);
    if (place.isAnything) return { value, json: null };
    if (isJsonPrimitive(value)) return { value, json: value };
    if (steps.length < MAX_DEPTH) {
      if (Array.isArray(value)) return this.array(value, place, steps);
      if (isPlainObject(value)) return this.object(value, place, steps);
    }
    this.isPlain = false;
    this.issues.push(mustBe(steps, 'plain data', preview(value)));
    return { value: null, json: null };
  }

  private array(source: readonly unknown[], place: Place, steps: readonly PathStep[]): Built {
    const items = Array.from(source, (item, index) => this.build(item, itemSchemas(place, index), [...steps, index]));
    return { value: Object.freeze(items.map((item) => item.value)), json: items.map((item) => item.json) };
  }

  private object(source: Readonly<Record<string, unknown>>, place: Place, steps: readonly PathStep[]): Built {
    const value: Record<string, unknown> = {};
    const json: Record<string, JsonValue> = {};
    const put = (key: string, member: unknown, schemas: readonly JsonValue[]): void => {
      const built = this.build(member, schemas, [...steps, key]);
      setOwn(value, key, built.value);
      setOwn(json, key, built.json);
    };
    const known = knownProperties(place);
    for (const key of Object.keys(source)) {
      const member = source[key];
      // Written out as undefined, as options are passed on: the same as left out.
      if (member === undefined) continue;
      const schemas = propertySchemas(place, key);
      if (schemas.length === 0 && known !== undefined) this.issues.push(unknownProperty(steps, key, known, member));
      else put(key, member, schemas);
    }
    for (const [key, fallback] of defaultsOf(place, this.checked)) {
      if (!Object.hasOwn(value, key)) put(key, fallback, propertySchemas(place, key));
    }
    return { value: Object.freeze(value), json };
  }
}

/** A plugin keeps its config schema; so its validator stays compiled as long as the plugin lives. */
const configSchemas = new WeakMap<object, CompiledSchema>();

/** A config that does not fit its schema, with every issue, so that who knows where the config was written can point there. */
export class InvalidConfigError extends SluiceError {
  readonly issues: readonly SchemaIssue[];

  constructor(label: string, issues: readonly SchemaIssue[]) {
    super('INVALID_CONFIG', `${label}: invalid config: ${describeIssues(issues, 'config')}`);
    this.issues = issues;
  }
}

function checkedConfig(schema: object, label: string): { compiled: CompiledSchema; checked: CheckedSchema } {
  const compiled = configSchemas.get(schema) ?? compileSchema(schema, { origin: 'own', label });
  configSchemas.set(schema, compiled);
  const checked = checkedOf(compiled);
  if (checked === undefined || !isObjectRoot(compiled)) {
    throw new SluiceError('INVALID_SCHEMA', `${label}: the config schema must describe an object; add type: 'object'`);
  }
  return { compiled, checked };
}

/**
 * What a config's schema says about the place at these steps: `text` where a string may stand, `open` where it says nothing
 * and anything goes, `other` elsewhere, unknown places included.
 *
 * @throws SluiceError `INVALID_SCHEMA`
 */
export function configPlaceAt(schema: object | undefined, steps: readonly PathStep[], label: string): 'text' | 'open' | 'other' {
  if (schema === undefined) return 'other';
  const { checked } = checkedConfig(schema, label);
  let schemas: readonly JsonValue[] = [checked.json];
  for (const step of steps) {
    const place = placeOf(schemas, checked);
    schemas = typeof step === 'number' ? itemSchemas(place, step) : propertySchemas(place, step);
    if (schemas.length === 0) return place.isAnything ? 'open' : 'other';
  }
  return textAt(placeOf(schemas, checked));
}

function textAt({ possible, isAnything }: Place): 'text' | 'open' | 'other' {
  const isText = possible.some(({ type, enum: values, const: value }) => {
    const allowed = [value, ...(Array.isArray(values) ? (values as readonly JsonValue[]) : [])];
    return type === 'string' || (Array.isArray(type) && type.includes('string')) || allowed.some((each) => typeof each === 'string');
  });
  return isText ? 'text' : isAnything ? 'open' : 'other';
}

/**
 * Checks the config of a plugin and completes it with the schema's defaults.
 *
 * The result is a fresh frozen object; a default is applied where its property is missing or `undefined`, inside of given
 * objects and of other defaults too, but not inside `anyOf` and `oneOf`. A property that the schema does not list is
 * refused, unless `additionalProperties` says what it is. Nothing is coerced. Where the schema is `{}`, the value is kept
 * as it is: a function, a class instance, a signal.
 *
 * @param schema an object schema in any form that `compileSchema` takes; undefined for a plugin without config.
 * @throws InvalidConfigError (`INVALID_CONFIG`), naming label, path, what was expected and what came; SluiceError `INVALID_SCHEMA` for the schema.
 */
export function resolveConfig(schema: object | undefined, value: unknown, label: string): object {
  const given = value === undefined ? {} : value;
  if (schema === undefined) {
    if (isPlainObject(given) && Object.keys(given).length === 0) return Object.freeze({});
    throw new SluiceError('INVALID_CONFIG', `${label}: takes no config, received ${preview(value)}`);
  }
  const { compiled, checked } = checkedConfig(schema, label);
  if (!isPlainObject(given)) throw new InvalidConfigError(label, [mustBe([], 'an object', preview(given))]);
  const copy = new ConfigCopy(checked);
  let built: Built;
  try {
    built = copy.build(given, [checked.json], []);
  } catch (cause) {
    throw new SluiceError('INVALID_CONFIG', `${label}: config cannot be read: ${preview(cause)}`, { cause });
  }
  const issues = copy.isPlain ? [...copy.issues, ...compiled.validate(built.json)] : copy.issues;
  if (issues.length > 0) throw new InvalidConfigError(label, issues);
  return built.value as object;
}
