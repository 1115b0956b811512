import type { CardLocation } from '@sluice/core-tools';
import type { Line } from '../text/line.ts';
import type { DrawnCard } from './drawn-card.ts';

export type Locations = readonly CardLocation[];

export function locationLines(locations: Locations): Line[] {
  return locations.map(({ path, line }) => ({ text: line === undefined ? path : `${path}:${line}`, prefix: 'at ', continued: '   ' }));
}

export function drawLocations({ title, locations }: { readonly title: string; readonly locations: Locations }): DrawnCard {
  return { head: [{ text: title }], body: locationLines(locations) };
}
