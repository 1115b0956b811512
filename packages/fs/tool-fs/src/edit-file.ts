import { defineTool, ToolError, type Context, type InferInput, type ToolDefinition } from '@sluice/core-tools';
import { fileSystemFor, FsError, isFsError, type FsSpan, type FsText } from '@sluice/fs';
import type { ToolFsConfig } from './config.ts';
import { changesOf } from './diff/changes.ts';
import { snippet, tally } from './diff/render.ts';
import { changeKeys, changeMeta, changeProperties, diffCard } from './diff/schema.ts';
import { matchesOf, type Match } from './edit/match.ts';
import { nearMiss } from './edit/near-miss.ts';
import { NearestEnding } from './edit/newlines.ts';
import { spanFor } from './edit/replacement.ts';
import { counted, numbered, shownName } from './shown.ts';

const text = { type: 'string' } as const;
const whole = { type: 'integer', minimum: 0 } as const;

const parameters = {
  type: 'object',
  additionalProperties: false,
  required: ['path', 'old', 'new'],
  properties: {
    path: { ...text, minLength: 1, description: 'Relative to the workspace, or absolute inside it.' },
    old: { ...text, minLength: 1, description: 'The exact text to replace, white space included, without line numbers. Must be in the file once, unless all is true.' },
    new: { ...text, description: 'What to put there, literally; empty removes it.' },
    all: { type: 'boolean', description: 'Replace every occurrence. Default false.' },
  },
} as const;

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['path', 'version', 'size', 'replacements', ...changeKeys],
  properties: { path: text, version: text, size: whole, replacements: whole, ...changeProperties },
} as const;

export type EditValue = InferInput<typeof schema>;

/** `edit_file`: replaces text that is in a file exactly as given, and nothing else. */
export function editFileTool(ctx: Context, config: ToolFsConfig): ToolDefinition {
  return defineTool({
    name: 'edit_file',
    description:
      'Replaces a piece of text in a file. The old text must be in it exactly, and only once unless all is true; all other bytes stay as they are, ' +
      'line endings, encoding and byte order mark included. Shows how the place reads afterwards.',
    parameters,
    output: {
      schema,
      render: (_args, value) => [{ type: 'text', text: renderEdit(value, config) }],
      presentationMeta: (_args, value) => changeMeta(value),
    },
    annotations: { title: 'Edit file', readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    locks: async ({ path }) => ({ write: [(await ctx.fs.resolve(path)).key] }),
    async execute({ path, old, new: replacement, all = false }, exec): Promise<EditValue> {
      const { signal } = exec;
      const fs = fileSystemFor(ctx, exec);
      const file = await fs.readText(path, { signal }).catch((error: unknown) => { throw isFsError(error) ? asEdit(error, path) : error; });
      const matches = theMatches(file, path, old, all);
      const spans = spansOf(file.text, matches, replacement);
      if (spans.length === 0) {
        throw new ToolError(`cannot edit ${JSON.stringify(path)}: the new text is what is there already`, { code: 'EDIT_NO_CHANGE', hint: 'Nothing was written. If that is what you want, go on.' });
      }
      const written = await fs.edit(path, spans, { ifVersion: file.version, signal });
      const changes = changesOf(file.text, spans, config.maxCardChars);
      return { path: written.path, version: written.version, size: written.size, replacements: spans.length, ...changes };
    },
    presentCall: ({ path, old, new: replacement }) => ({ card: 'diff', title: `Edit ${path}`, diffs: [{ path, oldText: old, newText: replacement }], locations: [{ path }] }),
    presentResult: ({ path }, { isError, meta }) => (isError ? undefined : diffCard(`Edited ${path}`, path, meta)),
  });
}

/** Words of an edit for what went wrong in reading. */
function asEdit(error: FsError, path: string): FsError {
  if (error.code === 'FS_CANCELLED') return error;
  const hint = error.code === 'FS_NOT_FOUND' ? 'Check the spelling, or use write_file to make a new file.' : error.code === 'FS_TOO_LARGE' ? 'It is too large to be edited.' : undefined;
  return new FsError(error.code, path, { operation: 'edit', cause: error, ...(hint === undefined ? {} : { hint }) });
}

function theMatches({ text: content }: FsText, path: string, old: string, all: boolean): readonly Match[] {
  const { found, overlaps } = matchesOf(content, old);
  if (found.length === 0) throw notFound(content, path, old);
  if (!all && (found.length > 1 || overlaps)) {
    const places = found.slice(0, 10).map(({ start }) => lineAt(content, start));
    const [only] = found;
    const where = found.length === 1 ? `overlapping itself in line ${lineAt(content, only?.start ?? 0)}` : `in lines ${places.join(', ')}${found.length > 10 ? ', …' : ''}`;
    throw new ToolError(`cannot edit ${JSON.stringify(path)}: it contains the old text ${found.length === 1 ? 'more than once' : `${found.length} times`}, ${where}`, {
      code: 'EDIT_MANY_MATCHES',
      hint: 'Nothing was written. Give old with more of the lines around it, so that it is there only once, or set all to true to replace every one.',
    });
  }
  return found;
}

function spansOf(content: string, matches: readonly Match[], replacement: string): FsSpan[] {
  const nearest = new NearestEnding(content);
  return matches.flatMap((match) => spanFor(content, match, replacement, nearest) ?? []);
}

/** Never a guess: what is closest is shown, not changed. */
function notFound(content: string, path: string, old: string): ToolError {
  const message = `cannot edit ${JSON.stringify(path)}: it does not contain the old text`;
  const close = nearMiss(content, old);
  const hint = content === '' ? 'Nothing was written. The file is empty; use write_file.' : 'Nothing was written. Read the file again and give old exactly as it is there, without line numbers.';
  if (close === undefined) return new ToolError(message, { code: 'EDIT_NO_MATCH', hint });
  const rows = close.lines.map((line, i) => numbered(line.length > 500 ? `${line.slice(0, 499)}…` : line, close.firstLine + i));
  const heading = close.onlyIn === undefined ? 'The closest lines are:' : `The closest lines differ from it only in ${close.onlyIn}:`;
  const shown = [`${message}. ${heading}`, ...rows, hint].join('\n');
  return new ToolError(message, { code: 'EDIT_NO_MATCH', hint, content: [{ type: 'text', text: shown }] });
}

function lineAt(content: string, place: number): number {
  let line = 1;
  for (let at = content.indexOf('\n'); at >= 0 && at < place; at = content.indexOf('\n', at + 1)) line += 1;
  return line;
}

function renderEdit(value: EditValue, { lineNumbers }: ToolFsConfig): string {
  const { path, replacements } = value;
  const heading = `${shownName(path)}: replaced ${counted(replacements, 'place')} (${tally(value)})`;
  return [heading, ...snippet(value, lineNumbers)].join('\n');
}
