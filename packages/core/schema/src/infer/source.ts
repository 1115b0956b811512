/** What TypeBox writes on its types. Described here, so that TypeBox need not be installed. */
export interface TypeBoxSchema {
  readonly '~kind': string;
}

/** A schema of a TypeScript type that JSON Schema is only told about: `Type.Unsafe<T>(...)`. */
export interface TypeBoxUnsafeSchema {
  readonly '~unsafe': unknown;
}

/** A schema object of zod, valibot, arktype and their like: https://standardschema.dev. */
export interface StandardSource {
  readonly '~standard': object;
}

export type JsonSchemaType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'object' | 'array';

/** JSON Schema as an object literal, draft-07 or 2020-12. */
export interface JsonSchemaSource {
  readonly type?: JsonSchemaType | readonly JsonSchemaType[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchemaSource | boolean>>;
  readonly required?: readonly string[] | boolean;
  readonly additionalProperties?: JsonSchemaSource | boolean;
  readonly patternProperties?: Readonly<Record<string, JsonSchemaSource | boolean>>;
  readonly items?: JsonSchemaSource | boolean | readonly (JsonSchemaSource | boolean)[];
  readonly prefixItems?: readonly (JsonSchemaSource | boolean)[];
  readonly anyOf?: readonly (JsonSchemaSource | boolean)[];
  readonly oneOf?: readonly (JsonSchemaSource | boolean)[];
  readonly allOf?: readonly (JsonSchemaSource | boolean)[];
  readonly not?: JsonSchemaSource | boolean;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchemaSource | boolean>>;
  readonly definitions?: Readonly<Record<string, JsonSchemaSource | boolean>>;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly [keyword: string]: unknown;
}

export type SchemaSource = StandardSource | TypeBoxSchema | TypeBoxUnsafeSchema | JsonSchemaSource;
