/** What `compileSchema` accepts. */
export type SchemaSource = object;

/** The type of the values that a schema source describes. */
export type InferInput<S> = S extends { readonly '~standard': { readonly types?: { readonly input: infer I } | undefined } } ? I : Shape<S>;

type Shape<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly type: 'string' }
      ? string
      : S extends { readonly type: 'number' | 'integer' }
        ? number
        : S extends { readonly type: 'boolean' }
          ? boolean
          : S extends { readonly type: 'array'; readonly items: infer I }
            ? Shape<I>[]
            : S extends { readonly properties: infer P }
              ? { [K in keyof P]?: Shape<P[K]> }
              : unknown;
