import type { JsonObject, JsonValue } from '../json.ts';

/** Types by their name in JSON Schema. */
interface Scalars {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
}

/** Schemas with a keyword that says more about the type of a value than `type` does. */
type Told =
  | { readonly const: unknown }
  | { readonly enum: unknown }
  | { readonly anyOf: unknown }
  | { readonly oneOf: unknown }
  | { readonly allOf: unknown }
  | { readonly $ref: unknown }
  | { readonly not: unknown }
  | { readonly '~unsafe': unknown };

/** Schemas without such a keyword. */
interface Plain {
  readonly const?: never;
  readonly enum?: never;
  readonly anyOf?: never;
  readonly oneOf?: never;
  readonly allOf?: never;
  readonly $ref?: never;
  readonly not?: never;
  readonly '~unsafe'?: never;
}

interface PlainOf<T> extends Plain {
  readonly type: T;
}

/** Schemas that have a type. A branch of a union or an intersection without one only checks, and adds nothing to it. */
type Typed = Told | { readonly type: unknown } | { readonly properties: unknown };

/** One property of a property map. */
type MapNode = { readonly type: string } | { readonly oneOf: readonly unknown[] };

/**
 * The type of the values that a schema source describes: arguments before they are checked, or a tool's value.
 *
 * - TypeBox: as its `Static`, except that `Readonly` is not followed and template literals are `string`.
 * - JSON Schema: `type`, `enum`, `const`, `properties`, `items`, `prefixItems`, `anyOf`, `oneOf`, `allOf` and local `$ref`s.
 *   What cannot be said in types becomes `JsonValue`.
 * - Standard Schema: its input type.
 * - A property map: `required: true` makes a property certain.
 *
 * Write literals inline, or in a `const` type parameter, so that TypeScript keeps their exact text.
 */
export type InferInput<S> =
  S extends BoxObject ? Properties<S['properties'], BoxRequired<S['properties']>, S>
  : S extends ListedObject ? Properties<S['properties'], S['required'][number], S>
  : S extends { readonly '~standard': unknown } ? StandardInput<S>
  : S extends Told | { readonly type: string | readonly string[] } ? Node<S, S>
  : S extends Readonly<Record<string, MapNode>> ? Properties<S, MapRequired<S>, S>
  : Node<S, S>;

// Written for the type checker's time: 100 tools must stay under 25,000 instantiations (scripts/check-type-cost.mjs). A check
// against a form without `infer` costs next to nothing, so the commonest forms come first; a tuple around a check costs
// fourteen; and an interface around a type (`Filled`, `List`) keeps its alias out of what an editor shows.

/** An object of TypeBox. Comes first: looking at its `required` would make TypeBox compute it. */
interface BoxObject {
  readonly '~kind': 'Object';
  readonly properties: unknown;
}

/** An ordinary object of JSON Schema. */
interface ListedObject extends PlainOf<'object'> {
  readonly properties: unknown;
  readonly required: readonly unknown[];
  readonly additionalProperties?: false | object;
}

type StandardInput<S> = S extends { readonly '~standard': { readonly types?: { readonly input: infer I } | undefined } } ? I : unknown;

/** The type of one schema. `Root` is where references look for definitions. */
type Node<S, Root> =
  S extends PlainOf<'string'> ? string
  : S extends PlainOf<'number' | 'integer'> ? number
  : S extends PlainOf<'boolean'> ? boolean
  : S extends PlainOf<'array'> ? ArrayOf<S, Root>
  : S extends PlainOf<'object'> ? ObjectOf<S, Root>
  : S extends PlainOf<'null'> ? null
  : S extends Told ? ByTelling<S, Root>
  : S extends { readonly type: readonly (infer U)[] } ? OneType<U, S, Root>
  : Untyped<S, Root>;

/** Distributes over the names in a list of types. */
type OneType<T, S, Root> = T extends keyof Scalars
  ? Scalars[T]
  : T extends 'object'
    ? ObjectOf<S, Root>
    : T extends 'array'
      ? ArrayOf<S, Root>
      : JsonValue;

type Untyped<S, Root> = S extends { readonly '~kind': 'Any' }
  ? // eslint-disable-next-line @typescript-eslint/no-explicit-any -- Type.Any() says so
    any
  : S extends { readonly '~kind': 'Unknown' }
    ? unknown
    : S extends { readonly properties: unknown }
      ? ObjectOf<S, Root>
      : JsonValue;

type ByTelling<S, Root> = S extends { readonly '~unsafe': infer T }
  ? T
  : S extends { readonly const: infer C }
    ? C
    : S extends { readonly enum: readonly (infer E)[] }
      ? E
      : S extends { readonly $ref: infer R }
        ? Referred<R, Root>
        : S extends { readonly anyOf: readonly (infer B)[] }
          ? Branch<B, Root> & Beside<S, Root>
          : S extends { readonly oneOf: readonly (infer B)[] }
            ? Branch<B, Root> & Beside<S, Root>
            : S extends { readonly allOf: readonly (infer B)[] }
              ? All<B, Root> & Beside<S, Root>
              : S extends { readonly not: infer N }
                ? [keyof N] extends [never]
                  ? never
                  : Node<Omit<S, 'not'>, Root>
                : JsonValue;

/** What stands beside a union or an intersection. */
type Beside<S, Root> = S extends { readonly properties: unknown } ? ObjectOf<S, Root> : unknown;

/** Distributes over branches. */
type Branch<B, Root> = B extends Typed ? Node<B, Root> : Leaf<B>;

type Leaf<B> = B extends { readonly '~kind': string } ? Untyped<B, B> : unknown;

/** Intersects branches: as arguments of functions, a union of them comes out as an intersection. */
type All<B, Root> = (B extends unknown ? (branch: Branch<B, Root>) => void : never) extends (all: infer I) => void ? I : never;

type Referred<R, Root> = R extends '#'
  ? Node<Root, Root>
  : R extends `#/$defs/${infer Name}`
    ? Defined<Root, '$defs', Name>
    : R extends `#/definitions/${infer Name}`
      ? Defined<Root, 'definitions', Name>
      : Defined<Root, '$defs', R>;

type Defined<Root, Where extends string, Name> = Root extends { readonly [W in Where]: infer Defs }
  ? Name extends keyof Defs
    ? Node<Defs[Name], Root>
    : JsonValue
  : JsonValue;

type ArrayOf<S, Root> = S extends { readonly prefixItems: readonly unknown[] } | { readonly items: readonly unknown[] }
  ? TupleOf<S, Root>
  : S extends { readonly items: Told }
    ? Node<S['items'], Root>[]
    : S extends { readonly items: unknown }
      ? List<Node<S['items'], Root>>['of']
      : JsonValue[];

type TupleOf<S, Root> = S extends { readonly prefixItems: infer P extends readonly unknown[] }
  ? Tuple<P, S extends { readonly items: false } ? [] : S extends { readonly items: infer I } ? Node<I, Root>[] : JsonValue[], Root>
  : S extends { readonly items: infer I extends readonly unknown[] }
    ? Tuple<I, S extends { readonly additionalItems: false } | { readonly '~kind': string } ? [] : JsonValue[], Root>
    : never;

/** An array type that TypeScript settles at once, and so knows to be the one it has seen before. */
interface List<T> {
  of: T[];
}

type Tuple<P extends readonly unknown[], Rest extends unknown[], Root> = [...{ -readonly [K in keyof P]: Node<P[K], Root> }, ...Rest];

type ObjectOf<S, Root> = S extends { readonly properties: unknown }
  ? S extends { readonly '~kind': string }
    ? Properties<S['properties'], BoxRequired<S['properties']>, Root>
    : S extends { readonly additionalProperties: true }
      ? Listed<S, Root> & JsonObject
      : Listed<S, Root>
  : Unlisted<S, Root>;

type Listed<S extends { readonly properties: unknown }, Root> = S extends { readonly required: readonly unknown[] }
  ? Properties<S['properties'], S['required'][number], Root>
  : Properties<S['properties'], MapRequired<S['properties']>, Root>;

type Unlisted<S, Root> = S extends { readonly patternProperties: infer P }
  ? Record<string, Node<P[keyof P], Root>>
  : S extends { readonly additionalProperties: infer A }
    ? A extends false
      ? Record<string, never>
      : A extends true
        ? JsonObject
        : Record<string, Node<A, Root>>
    : JsonObject;

/**
 * Marks first, so that each property is inferred once, and only when somebody looks at it. A property of an intersection
 * is optional only where all parts say so.
 */
// eslint-disable-next-line @typescript-eslint/consistent-indexed-object-style -- Record costs fourteen more
type Properties<P, Required, Root> = Filled<{ [K in keyof P]?: 1 } & { [K in keyof P & Required]: 1 }, P, Root>['of'];

interface Filled<Marks, P, Root> {
  of: { -readonly [K in keyof Marks]: Node<P[K & keyof P], Root> };
}

type MapRequired<P> = { [K in keyof P]: P[K] extends { readonly required: true } ? K : never }[keyof P];

type BoxRequired<P> = { [K in keyof P]: P[K] extends { readonly '~optional': true } ? never : K }[keyof P];
