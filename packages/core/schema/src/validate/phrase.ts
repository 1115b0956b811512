import type { ErrorObject } from 'ajv';
import type { JsonValue } from '../json.ts';

/** `must <verb> <expected>`. */
export interface Phrase {
  verb: 'be' | 'have' | 'match' | 'not match';
  expected: string;
}

const MAX_VALUES = 12;
const MAX_TEXT = 160;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  null: 'null',
  object: 'an object',
  array: 'an array',
};

/** A model corrects itself better from an example than from the name of a standard. */
const FORMAT_EXAMPLES: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T09:30:00Z',
  date: '2026-01-31',
  time: '09:30:00Z',
  duration: 'P3DT4H',
  email: 'name@example.com',
  hostname: 'www.example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/path',
  url: 'https://example.com/path',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
  'json-pointer': '/a/b/0',
};

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** `a, b or c`. */
export function orList(items: readonly string[]): string {
  if (items.length < 2) return items[0] ?? 'nothing';
  return `${items.slice(0, -1).join(', ')} or ${items.at(-1) ?? ''}`;
}

export function typeNames(types: readonly string[]): string {
  return orList(types.map((type) => TYPE_NAMES[type] ?? type));
}

/** Values of an enum, as many as are worth reading. */
export function valueList(values: readonly JsonValue[]): string {
  const shown = values.slice(0, MAX_VALUES).map((value) => cut(JSON.stringify(value)));
  const more = values.length - shown.length;
  return shown.join(', ') + (more > 0 ? `, … (${more} more)` : '');
}

export function literals(values: readonly JsonValue[]): string {
  return values.length === 1 ? valueList(values) : `one of ${valueList(values)}`;
}

function counted(count: unknown, one: string, many = `${one}s`): string {
  return `${String(count)} ${count === 1 ? one : many}`;
}

/** What one error of Ajv asks for, for the keywords that speak about one value. Undefined for the others. */
export function phraseOf(error: ErrorObject): Phrase | undefined {
  const params = error.params as Readonly<Record<string, unknown>>;
  const schema = error.schema as JsonValue | undefined;
  const be = (expected: string): Phrase => ({ verb: 'be', expected });
  const have = (expected: string): Phrase => ({ verb: 'have', expected });
  switch (error.keyword) {
    case 'type':
      return be(typeNames([params['type']].flat().flatMap((type) => String(type).split(','))));
    case 'enum':
      return be(literals(params['allowedValues'] as readonly JsonValue[]));
    case 'const':
      return be(literals([params['allowedValue'] as JsonValue]));
    case 'minimum':
      return be(`at least ${String(params['limit'])}`);
    case 'maximum':
      return be(`at most ${String(params['limit'])}`);
    case 'exclusiveMinimum':
      return be(`greater than ${String(params['limit'])}`);
    case 'exclusiveMaximum':
      return be(`less than ${String(params['limit'])}`);
    case 'multipleOf':
      return be(schema === undefined ? 'a multiple' : `a multiple of ${JSON.stringify(schema)}`);
    case 'minLength':
      return have(`at least ${counted(params['limit'], 'character')}`);
    case 'maxLength':
      return have(`at most ${counted(params['limit'], 'character')}`);
    case 'minItems':
      return have(`at least ${counted(params['limit'], 'item')}`);
    case 'maxItems':
    case 'items':
    case 'additionalItems':
      return have(`at most ${counted(params['limit'], 'item')}`);
    case 'unevaluatedItems':
      return have(`at most ${counted(params['limit'], 'item')}`);
    case 'minProperties':
      return have(`at least ${counted(params['limit'], 'property', 'properties')}`);
    case 'maxProperties':
      return have(`at most ${counted(params['limit'], 'property', 'properties')}`);
    case 'uniqueItems':
      return have('no two equal items');
    case 'contains':
      return have(containsText(params));
    case 'pattern':
      return { verb: 'match', expected: `the pattern ${cut(String(params['pattern']))}` };
    case 'format': {
      const name = String(params['format']);
      const example = FORMAT_EXAMPLES[name];
      return be(`in the format ${name}${example === undefined ? '' : `, such as ${JSON.stringify(example)}`}`);
    }
    case 'not':
      return { verb: 'not match', expected: schema === undefined ? 'the excluded schema' : cut(JSON.stringify(schema)) };
    default:
      return undefined;
  }
}

function containsText(params: Readonly<Record<string, unknown>>): string {
  const most = params['maxContains'] as number | undefined;
  const least = `at least ${counted(params['minContains'], 'item')}`;
  return `${most === undefined ? least : `${least} and at most ${most}`} of the wanted kind`;
}
