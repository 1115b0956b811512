/** How a row is painted where there is colour. Never the only sign of anything. */
export type Tone = 'plain' | 'bold' | 'dim' | 'added' | 'removed' | 'notice';

/** What fits one row of a terminal, visible through and through. */
export interface Row {
  readonly text: string;
  readonly tone: Tone;
}

const ON: Readonly<Record<Tone, string>> = {
  plain: '',
  bold: '\x1b[1m',
  dim: '\x1b[2m',
  added: '\x1b[32m',
  removed: '\x1b[31m',
  notice: '\x1b[33m',
};

/** A row for a terminal with colours; without them it is its text. */
export function painted({ text, tone }: Row, hasColours: boolean): string {
  return hasColours && ON[tone] !== '' ? `${ON[tone]}${text}\x1b[0m` : text;
}
