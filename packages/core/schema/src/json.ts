/** What JSON can say without an inner structure. */
export type JsonPrimitive = string | number | boolean | null;

/** A JSON object. Readonly, since every value that Sluice hands out is deep-frozen. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Any JSON value. Readonly, since every value that Sluice hands out is deep-frozen. */
export type JsonValue = JsonPrimitive | JsonObject | readonly JsonValue[];

/** Whether a primitive survives JSON unchanged. Containers are not asked. */
export function isJsonPrimitive(value: unknown): value is string | number | boolean | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      // -0 is the only number that equals 0 and whose reciprocal is negative.
      return Number.isFinite(value) && (value !== 0 || 1 / value > 0);
    default:
      return value === null;
  }
}
