import type { ContentBlock, JsonValue } from '@sluice/core-tools';
import { linesOf, type Line } from '../text/line.ts';
import { contentLines } from './content.ts';
import type { DrawnCard } from './drawn-card.ts';
import { locationLines, type Locations } from './locations.ts';
import { compactJson } from './json.ts';

export interface GenericCard {
  readonly title: string;
  /** Arguments; text, such as a program, is drawn line by line. */
  readonly rawInput?: JsonValue;
  readonly content?: readonly ContentBlock[];
  readonly locations?: Locations;
}

/** The card for everything that has none of its own. Arguments stand beside a title that is the tool's bare name. */
export function drawGeneric({ title, rawInput, content = [], locations = [] }: GenericCard, toolName: string): DrawnCard {
  const isBare = title === toolName && typeof rawInput === 'object' && rawInput !== null && Object.keys(rawInput).length > 0;
  const program: Line[] = typeof rawInput === 'string' ? linesOf(rawInput, { tone: 'dim' }) : [];
  return {
    head: [{ text: isBare ? `${title} ${compactJson(rawInput)}` : title }],
    input: program,
    body: [...locationLines(locations), ...contentLines(content)],
  };
}
