import type { FsEntry, FsProblem } from '@sluice/fs';
import { counted, shownName } from '../shown.ts';

const whole = { type: 'integer', minimum: 0 } as const;
const text = { type: 'string' } as const;
const examples = { type: 'array', items: text } as const;

/** What a search has not looked at, and why. Part of every value. */
export const notesSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['ignored', 'problems', 'binaryFiles'],
  properties: {
    ignored: {
      type: 'object',
      description: 'Entries that .gitignore files exclude and that could have matched; a directory counts once.',
      additionalProperties: false,
      required: ['count', 'examples'],
      properties: { count: whole, examples },
    },
    problems: {
      type: 'object',
      description: 'What could not be searched.',
      additionalProperties: false,
      required: ['count', 'examples'],
      properties: {
        count: whole,
        examples: { type: 'array', items: { type: 'object', additionalProperties: false, required: ['path', 'code', 'message'], properties: { path: text, code: text, message: text } } },
      },
    },
    binaryFiles: whole,
    stopped: { enum: ['time', 'entries'], description: 'Present when the search ended before it was through: of time, or of entries.' },
  },
} as const;

export interface SearchNotes {
  ignored: { count: number; examples: string[] };
  problems: { count: number; examples: { path: string; code: string; message: string }[] };
  binaryFiles: number;
  stopped?: 'time' | 'entries';
}

const MAX_EXAMPLES = 5;

export class Notes {
  readonly value: SearchNotes = { ignored: { count: 0, examples: [] }, problems: { count: 0, examples: [] }, binaryFiles: 0 };

  ignored({ path, type, isLink }: Pick<FsEntry, 'path' | 'type' | 'isLink'>): void {
    const { ignored } = this.value;
    ignored.count += 1;
    if (ignored.examples.length < MAX_EXAMPLES) ignored.examples.push(type === 'directory' && !isLink ? `${path}/` : path);
  }

  problem({ path, code, message }: Omit<FsProblem, 'code'> & { readonly code: string }): void {
    const { problems } = this.value;
    problems.count += 1;
    if (problems.examples.length < MAX_EXAMPLES) problems.examples.push({ path, code, message });
  }

  binary(): void {
    this.value.binaryFiles += 1;
  }

  stopped(why: 'time' | 'entries'): void {
    this.value.stopped ??= why;
  }
}

/** In brackets, one line each; nothing when there is nothing to say. */
export function renderNotes({ ignored, problems, binaryFiles, stopped }: SearchNotes): string[] {
  const rows: string[] = [];
  if (stopped !== undefined) rows.push(`[not all was searched: ${stopped === 'time' ? 'the time was up' : 'too many entries'}; name a directory with path, or a narrower pattern]`);
  if (ignored.count > 0) {
    const more = ignored.count > ignored.examples.length ? ', …' : '';
    rows.push(`[left out, because .gitignore says so: ${counted(ignored.count, 'entry', 'entries')} (${ignored.examples.map(shownName).join(', ')}${more}); includeIgnored: true, or naming one as path, searches them too]`);
  }
  for (const { path, message } of problems.examples) rows.push(`[not searched: ${shownName(path)}: ${message}]`);
  if (problems.count > problems.examples.length) rows.push(`[not searched: ${counted(problems.count - problems.examples.length, 'more entry', 'more entries')}]`);
  if (binaryFiles > 0) rows.push(`[${counted(binaryFiles, 'binary file')} left out]`);
  return rows;
}
