import { SluiceError } from '@sluice/core-schema';
import type { Restriction } from '../types.ts';
import { closestNames, RESERVED_NAME } from './name.ts';
import { namePattern } from './name-pattern.ts';

export interface CompiledRestriction {
  admits(name: string): boolean;
}

/** Copies the lists, so that the caller's arrays may change afterwards. @throws SluiceError `INVALID_RESTRICTION`, TypeError */
export function compileRestriction(restriction: Restriction): CompiledRestriction & { readonly exactNames: readonly string[] } {
  if (typeof restriction !== 'object' || (restriction as unknown) === null) {
    throw new TypeError('core-tools: restrict() takes { allow?: string[], deny?: string[] }');
  }
  const allow = list(restriction.allow, 'allow');
  const deny = list(restriction.deny, 'deny');
  if (allow === undefined && deny === undefined) {
    throw invalid('restrict() needs allow or deny; an empty allow list hides every inherited tool');
  }
  const named = [...(allow ?? []), ...(deny ?? [])];
  if (named.includes(RESERVED_NAME)) {
    throw invalid(`"${RESERVED_NAME}" is the transport of code mode and cannot be restricted; choose a presentation mode instead`);
  }
  const allowed = allow === undefined ? undefined : matcher(allow);
  const denied = matcher(deny ?? []);
  return {
    admits: (name) => (allowed === undefined || allowed(name)) && !denied(name),
    exactNames: named.filter((name) => !name.includes('*')),
  };
}

/** An exact name that the scope does not inherit is a typing error, not a rule. @throws SluiceError `INVALID_RESTRICTION` */
export function assertKnown(exactNames: readonly string[], inherited: ReadonlySet<string>): void {
  const unknown = exactNames.filter((name) => !inherited.has(name));
  if (unknown.length === 0) return;
  const known = [...inherited].sort();
  const shown = known.length === 0 ? '(none)' : known.slice(0, 40).join(', ') + (known.length > 40 ? ', …' : '');
  const near = unknown.flatMap((name) => closestNames(name, known));
  throw invalid(
    `restrict() names ${unknown.map((name) => JSON.stringify(name)).join(', ')}, which this scope does not inherit` +
      `${near.length > 0 ? `; did you mean ${near.join(' or ')}?` : ''} (inherited: ${shown})`,
  );
}

function list(names: unknown, key: string): readonly string[] | undefined {
  if (names === undefined) return undefined;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string' && name !== '')) {
    throw new TypeError(`core-tools: restrict().${key} must be an array of tool names or patterns`);
  }
  return [...(names as string[])];
}

function matcher(names: readonly string[]): (name: string) => boolean {
  const exact = new Set(names.filter((name) => !name.includes('*')));
  const patterns = names.filter((name) => name.includes('*')).map(namePattern);
  return (name) => exact.has(name) || patterns.some((matches) => matches(name));
}

function invalid(message: string): SluiceError {
  return new SluiceError('INVALID_RESTRICTION', `core-tools: ${message}`);
}
