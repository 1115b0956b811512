import type { Row, Tone } from './line.ts';

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
