import type { JsonObject, JsonValue } from '../json.ts';
import type { CheckedSchema } from './check.ts';

/** Whether each value that a schema accepts is an object. Says false where that cannot be seen from its form. */
export function acceptsOnlyObjects({ json, targets }: CheckedSchema): boolean {
  const known = new Map<JsonObject, boolean>();
  const isObjects = (node: JsonValue | undefined): boolean => {
    if (node === false) return true;
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return false;
    const schema = node as JsonObject;
    let answer = known.get(schema);
    if (answer === undefined) {
      const { type, allOf, anyOf, oneOf } = schema as Readonly<Record<string, readonly JsonValue[] | string | undefined>>;
      answer =
        (type !== undefined && [type].flat().every((name) => name === 'object')) ||
        (targets.has(schema) && isObjects(targets.get(schema))) ||
        (Array.isArray(allOf) && allOf.some(isObjects)) ||
        (Array.isArray(anyOf) && anyOf.every(isObjects)) ||
        (Array.isArray(oneOf) && oneOf.every(isObjects));
      known.set(schema, answer);
    }
    return answer;
  };
  return isObjects(json);
}
