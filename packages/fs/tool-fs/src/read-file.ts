import { defineTool, ToolError, type Context, type InferInput, type ToolDefinition } from '@sluice/core-tools';
import { fileSystemFor, FsError, isFsError, type FileSystem } from '@sluice/fs';
import type { ToolFsConfig } from './config.ts';
import { languageOf } from './language.ts';
import { LineWindow, type TextWindow, type WindowRequest } from './read/line-window.ts';
import { mediaOf } from './read/media.ts';
import { openContent, readPieces, type OpenContent } from './read/open-content.ts';
import { renderRead } from './read/render.ts';
import { parseNumbered } from './shown.ts';

const text = { type: 'string' } as const;
const whole = { type: 'integer', minimum: 0 } as const;
const file = { path: text, version: text, size: { ...whole, description: 'Bytes.' } } as const;

const parameters = {
  type: 'object',
  additionalProperties: false,
  required: ['path'],
  properties: {
    path: { ...text, minLength: 1, description: 'Relative to the workspace, or absolute inside it.' },
    offset: { type: 'integer', description: 'Number of the first line to read, from 1. A negative number counts from the end: -20 reads the last 20 lines.' },
    limit: { type: 'integer', minimum: 1, description: 'How many lines to read at most.' },
  },
} as const;

const schema = {
  anyOf: [
    {
      type: 'object',
      additionalProperties: false,
      required: ['kind', 'path', 'version', 'size', 'offset', 'lines', 'totalLines', 'endsWithNewline', 'encoding', 'hasBom', 'lineEndings'],
      properties: {
        kind: { const: 'text' },
        ...file,
        offset: { ...whole, description: 'Number of the first line asked for, from 1.' },
        lines: {
          type: 'array',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['number', 'text'],
            properties: { number: whole, text, fullChars: { ...whole, description: 'Present when text is only the beginning: how long the line is.' } },
          },
        },
        totalLines: whole,
        nextOffset: { ...whole, description: 'Where to go on; absent at the end.' },
        endsWithNewline: { type: 'boolean' },
        encoding: { enum: ['utf-8', 'utf-16le', 'utf-16be'] },
        hasBom: { type: 'boolean' },
        lineEndings: { enum: ['none', 'lf', 'crlf', 'mixed'] },
      },
    },
    {
      type: 'object',
      additionalProperties: false,
      required: ['kind', 'path', 'version', 'size', 'mimeType'],
      properties: { kind: { const: 'image' }, ...file, mimeType: text },
    },
    {
      type: 'object',
      additionalProperties: false,
      required: ['kind', 'path', 'version', 'size'],
      properties: { kind: { const: 'binary' }, ...file, mimeType: text },
    },
  ],
} as const;

export type ReadValue = InferInput<typeof schema>;
export type TextValue = Extract<ReadValue, { readonly kind: 'text' }>;

/** `read_file`: a window of a text, an image as an image, and of anything else what it is. */
export function readFileTool(ctx: Context, config: ToolFsConfig): ToolDefinition {
  return defineTool({
    name: 'read_file',
    description:
      `Reads a file. Text comes with a number before each line, which is not part of it; at most ${config.maxLines} lines at once: go on with the offset that the result names. ` +
      'Images (PNG, JPEG, GIF, WebP) are shown; of other binary files only type and size.',
    parameters,
    output: {
      schema,
      render: (_args, value) => [{ type: 'text', text: renderRead(value, config) }],
      presentationMeta: (_args, value) => (value.kind === 'text' ? { path: value.path, offset: value.offset, totalLines: value.totalLines } : { path: value.path }),
    },
    annotations: { title: 'Read file', readOnlyHint: true, openWorldHint: false },
    // A path that leads nowhere needs no lock to be refused.
    locks: async ({ path }) => ({ read: await ctx.fs.resolve(path).then(({ key }) => [key], () => []) }),
    async execute({ path, offset = 1, limit = config.maxLines }, exec): Promise<ReadValue> {
      const { signal } = exec;
      const fs = fileSystemFor(ctx, exec);
      if (offset === 0) throw new ToolError(`cannot read ${JSON.stringify(path)} from line 0`, { code: 'FS_BAD_RANGE', hint: 'Lines are counted from 1; a negative offset counts from the end.' });
      const content = await opened(fs, path, signal);
      const { path: shownPath, version, size } = content;
      const { mimeType, isShowable } = mediaOf(content.head, content.isWhole);
      if (isShowable && mimeType !== undefined && size <= config.maxImageBytes) {
        fs.observe({ path: shownPath, key: content.key, how: 'read', version, seen: 'all', content: content.head });
        const value = { kind: 'image', path: shownPath, version, size, mimeType } as const;
        exec.content([{ type: 'text', text: renderRead(value, config) }, { type: 'image', data: base64(content.head), mimeType }]);
        return value;
      }
      const window = await windowOf(fs, path, content, { offset, limit: Math.min(limit, config.maxLines), ...config }, signal).catch((error: unknown) => {
        // Told, not failed: that it is binary is what there was to learn. Another encoding is a different matter.
        if (isFsError(error) && (error.code === 'FS_BINARY' || (error.code === 'FS_ENCODING' && mimeType !== undefined))) return undefined;
        throw error;
      });
      if (window === undefined) {
        fs.observe({ path: shownPath, key: content.key, how: 'read', version, seen: [] });
        return { kind: 'binary', path: shownPath, version, size, ...(mimeType === undefined ? {} : { mimeType }) };
      }
      const { value, shown, isAll } = window;
      fs.observe({ path: shownPath, key: content.key, how: 'read', version, seen: isAll ? 'all' : shown, ...(content.isWhole ? { content: content.head } : {}) });
      return { kind: 'text', path: shownPath, version, size, ...value };
    },
    presentCall: ({ path, offset }) => ({
      card: 'locations',
      title: `Read ${path}`,
      locations: [{ path, ...(offset === undefined || offset < 1 ? {} : { line: offset }) }],
    }),
    presentResult({ path }, { content, isError, meta }) {
      const { offset, totalLines, path: read } = (meta ?? {}) as { offset?: unknown; totalLines?: unknown; path?: unknown };
      const block = content[0];
      if (isError || block?.type !== 'text' || typeof offset !== 'number' || typeof totalLines !== 'number') return undefined;
      // The lines are in the content already; a log does not need them twice.
      const lang = languageOf(path);
      const lines = parseNumbered(block.text, offset);
      return { card: 'read', title: `Read ${path}`, path: typeof read === 'string' ? read : path, offset, lines, totalLines, ...(lang === undefined ? {} : { lang }) };
    },
  });
}

async function opened(fs: FileSystem, path: string, signal: AbortSignal): Promise<OpenContent> {
  try {
    return await openContent(fs, path, signal);
  } catch (error) {
    if (isFsError(error) && error.code === 'FS_NOT_FOUND') await tellAbsent(fs, path, signal);
    if (isFsError(error) && error.code === 'FS_IS_DIRECTORY') throw new FsError('FS_IS_DIRECTORY', path, { operation: 'read', hint: 'Use list_directory to see what is in it, and read a file.', cause: error });
    throw error;
  }
}

/** That nothing is there is also something that has been seen. */
async function tellAbsent(fs: FileSystem, path: string, signal: AbortSignal): Promise<void> {
  const target = await fs.resolve(path, { signal }).catch(() => undefined);
  if (target !== undefined) fs.observe({ ...target, how: 'read', version: undefined, seen: [] });
}

type TextFacts = Omit<TextValue, 'kind' | 'path' | 'version' | 'size'>;

async function windowOf(
  fs: FileSystem,
  path: string,
  content: OpenContent,
  request: WindowRequest,
  signal: AbortSignal,
): Promise<{ value: TextFacts; shown: TextWindow['shown']; isAll: boolean }> {
  const read = async (wanted: WindowRequest): Promise<TextWindow & { readonly encoding: TextFacts['encoding']; readonly hasBom: boolean }> => {
    const lines = new LineWindow(wanted);
    const format = await readPieces(fs, path, content, signal, (piece) => { lines.add(piece); });
    return { ...lines.end(), ...format };
  };
  let { offset } = request;
  if (offset < 0) {
    const { totalLines } = await read({ ...request, offset: Number.MAX_SAFE_INTEGER });
    offset = Math.max(1, totalLines + 1 + offset);
  }
  const { lines, totalLines, totalChars, shown, endsWithNewline, lineEndings, encoding, hasBom } = await read({ ...request, offset });
  if (offset > Math.max(1, totalLines)) {
    throw new ToolError(`cannot read ${JSON.stringify(path)} from line ${offset}: it has ${totalLines === 1 ? '1 line' : `${totalLines} lines`}`, {
      code: 'FS_PAST_END',
      hint: totalLines === 0 ? 'It is empty.' : `Give an offset from 1 to ${totalLines}, or a negative one to count from the end.`,
    });
  }
  const next = offset + lines.length;
  const isAll = totalChars === 0 || (shown.length === 1 && shown[0]?.start === 0 && shown[0].end === totalChars);
  const value = { offset, lines, totalLines, ...(next <= totalLines ? { nextOffset: next } : {}), endsWithNewline, encoding, hasBom, lineEndings };
  return { value, shown, isAll };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
