import type { CompletedCards } from '@sluice/core-tools';
import type { Line } from '../text/line.ts';
import type { DrawnCard } from './drawn-card.ts';

export type SearchCard = CompletedCards['search'] & { readonly title: string };

/** What was found, file by file, and how much of it there is. */
export function drawSearch(card: SearchCard): DrawnCard {
  const found: Line[] = card.shape === 'paths' ? card.paths.map((path) => ({ text: path })) : card.files.flatMap(fileLines);
  const what = card.shape === 'paths' ? 'path' : 'match';
  const count = `${card.total.toLocaleString('en')} ${what}${card.total === 1 ? '' : what === 'match' ? 'es' : 's'}`;
  return { head: [{ text: card.title }], body: [{ text: card.truncated ? `${count}, not all of them here` : count, tone: 'dim' }, ...found] };
}

function fileLines({ path, matches }: { readonly path: string; readonly matches: readonly { readonly lineNumber: number; readonly line: string }[] }): Line[] {
  return [{ text: path, tone: 'bold' }, ...matches.map(({ lineNumber, line }) => numbered(lineNumber, line))];
}

/** A line of a file with its number in the margin. */
export function numbered(number: number, text: string): Line {
  const margin = String(number).padStart(4);
  return { text, prefix: `${margin} `, continued: `${' '.repeat(margin.length)}┆` };
}
