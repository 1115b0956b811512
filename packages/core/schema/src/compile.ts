import { createRequire } from 'node:module';
import type { ErrorObject, Options, ValidateFunction } from 'ajv';
import { SluiceError } from './errors.ts';
import { mustBe, issueAt, type SchemaIssue } from './issue.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { PathStep } from './path.ts';
import { preview } from './preview.ts';
import { snapshotJson } from './snapshot.ts';

/** A schema that is checked, detached and ready to validate. */
export interface CompiledSchema {
  /** The plain JSON Schema, deep-frozen and detached from its source: what a model is shown. */
  readonly json: JsonObject;
  /** Issues of a value; `[]` (always the same frozen array) when it is valid. Compiled on first use. */
  validate(value: JsonValue): readonly SchemaIssue[];
}

const NONE: readonly SchemaIssue[] = Object.freeze([]);
const load = createRequire(import.meta.url);

interface AjvLike {
  compile(schema: object): ValidateFunction;
}
let ajv: AjvLike | undefined;

function instance(): AjvLike {
  if (ajv !== undefined) return ajv;
  const { default: Ajv } = load('ajv/dist/2020.js') as { default: new (options: Options) => AjvLike };
  const { default: addFormats } = load('ajv-formats') as { default: (target: AjvLike) => unknown };
  ajv = new Ajv({ strict: false, allErrors: true, verbose: true });
  addFormats(ajv);
  return ajv;
}

function stepsOf(root: JsonValue, pointer: string): PathStep[] {
  const steps: PathStep[] = [];
  let node: unknown = root;
  for (const raw of pointer.split('/').slice(1)) {
    const key = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    steps.push(Array.isArray(node) ? Number(key) : key);
    node = (node as Record<string, unknown>)[key];
  }
  return steps;
}

function issueOf(root: JsonValue, error: ErrorObject): SchemaIssue {
  const steps = stepsOf(root, error.instancePath);
  if (error.keyword === 'type') return mustBe(steps, `of type ${String(error.params['type'])}`, preview(error.data));
  if (error.keyword === 'required') {
    const at = [...steps, String(error.params['missingProperty'])];
    return { ...issueAt(at, '', 'a value', 'nothing'), message: `missing required property "${at.join('.')}"` };
  }
  return issueAt(steps, `${error.message ?? 'is invalid'}, received ${preview(error.data)}`, error.keyword, preview(error.data));
}

/** Checks a schema source and gives its validator. */
export function compileSchema(source: unknown, options: { origin: 'own' | 'foreign'; label: string }): CompiledSchema {
  const standard = (source as { '~standard'?: { jsonSchema?: { input(o: object): unknown } } } | null)?.['~standard'];
  const raw = standard?.jsonSchema === undefined ? source : standard.jsonSchema.input({ target: 'draft-2020-12' });
  const taken = snapshotJson(JSON.parse(JSON.stringify(raw) ?? 'null'));
  if (!taken.ok || typeof taken.value !== 'object' || taken.value === null || Array.isArray(taken.value)) {
    throw new SluiceError('INVALID_SCHEMA', `${options.label}: a schema must be a JSON Schema object, received ${preview(source)}`);
  }
  const json = taken.value as JsonObject;
  let check: ValidateFunction | undefined;
  return {
    json,
    validate(value) {
      check ??= instance().compile(json);
      if (check(value)) return NONE;
      return (check.errors ?? []).map((error) => issueOf(value, error));
    },
  };
}

/** Whether a schema describes an object at its root, as parameters must. */
export function isObjectRoot(schema: CompiledSchema): boolean {
  return schema.json['type'] === 'object';
}
