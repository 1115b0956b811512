import type { JsonObject, JsonValue } from '../json.ts';

const IN_PLACE_LISTS = ['allOf', 'anyOf', 'oneOf'];
const IN_PLACE_SCHEMAS = ['not', 'if', 'then', 'else'];
const IN_PLACE_MAPS = ['dependentSchemas', 'dependencies'];

/** The schemas that apply to the same value as `node` itself. */
export function inPlaceSchemas(node: JsonObject, targets: ReadonlyMap<JsonObject, JsonValue>): JsonObject[] {
  const found: (JsonValue | undefined)[] = [targets.get(node)];
  for (const keyword of IN_PLACE_LISTS) found.push(...((node[keyword] as readonly JsonValue[] | undefined) ?? []));
  for (const keyword of IN_PLACE_SCHEMAS) found.push(node[keyword]);
  for (const keyword of IN_PLACE_MAPS) found.push(...Object.values((node[keyword] as JsonObject | undefined) ?? {}));
  return found.filter((item): item is JsonObject => typeof item === 'object' && item !== null && !Array.isArray(item));
}

/**
 * Finds a schema that applies itself to the same value again, so that checking would never end.
 * @returns the text of a reference on the cycle, or undefined.
 */
export function endlessReference(
  nodes: Iterable<JsonObject>,
  targets: ReadonlyMap<JsonObject, JsonValue>,
): string | undefined {
  const done = new Set<JsonObject>();
  for (const start of nodes) {
    if (done.has(start) || !targets.has(start)) continue;
    const active = new Set<JsonObject>();
    const stack: { node: JsonObject; rest: JsonObject[] }[] = [{ node: start, rest: inPlaceSchemas(start, targets) }];
    active.add(start);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.rest.pop();
      if (next === undefined) {
        active.delete(top.node);
        done.add(top.node);
        stack.pop();
      } else if (active.has(next)) {
        const onCycle = stack.findLast(({ node }) => targets.has(node))?.node ?? next;
        return (onCycle['$ref'] ?? onCycle['$dynamicRef']) as string;
      } else if (!done.has(next)) {
        active.add(next);
        stack.push({ node: next, rest: inPlaceSchemas(next, targets) });
      }
    }
  }
  return undefined;
}
