import type { ErrorObject } from 'ajv';
import { issueAt, type SchemaIssue } from '../issue.ts';
import type { JsonValue } from '../json.ts';
import { formatPath, quoteKey, type PathStep } from '../path.ts';
import { preview } from '../preview.ts';
import { unknownProperty } from '../unknown-property.ts';
import { phraseOf } from './phrase.ts';
import { adviseUnion, type UnionOutcome } from './union.ts';

/** More help nobody, and each costs memory. */
const MAX_ISSUES = 50;
const MAX_CANDIDATES = 3;

type Params = Readonly<Record<string, unknown>>;

/**
 * Turns a JSON pointer of Ajv into steps; only the value knows which parts are array indices. `isLost` where the pointer leads
 * to nothing: beside `unevaluatedItems`, Ajv counts from what it has not set. Then steps and value are those of the last thing there is.
 */
function follow(value: JsonValue, pointer: string): { steps: PathStep[]; value: JsonValue; isLost: boolean } {
  const steps: PathStep[] = [];
  let node = value;
  if (pointer !== '') {
    for (const part of pointer.slice(1).split('/')) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return { steps, value: node, isLost: true };
      steps.push(Array.isArray(node) ? Number(key) : key);
      node = (node as Readonly<Record<string, JsonValue>>)[key] as JsonValue;
    }
  }
  return { steps, value: node, isLost: false };
}

function quoted(path: string): string {
  return path.includes('"') ? path : `"${path}"`;
}

/** Collects issues about one value, in the order in which Ajv found them, without repetitions. */
class Collector {
  readonly issues: SchemaIssue[] = [];
  private readonly messages = new Set<string>();

  add(issue: SchemaIssue): void {
    if (this.issues.length >= MAX_ISSUES || this.messages.has(issue.message)) return;
    this.messages.add(issue.message);
    this.issues.push(issue);
  }

  all(errors: readonly ErrorObject[], root: JsonValue, above: readonly PathStep[]): void {
    for (const error of errors) {
      if (this.issues.length >= MAX_ISSUES) return;
      if (isNoise(error, errors)) continue;
      const at = follow(root, error.instancePath);
      if (at.isLost) this.add(issueAt([...above, ...at.steps], 'does not fit the schema', 'a value that fits the schema', preview(at.value)));
      else this.one(error, at.value, [...above, ...at.steps]);
    }
  }

  private one(error: ErrorObject, value: JsonValue, steps: readonly PathStep[]): void {
    const params = error.params as Params;
    const received = preview(value);
    const phrase = phraseOf(error);
    if (error.propertyName !== undefined) {
      const name = quoteKey(error.propertyName);
      const wish = phrase === undefined ? 'be allowed' : `${phrase.verb} ${phrase.expected}`;
      this.add({ ...issueAt(steps, '', phrase?.expected ?? 'another name', name), message: `property name ${name} must ${wish}` });
      return;
    }
    if (phrase !== undefined) {
      const verb = phrase.verb === 'not match' ? 'not match' : phrase.verb;
      this.add(issueAt(steps, `must ${verb} ${phrase.expected}, received ${received}`, phrase.expected, received));
      return;
    }
    switch (error.keyword) {
      case 'required':
      case 'dependentRequired':
      case 'dependencies':
        { this.missing(error, String(params['missingProperty']), steps); return; }
      case 'additionalProperties':
        { this.unknown(error, String(params['additionalProperty']), value, steps); return; }
      case 'unevaluatedProperties':
        { this.unknown(error, String(params['unevaluatedProperty']), value, steps); return; }
      case 'anyOf':
      case 'oneOf':
        { this.union(error, value, steps); return; }
      case 'false schema':
        { this.add(issueAt(steps, 'is not allowed here; leave it out', 'nothing', received)); return; }
      default:
        this.add(issueAt(steps, `does not fit the schema ("${error.keyword}"), received ${received}`, error.keyword, received));
    }
  }

  private missing(error: ErrorObject, name: string, steps: readonly PathStep[]): void {
    const path = formatPath([...steps, name]);
    const trigger = (error.params as Params)['property'];
    const cause = typeof trigger === 'string' ? ` (it goes with ${quoteKey(trigger)})` : '';
    this.add({ path, message: `missing required property ${quoted(path)}${cause}`, expected: 'a value', received: 'nothing' });
  }

  private unknown(error: ErrorObject, name: string, value: JsonValue, steps: readonly PathStep[]): void {
    const properties = (error.parentSchema as { properties?: object } | undefined)?.properties;
    const received = (value as Readonly<Record<string, JsonValue>> | undefined)?.[name];
    this.add(unknownProperty(steps, name, Object.keys(properties ?? {}), received));
  }

  private union(error: ErrorObject, value: JsonValue, steps: readonly PathStep[]): void {
    const received = preview(value);
    const outcome = error.params as Partial<UnionOutcome>;
    if (outcome.branches === undefined) {
      this.add(issueAt(steps, `must match one of the alternatives, received ${received}`, 'one of the alternatives', received));
      return;
    }
    const count = outcome.branches.length;
    const advice = adviseUnion({ branches: outcome.branches });
    switch (advice.kind) {
      case 'branch':
        { this.all(advice.errors, value, steps); return; }
      case 'expected': {
        const at = follow(value, advice.pointer);
        const shown = preview(at.value);
        this.add(issueAt([...steps, ...at.steps], `must be ${advice.expected}, received ${shown}`, advice.expected, shown)); return;
      }
      case 'several': {
        const text = `must match exactly one of ${count} alternatives, but matches number ${advice.numbers.join(' and ')}`;
        this.add(issueAt(steps, text, 'exactly one alternative', received)); return;
      }
      case 'list': {
        const texts = advice.candidates.slice(0, MAX_CANDIDATES).map(({ number, errors }) => {
          const inner = new Collector();
          inner.all(errors, value, steps);
          return `(${number}) ${inner.issues[0]?.message ?? 'does not fit'}`;
        });
        const more = advice.candidates.length > MAX_CANDIDATES ? '; …' : '';
        const text = `must match one of ${count} alternatives, received ${received}: ${texts.join('; ')}${more}`;
        this.add(issueAt(steps, text, `one of ${count} alternatives`, received)); return;
      }
    }
  }
}

/** Errors that only repeat, in vaguer words, what another error says. */
function isNoise(error: ErrorObject, all: readonly ErrorObject[]): boolean {
  if (error.keyword === 'if') return all.some((other) => other !== error && other.instancePath.startsWith(error.instancePath));
  if (error.keyword === 'propertyNames') return all.some((other) => other.propertyName === (error.params as Params)['propertyName']);
  if (error.keyword === 'pattern') return all.some((other) => other.keyword === 'format' && other.instancePath === error.instancePath);
  return error.schemaPath.includes('/contains/');
}

/** Puts errors of Ajv into words. */
export function issuesOf(errors: readonly ErrorObject[], value: JsonValue): readonly SchemaIssue[] {
  const collector = new Collector();
  collector.all(errors, value, []);
  if (collector.issues.length === 0) {
    collector.add(issueAt([], 'does not fit the schema', 'a value that fits the schema', preview(value)));
  }
  return collector.issues;
}
