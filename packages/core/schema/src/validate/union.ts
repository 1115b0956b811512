import type { ErrorObject } from 'ajv';
import type { JsonValue } from '../json.ts';
import { literals, orList, typeNames } from './phrase.ts';

/** What the explaining validator says about a failed `anyOf` or `oneOf`. */
export interface UnionOutcome {
  /** Errors of each branch; undefined for a branch that matches. */
  readonly branches: readonly (readonly ErrorObject[] | undefined)[];
}

/** How to put a failed union into words. */
export type UnionAdvice =
  /** One branch is what was meant: report what is wrong with it. */
  | { kind: 'branch'; errors: readonly ErrorObject[] }
  /** All branches together ask for something short, at the union itself or at one property of it. */
  | { kind: 'expected'; pointer: string; expected: string }
  /** `oneOf` matched more than once. */
  | { kind: 'several'; numbers: readonly number[] }
  /** The branches that may have been meant, each with its errors. */
  | { kind: 'list'; candidates: readonly { number: number; errors: readonly ErrorObject[] }[] };

const LITERAL = new Set(['const', 'enum']);

function allowedBy(error: ErrorObject): readonly JsonValue[] {
  const params = error.params as { allowedValue?: JsonValue; allowedValues?: readonly JsonValue[] };
  return error.keyword === 'const' ? [params.allowedValue as JsonValue] : (params.allowedValues ?? []);
}

function isAboutKind(error: ErrorObject): boolean {
  return error.instancePath === '' && (error.keyword === 'type' || LITERAL.has(error.keyword));
}

/** A property whose fixed value tells the branches apart, such as `kind`. */
function isTag(error: ErrorObject): boolean {
  return LITERAL.has(error.keyword) && /^\/[^/]+$/.test(error.instancePath);
}

/** `a string, null or one of "a", "b"`, when no branch asks for more than that. */
function mergedKinds(branches: readonly (readonly ErrorObject[])[]): string | undefined {
  const types = new Set<string>();
  const values: JsonValue[] = [];
  for (const errors of branches) {
    // A literal with a type, as TypeBox writes it, fails twice: the literal says it all.
    const literal = errors.find((error) => LITERAL.has(error.keyword));
    if (!errors.every(isAboutKind)) return undefined;
    if (literal !== undefined) values.push(...allowedBy(literal));
    else for (const error of errors) [(error.params as { type: string | string[] }).type].flat().forEach((type) => types.add(type));
  }
  const parts = types.size > 0 ? [typeNames([...types])] : [];
  if (values.length > 0) parts.push(literals(values));
  return orList(parts);
}

/** Decides which words about a failed union help most. Positions in the result are relative to the union's value. */
export function adviseUnion({ branches }: UnionOutcome): UnionAdvice {
  const matching = branches.flatMap((errors, index) => (errors === undefined ? [index + 1] : []));
  if (matching.length > 0) return { kind: 'several', numbers: matching };
  // A branch without errors that does not match is `false`: nobody meant it.
  const failed = branches.map((errors, index) => ({ number: index + 1, errors: errors ?? [] })).filter(({ errors }) => errors.length > 0);

  const merged = mergedKinds(failed.map(({ errors }) => errors));
  if (merged !== undefined) return { kind: 'expected', pointer: '', expected: merged };

  const ofKind = failed.filter(({ errors }) => !errors.some(isAboutKind));
  if (ofKind.length === 0) {
    const types = failed.flatMap(({ errors }) => errors.filter((error) => error.instancePath === '' && error.keyword === 'type'));
    const names = types.flatMap((error) => [(error.params as { type: string | string[] }).type].flat());
    if (names.length > 0) return { kind: 'expected', pointer: '', expected: typeNames([...new Set(names)]) };
  }
  if (ofKind.length === 1 && ofKind[0] !== undefined) return { kind: 'branch', errors: ofKind[0].errors };

  const tagged = ofKind.filter(({ errors }) => !errors.some(isTag));
  if (tagged.length === 1 && tagged[0] !== undefined) return { kind: 'branch', errors: tagged[0].errors };
  if (tagged.length === 0) {
    const tags = ofKind.map(({ errors }) => errors.find(isTag)).filter((error) => error !== undefined);
    const pointer = tags[0]?.instancePath;
    if (pointer !== undefined && tags.every((error) => error.instancePath === pointer)) {
      return { kind: 'expected', pointer, expected: literals(tags.flatMap(allowedBy)) };
    }
  }
  return { kind: 'list', candidates: tagged.length > 0 ? tagged : ofKind.length > 0 ? ofKind : failed };
}
