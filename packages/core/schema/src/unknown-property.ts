import { closestName } from './closest.ts';
import type { SchemaIssue } from './issue.ts';
import { formatPath, quoteKey, type PathStep } from './path.ts';
import { preview } from './preview.ts';

const MAX_NAMES = 8;

function advice(name: string, known: readonly string[]): string {
  const near = closestName(name, known);
  if (near !== undefined) return `did you mean ${quoteKey(near)}?`;
  if (known.length === 0) return 'leave it out';
  const shown = known.slice(0, MAX_NAMES).map(quoteKey).join(', ');
  return `known are ${shown}${known.length > MAX_NAMES ? ', …' : ''}`;
}

/** The issue of a property that a closed object does not have, with the name that was probably meant. */
export function unknownProperty(steps: readonly PathStep[], name: string, known: readonly string[], value: unknown): SchemaIssue {
  const path = formatPath([...steps, name]);
  const subject = path.includes('"') ? path : `"${path}"`;
  const received = preview(value);
  const message = `${subject} is not a known property, received ${received}; ${advice(name, known)}`;
  return { path, message, expected: 'a known property', received };
}
