import { createRequire } from 'node:module';
import type AjvCore from 'ajv/dist/core.js';
import type { AnySchema, KeywordDefinition, Options, ValidateFunction, Vocabulary } from 'ajv/dist/core.js';
import { canonicalJson } from '../canonical.ts';
import type { JsonValue } from '../json.ts';
import { boundedPattern, nativePattern, type PatternTest } from '../pattern/bounded.ts';
import { STEP_KEYWORD } from '../schema/lower.ts';
import { countStep } from './steps.ts';

type Ajv = AjvCore.default;

interface AjvModules {
  readonly AjvCore: new (options: Options) => Ajv;
  readonly vocabularies: readonly Vocabulary[];
  readonly addFormats: (ajv: Ajv, options: { keywords: false }) => unknown;
}

const load = createRequire(import.meta.url);
let modules: AjvModules | undefined;

/** Loading Ajv takes longer than everything else here together, so it waits for the first value to be checked. */
function ajvModules(): AjvModules {
  modules ??= {
    AjvCore: (load('ajv/dist/core.js') as { default: AjvModules['AjvCore'] }).default,
    vocabularies: (load('ajv/dist/vocabularies/draft2020.js') as { default: readonly Vocabulary[] }).default,
    addFormats: (load('ajv-formats') as { default: AjvModules['addFormats'] }).default,
  };
  return modules;
}

/** Relative: two units in the last place, which dividing and multiplying may cost. */
const ROUNDING = 4 * Number.EPSILON;

/** Decimal fractions are multiples too: 19.99 of 0.01, although 19.99 / 0.01 is 1998.9999999999998. */
function isMultiple(divisor: number, value: number): boolean {
  const quotient = Math.round(value / divisor);
  if (!Number.isFinite(quotient)) return false;
  return quotient === 0 ? value === 0 : Math.abs(quotient * divisor - value) <= Math.abs(value) * ROUNDING;
}

/** Linear, where comparing each pair would let 50,000 items take minutes. */
function areUnique(isWanted: boolean, items: readonly JsonValue[]): boolean {
  return !isWanted || new Set(items.map((item) => canonicalJson(item))).size === items.length;
}

const KEYWORDS: readonly KeywordDefinition[] = [
  { keyword: STEP_KEYWORD, schemaType: 'boolean', errors: false, validate: countStep },
  { keyword: 'multipleOf', type: 'number', schemaType: 'number', validate: isMultiple },
  { keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', validate: areUnique },
];

/** The one of ajv-formats takes quadratic time, and knows no localhost. */
function isUrl(text: string): boolean {
  return /^(?:https?|ftp):/i.test(text) && URL.canParse(text);
}

export interface InstanceOptions {
  /** Patterns come from outside. */
  readonly foreign: boolean;
  readonly needsOwnCheck: boolean;
  readonly requiresEmptyName: boolean;
  readonly hasUnevaluated: boolean;
  /** Collect all errors, with the parts of the schema that they are about. */
  readonly explains: boolean;
  /** Keywords in place of those of the same name. */
  readonly keywords: readonly KeywordDefinition[];
}

/** How Ajv makes its regular expressions. It tells them apart by their text. */
function patternEngine(foreign: boolean): NonNullable<Options['code']>['regExp'] {
  const make: (source: string) => PatternTest = foreign ? boundedPattern : nativePattern;
  const engine = (source: string): PatternTest => {
    const pattern = make(source);
    const named = { test: (text: string) => pattern.test(text), toString: () => `/${source}/` };
    return named;
  };
  return Object.assign(engine, { code: 'sluicePattern' });
}

/**
 * Compiles one lowered schema. Each gets an instance of its own (0.2 ms, next to 1 ms for compiling), so that nothing
 * is shared, nothing can clash and nothing stays behind when the validator is dropped.
 */
export function compileWithAjv(schema: AnySchema, options: InstanceOptions): ValidateFunction {
  const { AjvCore, vocabularies, addFormats } = ajvModules();
  const ajv = new AjvCore({
    // Slips are found at registration, by the walk in schema/check.ts, which also knows where to be tolerant.
    strict: false,
    validateSchema: false,
    meta: false,
    addUsedSchema: false,
    logger: false,
    messages: false,
    inlineRefs: 8,
    allErrors: options.explains,
    verbose: options.explains,
    ownProperties: options.needsOwnCheck,
    ...(options.requiresEmptyName ? { loopRequired: 1 } : {}),
    // Without it, `minContains` and `maxContains` would be ignored.
    next: true,
    // Only on demand: noting what has been evaluated keeps `anyOf` from stopping at the first branch that matches.
    unevaluated: options.hasUnevaluated,
    code: { regExp: patternEngine(options.foreign) },
  } as Options);
  for (const vocabulary of vocabularies) ajv.addVocabulary(vocabulary);
  addFormats(ajv, { keywords: false });
  ajv.addFormat('url', isUrl);
  for (const definition of [...KEYWORDS, ...options.keywords]) {
    const name = definition.keyword as string;
    if (ajv.getKeyword(name) !== false) ajv.removeKeyword(name);
    ajv.addKeyword(definition);
  }
  return ajv.compile(schema);
}
