import type { InferInput, SchemaSource } from '@sluice/core-schema';
import type { InferValue, ToolDefinition } from './types.ts';

const typed = Symbol.for('sluice.typed-tool');

/**
 * A tool whose arguments and value are typed from its two schemas: TypeBox, JSON Schema, Standard JSON Schema (zod, valibot,
 * arktype) or the shorthand map. Gives the definition back, frozen; nothing is checked until it is registered, except that
 * schemas of a defined tool may use no unknown keyword (a schema of a raw, foreign definition may).
 */
// Arguments and value are type parameters of their own only because that is checked in a third of the time; `NoInfer` keeps the
// body, and whoever takes the definition, from having a say in what they are.
export function defineTool<const P extends SchemaSource, const O extends SchemaSource, A = InferInput<P>, V = InferValue<O>>(
  definition: ToolDefinition<NoInfer<A>, NoInfer<V>, P, O>,
): ToolDefinition<NoInfer<A>, NoInfer<V>> {
  return Object.freeze(Object.defineProperty({ ...definition }, typed, { value: true }));
}

/** Whether a definition came from `defineTool`, of this copy of the package or another. */
export function isTyped(definition: object): boolean {
  return (definition as { [typed]?: unknown })[typed] === true;
}
