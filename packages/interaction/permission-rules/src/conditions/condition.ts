import type { JsonValue } from '@sluice/core-tools';

/** A condition, ready to judge. The two differ where a value cannot be read with certainty: only the second is then true. */
export interface Judge {
  /** For an allow. */
  surely(value: JsonValue): boolean;
  /** For an ask or a deny. */
  possibly(value: JsonValue): boolean;
}

const MAX_TEXTS = 10_000;

/**
 * The texts in a value of whatever kind, for conditions about a text: a list of words also as one text, as a command is
 * sometimes given. Undefined when there are too many to look at.
 */
export function textsIn(value: JsonValue): readonly string[] | undefined {
  if (typeof value === 'string') return [value];
  const texts: string[] = [];
  const open: JsonValue[] = [value];
  for (let current = open.pop(); current !== undefined; current = open.pop()) {
    if (texts.length + open.length > MAX_TEXTS) return undefined;
    if (typeof current !== 'object' || current === null) {
      texts.push(String(current));
      continue;
    }
    const members: JsonValue[] = Object.values(current);
    if (members.length > MAX_TEXTS) return undefined;
    if (Array.isArray(current) && members.every(isPrimitive)) texts.push(members.map(String).join(' '));
    open.push(...members);
  }
  return texts;
}

function isPrimitive(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}

/** Whether any text in the value fits; true when there are too many to tell. */
export function anyText(value: JsonValue, fits: (text: string) => boolean): boolean {
  const texts = textsIn(value);
  return texts === undefined || texts.some(fits);
}
