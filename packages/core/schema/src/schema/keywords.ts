/** What the value of a keyword must be. Schemas inside are walked; everything else is checked on the spot. */
export type KeywordShape =
  | 'any'
  | 'string'
  | 'boolean'
  | 'number'
  | 'positive'
  | 'count'
  | 'array'
  | 'type'
  | 'strings'
  | 'pattern'
  | 'format'
  | 'reference'
  | 'schema'
  | 'schemas'
  | 'schema-or-schemas'
  | 'schema-map'
  | 'pattern-map'
  | 'strings-map'
  | 'dependencies';

/**
 * The keywords of draft-07 and 2020-12 together: a schema may use those of both, since they never contradict each other
 * (only an array for `items`, which 2020-12 calls `prefixItems`, needs a look at `$schema`).
 */
const SHAPES: Readonly<Record<string, KeywordShape>> = {
  $schema: 'string',
  $id: 'string',
  $anchor: 'string',
  $dynamicAnchor: 'string',
  $ref: 'reference',
  $dynamicRef: 'reference',
  $defs: 'schema-map',
  definitions: 'schema-map',
  $comment: 'any',
  $vocabulary: 'any',

  title: 'string',
  description: 'string',
  default: 'any',
  examples: 'any',
  example: 'any',
  deprecated: 'boolean',
  readOnly: 'boolean',
  writeOnly: 'boolean',
  contentEncoding: 'string',
  contentMediaType: 'string',
  contentSchema: 'any',

  type: 'type',
  enum: 'array',
  const: 'any',

  multipleOf: 'positive',
  maximum: 'number',
  minimum: 'number',
  exclusiveMaximum: 'number',
  exclusiveMinimum: 'number',

  maxLength: 'count',
  minLength: 'count',
  pattern: 'pattern',
  format: 'format',

  items: 'schema-or-schemas',
  prefixItems: 'schemas',
  additionalItems: 'schema',
  unevaluatedItems: 'schema',
  contains: 'schema',
  minContains: 'count',
  maxContains: 'count',
  maxItems: 'count',
  minItems: 'count',
  uniqueItems: 'boolean',

  properties: 'schema-map',
  patternProperties: 'pattern-map',
  additionalProperties: 'schema',
  unevaluatedProperties: 'schema',
  propertyNames: 'schema',
  required: 'strings',
  maxProperties: 'count',
  minProperties: 'count',
  dependentRequired: 'strings-map',
  dependentSchemas: 'schema-map',
  dependencies: 'dependencies',

  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  if: 'schema',
  then: 'schema',
  else: 'schema',
};

const shapes = new Map(Object.entries(SHAPES));

/** The shape of a keyword's value; undefined for a keyword that JSON Schema does not know. */
export function shapeOf(keyword: string): KeywordShape | undefined {
  return shapes.get(keyword);
}

export const KEYWORDS: readonly string[] = [...shapes.keys()];

const ANNOTATIONS = new Set(
  '$schema $comment $vocabulary title description default examples example deprecated readOnly writeOnly contentEncoding contentMediaType contentSchema'.split(' '),
);

/** Whether a keyword says something about the schema, not about values. */
export function isAnnotation(keyword: string): boolean {
  return ANNOTATIONS.has(keyword) || keyword.startsWith('x-');
}

export const TYPES: readonly string[] = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'];

/** Formats that are checked. Others are annotations, as JSON Schema says, or refused where they look like a slip. */
export const CHECKED_FORMATS: readonly string[] =
  'date time date-time iso-time iso-date-time duration uri uri-reference uri-template url email hostname ipv4 ipv6 regex uuid json-pointer json-pointer-uri-fragment relative-json-pointer byte int32 int64 float double password binary'.split(
    ' ',
  );

/** Formats of the standard that nothing here checks. */
export const UNCHECKED_FORMATS: readonly string[] = ['idn-email', 'idn-hostname', 'iri', 'iri-reference'];
