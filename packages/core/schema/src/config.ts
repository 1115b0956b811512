import { compileSchema } from './compile.ts';
import { SluiceError } from './errors.ts';
import { describeIssues } from './issue.ts';
import type { JsonValue } from './json.ts';
import { preview } from './preview.ts';

/** Checks a plugin's config and applies the schema's defaults into a fresh object. */
export function resolveConfig(schema: object | undefined, value: unknown, label: string): object {
  if (schema === undefined) {
    if (value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)) return {};
    throw new SluiceError('INVALID_CONFIG', `${label}: takes no config, received ${preview(value)}`);
  }
  const properties = (schema as { properties?: Record<string, { default?: unknown }> }).properties ?? {};
  const config: Record<string, unknown> = { ...(value as object | undefined) };
  for (const [key, property] of Object.entries(properties)) {
    if (config[key] === undefined && property.default !== undefined) config[key] = structuredClone(property.default);
  }
  const unknown = Object.keys(config).find((key) => !(key in properties));
  if (unknown !== undefined) throw new SluiceError('INVALID_CONFIG', `${label}: "${unknown}" is not a known option`);
  const issues = compileSchema(schema, { origin: 'own', label }).validate(config as JsonValue);
  if (issues.length > 0) throw new SluiceError('INVALID_CONFIG', `${label}: ${describeIssues(issues, 'config')}`);
  return config;
}
