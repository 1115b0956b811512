import type { CompletedCards, ToolResultView } from '@sluice/core-tools';
import type { Changes } from './changes.ts';

const whole = { type: 'integer', minimum: 0 } as const;
const text = { type: 'string' } as const;

/** Properties of the values of both tools that change files. */
export const changeProperties = {
  linesAdded: whole,
  linesRemoved: whole,
  ranges: {
    type: 'array',
    description: 'Lines that are new or changed, from 1; last is before first where lines were removed only.',
    items: { type: 'object', additionalProperties: false, required: ['first', 'last'], properties: { first: whole, last: whole } },
  },
  hunks: {
    type: 'array',
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['oldStart', 'newStart', 'oldText', 'newText'],
      properties: { oldStart: whole, newStart: whole, oldText: text, newText: text },
    },
  },
  placesOmitted: { ...whole, description: 'Changed places that are in no hunk.' },
} as const;

export const changeKeys = ['linesAdded', 'linesRemoved', 'ranges', 'hunks', 'placesOmitted'] as const;

/** What a replayed card needs of the value. */
export function changeMeta({ hunks, placesOmitted, linesAdded, linesRemoved }: Omit<Changes, 'ranges'>): object {
  return { hunks, placesOmitted, linesAdded, linesRemoved };
}

/** The card of a change; undefined if the meta is not one of ours. */
export function diffCard(title: string, path: string, meta: unknown): ToolResultView | undefined {
  const { hunks, placesOmitted, linesAdded, linesRemoved } = (meta ?? {}) as Partial<Record<keyof Changes, unknown>>;
  if (!Array.isArray(hunks)) return undefined;
  const diffs = hunks.flatMap((hunk: unknown): CompletedCards['diff']['diffs'][number][] => {
    const { oldText, newText } = (hunk ?? {}) as { oldText?: unknown; newText?: unknown };
    return typeof oldText === 'string' && typeof newText === 'string' ? [{ path, oldText, newText }] : [];
  });
  const left = typeof placesOmitted === 'number' && placesOmitted > 0 ? `, ${placesOmitted} not shown` : '';
  return { card: 'diff', title: `${title} (+${String(linesAdded)} -${String(linesRemoved)}${left})`, diffs };
}
