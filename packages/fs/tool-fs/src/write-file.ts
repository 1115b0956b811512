import { defineTool, type Context, type InferInput, type ToolDefinition } from '@sluice/core-tools';
import { fileSystemFor, lineEndingsOf, type FsLineEndings, type FsStat, type FsWritten } from '@sluice/fs';
import type { ToolFsConfig } from './config.ts';
import { changesOf, CONTEXT, lineCount, linesDown, linesUp, type Changes } from './diff/changes.ts';
import { compare } from './diff/compare.ts';
import { tally } from './diff/render.ts';
import { changeKeys, changeMeta, changeProperties, diffCard } from './diff/schema.ts';
import { counted, shownName } from './shown.ts';

const text = { type: 'string' } as const;
const whole = { type: 'integer', minimum: 0 } as const;

const parameters = {
  type: 'object',
  additionalProperties: false,
  required: ['path', 'content'],
  properties: {
    path: { ...text, minLength: 1, description: 'Relative to the workspace, or absolute inside it. Missing directories are made.' },
    content: { ...text, description: 'All that the file is to hold; empty empties it.' },
  },
} as const;

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['path', 'version', 'size', 'isNew', 'lines', 'notes', ...changeKeys],
  properties: {
    path: text,
    version: text,
    size: { ...whole, description: 'Bytes.' },
    isNew: { type: 'boolean' },
    lines: whole,
    notes: { type: 'array', items: text, description: 'What is not as the caller may expect.' },
    ...changeProperties,
  },
} as const;

export type WriteValue = InferInput<typeof schema>;

/** Bytes of a file that is compared with what replaces it, to show what changes. */
const MAX_COMPARED_BYTES = 4_194_304;

const NO_CHANGES: Changes = { linesAdded: 0, linesRemoved: 0, ranges: [], hunks: [], placesOmitted: 0 };

/** `write_file`: makes or replaces a file as a whole. */
export function writeFileTool(ctx: Context, config: ToolFsConfig): ToolDefinition {
  return defineTool({
    name: 'write_file',
    description: 'Writes a text file as a whole: makes it, or replaces all that is in it. To change a part of a file, use edit_file.',
    parameters,
    output: {
      schema,
      render: (_args, value) => [{ type: 'text', text: renderWrite(value) }],
      presentationMeta: (_args, value) => ({ isNew: value.isNew, ...changeMeta(value) }),
    },
    annotations: { title: 'Write file', readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    locks: async ({ path }) => ({ write: [(await ctx.fs.resolve(path)).key] }),
    async execute({ path, content }, exec): Promise<WriteValue> {
      const { signal } = exec;
      const fs = fileSystemFor(ctx, exec);
      const before = await fs.stat(path, { signal });
      // What comes in between is not lost. What is no file is refused by the write, in its own words.
      const written = await fs.write(path, content, { ifVersion: before?.version ?? null, compareUpTo: MAX_COMPARED_BYTES, signal });
      const { changes, lines, notes } = difference(written, before, content, config);
      if (written.format !== undefined && written.format.encoding !== 'utf-8') notes.push(`written as ${written.format.encoding.toUpperCase()} with a byte order mark, as it was`);
      else if (written.format?.hasBom === true) notes.push(written.replaced?.format.hasBom === true ? 'the byte order mark is kept' : 'written with a byte order mark');
      return { path: written.path, version: written.version, size: written.size, isNew: written.isNew, lines, notes, ...changes };
    },
    presentCall: ({ path, content }) => ({ card: 'diff', title: `Write ${path}`, diffs: [{ path, oldText: null, newText: content }], locations: [{ path }] }),
    presentResult({ path, content }, { isError, meta }) {
      if (isError) return undefined;
      if ((meta as { isNew?: unknown } | undefined)?.isNew !== true) return diffCard(`Wrote ${path}`, path, meta);
      return { card: 'diff', title: `Made ${path}`, diffs: [{ path, oldText: null, newText: content }] };
    },
  });
}

function difference({ isNew, replaced }: FsWritten, before: FsStat | undefined, content: string, { diffTimeoutMs, maxCardChars }: ToolFsConfig): { changes: Changes; lines: number; notes: string[] } {
  const lines = lineCount(content);
  if (isNew) return { lines, notes: [], changes: { ...NO_CHANGES, linesAdded: lines, ranges: lines === 0 ? [] : [{ first: 1, last: lines }] } };
  if (replaced?.text === undefined) {
    const why = replaced !== undefined ? 'it was no text that can be compared' : (before?.size ?? 0) > MAX_COMPARED_BYTES ? 'it was too large for a comparison' : 'it was not compared';
    return { lines, notes: [`replaced: ${why}`], changes: { ...NO_CHANGES, linesAdded: lines, placesOmitted: 1 } };
  }
  const { head, tail, text: was } = replaced;
  const after = content.startsWith('\ufeff') ? content.slice(1) : content;
  const end = after.length - tail;
  const notes: string[] = [];
  const [now, then] = [lineEndingsOf(after), endingsOf([after.slice(0, head), was, after.slice(end)])];
  if (now !== then && now !== 'none' && then !== 'none') notes.push(`line endings changed from ${then.toUpperCase()} to ${now.toUpperCase()}`);
  // Only what differs, and the lines around that are shown with it.
  const [from] = linesUp(after, head, CONTEXT);
  const to = linesDown(after, end, CONTEXT);
  const old = after.slice(from, head) + was + after.slice(end, to);
  const { spans } = compare(old, after.slice(from, to), diffTimeoutMs);
  if (spans.length === 0) notes.push('the content is what it was');
  return { lines, notes, changes: changesOf(old, spans, maxCardChars, lineCount(after.slice(0, from)) + 1) };
}

/** Of pieces that each begin a line. */
function endingsOf(pieces: readonly string[]): FsLineEndings {
  const kinds = new Set(pieces.map(lineEndingsOf));
  kinds.delete('none');
  const [only = 'none'] = kinds;
  return kinds.size > 1 ? 'mixed' : only;
}

/** The content is not told again: whoever sent it knows it. */
function renderWrite(value: WriteValue): string {
  const { path, isNew, lines, size, notes } = value;
  const size_ = `${counted(lines, 'line')}, ${counted(size, 'byte')}`;
  const heading = isNew ? `${shownName(path)}: made (${size_})` : `${shownName(path)}: replaced (${size_}; ${tally(value)})`;
  return [heading, ...notes.map((note) => `[${note}]`)].join('\n');
}
