import type { ErrorObject, FuncKeywordDefinition, ValidateFunction } from 'ajv';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import { CheckLimit } from '../check-limit.ts';
import { issueAt, type SchemaIssue } from '../issue.ts';
import type { JsonValue } from '../json.ts';
import { preview } from '../preview.ts';
import type { CheckedSchema } from '../schema/check.ts';
import { lowerSchema, type LoweredNode, type LoweredSchema } from '../schema/lower.ts';
import { compileWithAjv } from './instance.ts';
import { issuesOf } from './issues.ts';
import { resetSteps } from './steps.ts';

const VALID: readonly SchemaIssue[] = Object.freeze([]);

/** Larger values get the first error only: collecting all errors costs memory for each. */
const MAX_EXPLAINED_NODES = 2_000;
/** Explaining is for small values, and must not take longer than a person would wait. */
const MAX_EXPLAINED_STEPS = 20_000;
/** Larger unions are not taken apart: each branch is compiled on its own. */
const MAX_BRANCHES = 24;

function isSmall(value: JsonValue): boolean {
  const pending: JsonValue[] = [value];
  for (let seen = 0; seen < MAX_EXPLAINED_NODES; seen++) {
    const next = pending.pop();
    if (next === undefined) return true;
    if (typeof next !== 'object' || next === null) continue;
    const children = Object.values(next as Record<string, JsonValue>);
    if (children.length > MAX_EXPLAINED_NODES) return false;
    pending.push(...children);
  }
  return false;
}

function failure(text: string, value: JsonValue): readonly SchemaIssue[] {
  return [issueAt([], `cannot be checked: ${text}`, 'a value that can be checked', preview(value))];
}

/**
 * What a validator is for. `decide` answers yes or no and is all that valid values ever meet; once a value has failed,
 * `explain` collects everything that can be said, and `first`, for large values, stops at the first error.
 */
type Purpose = 'decide' | 'explain' | 'first';

/**
 * Wraps a schema so that it accepts the same and reports next to nothing: Ajv makes no errors under `not`. Errors of
 * branches that do not match cost more than the checking itself, and multiply where references are nested.
 */
function quiet(schema: Record<string, unknown>): Record<string, unknown> {
  const { $defs, ...rest } = schema;
  return { not: { not: rest }, ...($defs === undefined ? {} : { $defs }) };
}

function quietDocument(root: Record<string, unknown>): Record<string, unknown> {
  const defs = Object.entries((root['$defs'] ?? {}) as Record<string, Record<string, unknown>>);
  return { ...quiet(root), $defs: Object.fromEntries(defs.map(([name, schema]) => [name, quiet(schema)])) };
}

/** Checks values against one schema. Compiles what it needs when it needs it. */
export class Validator {
  private readonly checked: CheckedSchema;
  private readonly foreign: boolean;
  private lowered: LoweredSchema | undefined;
  private readonly compiled: Partial<Record<Purpose, ValidateFunction>> = {};
  private readonly parts = new Map<object, ValidateFunction>();

  constructor(checked: CheckedSchema, foreign: boolean) {
    this.checked = checked;
    this.foreign = foreign;
  }

  validate(value: JsonValue): readonly SchemaIssue[] {
    resetSteps();
    try {
      const decide = this.compiled.decide ?? this.purpose('decide');
      return decide(value) ? VALID : this.explain(value);
    } catch (error) {
      // A deep value meets a recursive validator; limits of the snapshot normally keep it far from the end of the stack.
      if (error instanceof RangeError) return failure('it is nested too deeply', value);
      if (error instanceof CheckLimit) return failure(error.message, value);
      // The schema was checked, so this is a fault of the validator. Nobody's value passes because of it.
      return failure('its validator failed', value);
    }
  }

  private explain(value: JsonValue): readonly SchemaIssue[] {
    const purposes: readonly Purpose[] = isSmall(value) ? ['explain', 'first'] : ['first'];
    for (const purpose of purposes) {
      try {
        resetSteps(MAX_EXPLAINED_STEPS);
        const check = this.purpose(purpose);
        if (!check(value)) return issuesOf(check.errors ?? [], value);
      } catch {
        // That the value is wrong is certain. Why, may take too long to find out, or meet a fault of Ajv (collecting all
        // errors beside `unevaluatedProperties` reads what it has not set).
      }
    }
    return issuesOf([], value);
  }

  private lowering(): LoweredSchema {
    return (this.lowered ??= lowerSchema(this.checked));
  }

  private purpose(purpose: Purpose): ValidateFunction {
    return (this.compiled[purpose] ??= this.compile(this.lowering().root, purpose));
  }

  private compile(root: Record<string, unknown>, purpose: Purpose): ValidateFunction {
    const { needsOwnCheck, requiresEmptyName, hasUnevaluated } = this.lowering();
    const explains = purpose === 'explain';
    // `unevaluated...` must see what the branches have evaluated: neither `not` nor a keyword of our own would tell it.
    const keywords = explains && !hasUnevaluated ? [this.unionKeyword('anyOf'), this.unionKeyword('oneOf')] : [];
    const schema = purpose === 'decide' && !hasUnevaluated ? quietDocument(root) : root;
    return compileWithAjv(schema, { foreign: this.foreign, needsOwnCheck, requiresEmptyName, hasUnevaluated, explains, keywords });
  }

  /** `anyOf` and `oneOf` that keep the errors of their branches apart. */
  private unionKeyword(keyword: 'anyOf' | 'oneOf'): FuncKeywordDefinition {
    return {
      keyword,
      schemaType: 'array',
      compile: (branches: readonly LoweredNode[]) => {
        const validate: DataValidateFunction = (value: JsonValue) => {
          const errors = this.unionErrors(keyword, branches, value);
          validate.errors = errors;
          return errors.length === 0;
        };
        return validate;
      },
    };
  }

  private unionErrors(keyword: string, branches: readonly LoweredNode[], value: JsonValue): Partial<ErrorObject>[] {
    if (branches.length > MAX_BRANCHES) {
      const check = this.partCheck(branches, { [keyword]: branches }, 'decide');
      return check(value) ? [] : [{ keyword, params: {} }];
    }
    const results = branches.map((branch) => {
      if (typeof branch === 'boolean') return branch ? undefined : [];
      const check = this.partCheck(branch, branch, 'explain');
      return check(value) ? undefined : [...(check.errors ?? [])];
    });
    const matches = results.filter((errors) => errors === undefined).length;
    if (keyword === 'anyOf' ? matches > 0 : matches === 1) return [];
    return [{ keyword, params: { branches: results } }];
  }

  /** The validator of a part of the schema. One for each part, however often recursion leads there. */
  private partCheck(part: object, schema: Record<string, unknown>, purpose: Purpose): ValidateFunction {
    let check = this.parts.get(part);
    if (check === undefined) {
      check = this.compile({ ...schema, $defs: this.lowering().root['$defs'] ?? {} }, purpose);
      this.parts.set(part, check);
    }
    return check;
  }
}
