import { defineTool, type Context, type InferInput, type ToolDefinition } from '@sluice/core-tools';
import { fileSystemFor, isFsError, lineEndingsOf, type FileSystem, type FsPrecondition, type FsText } from '@sluice/fs';
import type { ToolFsConfig } from './config.ts';
import { changesOf, lineCount, type Changes } from './diff/changes.ts';
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

/** Bytes of a file that is read before it is replaced, to show what changes. */
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
      const before = await lookBefore(fs, path, signal);
      // What the card says has been replaced is what is replaced.
      const written = await fs.write(path, content, { ifVersion: before.version, signal });
      const { changes, notes } = difference(before, content, config);
      if (written.format !== undefined && written.format.encoding !== 'utf-8') notes.push(`written as ${written.format.encoding.toUpperCase()} with a byte order mark, as it was`);
      else if (written.format?.hasBom === true) notes.push(before.file?.hasBom === true ? 'the byte order mark is kept' : 'written with a byte order mark');
      return { path: written.path, version: written.version, size: written.size, isNew: written.isNew, lines: lineCount(content), notes, ...changes };
    },
    presentCall: ({ path, content }) => ({ card: 'diff', title: `Write ${path}`, diffs: [{ path, oldText: null, newText: content }], locations: [{ path }] }),
    presentResult({ path, content }, { isError, meta }) {
      if (isError) return undefined;
      if ((meta as { isNew?: unknown } | undefined)?.isNew !== true) return diffCard(`Wrote ${path}`, path, meta);
      return { card: 'diff', title: `Made ${path}`, diffs: [{ path, oldText: null, newText: content }] };
    },
  });
}

interface Before {
  readonly version: FsPrecondition;
  /** What is there, if it is text and not too much to compare with. */
  readonly file?: FsText;
  readonly why?: string;
}

async function lookBefore(fs: FileSystem, path: string, signal: AbortSignal): Promise<Before> {
  const stat = await fs.stat(path, { signal });
  // What is no file is refused by the write, in its own words.
  if (stat === undefined) return { version: null };
  const { version } = stat;
  if (stat.type !== 'file') return { version };
  if (stat.size > MAX_COMPARED_BYTES) return { version, why: 'it was too large for a comparison' };
  try {
    return { version, file: await fs.readText(path, { ifVersion: version, signal }) };
  } catch (error) {
    if (!isFsError(error) || (error.code !== 'FS_BINARY' && error.code !== 'FS_ENCODING')) throw error;
    return { version, why: 'it was no text that can be compared' };
  }
}

function difference({ version, file, why }: Before, content: string, { diffTimeoutMs, maxCardChars }: ToolFsConfig): { changes: Changes; notes: string[] } {
  const lines = lineCount(content);
  if (version === null) return { changes: { ...NO_CHANGES, linesAdded: lines, ranges: lines === 0 ? [] : [{ first: 1, last: lines }] }, notes: [] };
  if (file === undefined) return { changes: { ...NO_CHANGES, linesAdded: lines, placesOmitted: 1 }, notes: [`replaced: ${why ?? 'not compared'}`] };
  const notes: string[] = [];
  const now = lineEndingsOf(content);
  if (now !== file.lineEndings && now !== 'none' && file.lineEndings !== 'none') notes.push(`line endings changed from ${file.lineEndings.toUpperCase()} to ${now.toUpperCase()}`);
  const after = content.startsWith('\ufeff') ? content.slice(1) : content;
  const { spans } = compare(file.text, after, diffTimeoutMs);
  if (spans.length === 0) notes.push('the content is what it was');
  return { changes: changesOf(file.text, spans, maxCardChars), notes };
}

/** The content is not told again: whoever sent it knows it. */
function renderWrite(value: WriteValue): string {
  const { path, isNew, lines, size, notes } = value;
  const size_ = `${counted(lines, 'line')}, ${counted(size, 'byte')}`;
  const heading = isNew ? `${shownName(path)}: made (${size_})` : `${shownName(path)}: replaced (${size_}; ${tally(value)})`;
  return [heading, ...notes.map((note) => `[${note}]`)].join('\n');
}
