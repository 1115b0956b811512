import type { JsonObject, JsonValue } from './json.ts';

/** JSON text with sorted keys: equal values give equal texts. */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map((item) => canonicalJson(item)).join(',')}]`;
  const record = value as JsonObject;
  return `{${Object.keys(record)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(record[key] as JsonValue)}`)
    .join(',')}}`;
}
