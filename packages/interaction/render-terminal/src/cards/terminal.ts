import { linesOf, type Line } from '../text/line.ts';
import type { DrawnCard } from './drawn-card.ts';

export interface TerminalCard {
  /** The command; may have several lines. */
  readonly title: string;
  readonly description?: string;
  readonly cwd?: string;
  readonly output?: string;
  readonly exitCode?: number;
  readonly signal?: string;
}

/** A command as it was typed, and what came of it: of its output the end matters most. */
export function drawTerminal({ title, description, cwd, output, exitCode, signal }: TerminalCard): DrawnCard {
  const head = linesOf(title).map((line, index): Line => ({ ...line, tone: 'bold', prefix: index === 0 ? '$ ' : '  ', continued: '  ' }));
  const body: Line[] = [];
  if (description !== undefined) body.push({ text: description, tone: 'dim' });
  if (cwd !== undefined) body.push({ text: `in ${cwd}`, tone: 'dim' });
  if (output !== undefined && output !== '') body.push(...linesOf(output));
  if (signal !== undefined) body.push({ text: `ended by ${signal}`, tone: 'removed' });
  else if (exitCode !== undefined) body.push({ text: `exit ${exitCode}`, tone: exitCode === 0 ? 'dim' : 'removed' });
  return { head, body, keep: 'end' };
}
