import type { CompletedCards } from '@sluice/core-tools';
import { contentLines } from './content.ts';
import type { DrawnCard } from './drawn-card.ts';
import { numbered } from './search.ts';

export type ReadCard = CompletedCards['read'] & { readonly title: string };

/** The lines that were read, numbered, and how many there are in all. */
export function drawRead({ title, path, offset, lines, totalLines, content = [] }: ReadCard): DrawnCard {
  const where = title.includes(path) ? '' : `${path}, `;
  const which = lines.length === 0 ? 'no lines' : lines.length === totalLines ? `${totalLines} lines` : `lines ${offset} to ${offset + lines.length - 1} of ${totalLines}`;
  return {
    head: [{ text: title }],
    body: [{ text: where + which, tone: 'dim' }, ...lines.map(({ number, text }) => numbered(number, text)), ...contentLines(content)],
  };
}
