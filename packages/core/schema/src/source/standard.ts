import { SluiceError } from '../errors.ts';
import { preview } from '../preview.ts';

/** The part of a Standard JSON Schema object that is used: https://standardschema.dev, `~standard.jsonSchema`. */
interface StandardProps {
  readonly vendor?: unknown;
  readonly jsonSchema?: { readonly input?: unknown };
}

const WAYS: Readonly<Record<string, string>> = {
  valibot: 'wrap it with toStandardJsonSchema of @valibot/to-json-schema',
  zod: 'use zod 4.2 or later',
  arktype: 'use arktype 2.1.28 or later',
};

/** The `~standard` member of a schema object of zod, valibot, arktype and their like; undefined for anything else. */
export function standardOf(source: object): StandardProps | undefined {
  const standard: unknown = (source as { '~standard'?: unknown })['~standard'];
  return typeof standard === 'object' && standard !== null ? standard : undefined;
}

/**
 * Asks a schema object for the JSON Schema of its input.
 * @throws SluiceError `INVALID_SCHEMA` when it has none.
 */
export function convertStandard(standard: StandardProps, label: string): unknown {
  const vendor = typeof standard.vendor === 'string' ? standard.vendor : 'its library';
  const convert = standard.jsonSchema?.input;
  if (typeof convert !== 'function') {
    const way = WAYS[vendor] ?? 'pass a schema that has "~standard.jsonSchema"';
    throw new SluiceError('INVALID_SCHEMA', `${label}: this schema of ${vendor} cannot be turned into JSON Schema; ${way}`);
  }
  try {
    return (convert as (options: { target: string }) => unknown).call(standard.jsonSchema, { target: 'draft-2020-12' });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : preview(cause);
    const text = `${label}: ${vendor} cannot express this schema as JSON Schema: ${reason}; use types that JSON has`;
    throw new SluiceError('INVALID_SCHEMA', text, { cause });
  }
}
