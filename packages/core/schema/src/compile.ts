import { SluiceError } from './errors.ts';
import type { SchemaIssue } from './issue.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { checkSchema, type CheckedSchema } from './schema/check.ts';
import { acceptsOnlyObjects } from './schema/object-only.ts';
import { recall, remember } from './schema-cache.ts';
import { readSource } from './source/read-source.ts';
import { Validator } from './validate/validator.ts';

/** A schema that is checked, detached from its source and ready to validate. */
export interface CompiledSchema {
  /** Plain JSON Schema, deep-frozen: what a model is shown. Later changes of the source do not reach it. */
  readonly json: JsonObject;
  /**
   * What is wrong with a value; always the same frozen empty array when nothing is.
   * Takes values as `snapshotJson` gives them, and changes nothing: no coercion, no defaults. The first call compiles.
   * Stops after 50 issues, and after the first one for values of more than 2,000 nodes.
   */
  validate(value: JsonValue): readonly SchemaIssue[];
}

export interface CompileOptions {
  /**
   * `own`: written by the developer of this process. Unknown keywords and formats, keywords without effect and
   * contradictions are slips and refused; `x-...` keys are tolerated.
   * `foreign`: sent by somebody else, such as an MCP server. What is unknown is ignored; patterns are run in bounded time.
   */
  origin: 'own' | 'foreign';
  /** Who speaks, for messages: `tool "read_file" parameters`. */
  label: string;
}

const checkedSchemas = new WeakMap<CompiledSchema, CheckedSchema>();

/**
 * Checks a schema source at once and gives its validator.
 *
 * Accepts JSON Schema (draft-07 and 2020-12), a TypeBox schema, a Standard JSON Schema object (zod, valibot, arktype), and
 * a property map such as `{ path: { type: 'string', required: true } }`. Equal schemas share one validator.
 *
 * @throws SluiceError `INVALID_SCHEMA`, with label, path, what is wrong and what to do: no JSON, a violation of the
 * meta-schema, a reference to another document or to nothing, references that never end, a pattern that cannot be bounded.
 */
export function compileSchema(source: unknown, options: CompileOptions): CompiledSchema {
  const { origin, label } = options;
  const document = readSource(source, label);
  const strict = origin === 'own' && !document.isGenerated;
  const key = `${origin}:${strict ? 'strict' : 'open'}:${JSON.stringify(document.json)}`;
  const known = recall(key);
  if (known !== undefined) return known;

  const checked = checkSchema(document.json, { strict, foreign: origin === 'foreign' });
  if ('violations' in checked) {
    throw new SluiceError('INVALID_SCHEMA', `${label}: invalid schema: ${checked.violations.join('; ')}`);
  }
  const validator = new Validator(checked, origin === 'foreign');
  const compiled: CompiledSchema = Object.freeze({
    json: document.json,
    validate: (value: JsonValue) => validator.validate(value),
  });
  checkedSchemas.set(compiled, checked);
  remember(key, compiled);
  return compiled;
}

/**
 * Whether a schema accepts nothing but objects, as parameters must: `type: 'object'`, or a reference, an intersection or
 * a union that comes to that. A schema that merely lists `properties` accepts `null` and text as well.
 */
export function isObjectRoot(schema: CompiledSchema): boolean {
  const checked = checkedOf(schema);
  return checked !== undefined && acceptsOnlyObjects(checked);
}

/** What the check of a schema found out, for those who walk it. Undefined for an object that `compileSchema` did not make. */
export function checkedOf(schema: CompiledSchema): CheckedSchema | undefined {
  return checkedSchemas.get(schema);
}
