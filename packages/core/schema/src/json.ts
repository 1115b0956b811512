/** What JSON can say without an inner structure. */
export type JsonPrimitive = string | number | boolean | null;

/** A JSON object. Readonly, since every value that Sluice hands out is deep-frozen. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Any JSON value. Readonly, since every value that Sluice hands out is deep-frozen. */
export type JsonValue = JsonPrimitive | JsonObject | readonly JsonValue[];
