import { defineTool, type Context, type InferInput, type ToolDefinition } from '@sluice/core-tools';
import { fileSystemFor, FsError, isFsError } from '@sluice/fs';
import type { ToolFsConfig } from './config.ts';
import { counted, shownName } from './shown.ts';

const text = { type: 'string' } as const;
const whole = { type: 'integer', minimum: 0 } as const;

const parameters = {
  type: 'object',
  additionalProperties: false,
  required: ['path'],
  properties: { path: { ...text, minLength: 1, description: 'A directory, relative to the workspace or absolute inside it; "." is the workspace itself.' } },
} as const;

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['path', 'entries', 'total'],
  properties: {
    path: text,
    entries: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'type', 'isLink'],
        properties: {
          name: text,
          type: { enum: ['file', 'directory', 'other'] },
          isLink: { type: 'boolean' },
          size: { ...whole, description: 'Bytes; files only.' },
          problem: { ...text, description: 'Why nothing more is known of it.' },
        },
      },
    },
    total: { ...whole, description: 'Entries there are; more than entries has when it is cut.' },
  },
} as const;

type ListValue = InferInput<typeof schema>;

/** `list_directory`: one level, by name, hidden entries included. */
export function listDirectoryTool(ctx: Context, { maxEntries }: ToolFsConfig): ToolDefinition {
  return defineTool({
    name: 'list_directory',
    description: `Lists what is directly in a directory, hidden entries included, by name. At most ${maxEntries} entries.`,
    parameters,
    output: { schema, render: (_args, value) => [{ type: 'text', text: renderList(value) }] },
    annotations: { title: 'List directory', readOnlyHint: true, openWorldHint: false },
    isConcurrencySafe: () => true,
    async execute({ path }, exec): Promise<ListValue> {
      const { signal } = exec;
      const fs = fileSystemFor(ctx, exec);
      const { path: shown } = await fs.resolve(path, { signal });
      const all = await fs.list(path, { signal }).catch((error: unknown) => {
        if (!isFsError(error) || error.code !== 'FS_NOT_DIRECTORY') throw error;
        throw new FsError('FS_NOT_DIRECTORY', path, { operation: 'list', hint: 'Use read_file for a file.', cause: error });
      });
      const entries = all.slice(0, maxEntries).map(({ name, type, isLink, size, problem }) => ({
        name: wellFormed(name),
        type,
        isLink,
        ...(type === 'file' ? { size } : {}),
        ...(problem === undefined ? {} : { problem }),
      }));
      return { path: shown, entries, total: all.length };
    },
    presentCall: ({ path }) => ({ card: 'locations', title: `List ${path}`, locations: [{ path }] }),
  });
}

const problems: Readonly<Record<string, string>> = {
  FS_NOT_FOUND: 'leads nowhere',
  FS_OUTSIDE_WORKSPACE: 'leads out of the workspace',
  FS_LINK_LOOP: 'leads to itself',
  FS_BAD_PATH: 'cannot be opened: its name is no valid text',
  FS_PERMISSION: 'may not be accessed',
};

function renderList({ path, entries, total }: ListValue): string {
  const rows = [`${shownName(path)}/: ${total === 0 ? 'empty' : counted(total, 'entry', 'entries')}`];
  for (const { name, type, isLink, size, problem } of entries) {
    const facts = [
      size !== undefined && counted(size, 'byte'),
      type === 'other' && problem === undefined && 'no regular file',
      isLink && 'link',
      problem !== undefined && (problems[problem] ?? problem),
    ].filter((fact) => typeof fact === 'string');
    rows.push(`  ${shownName(name)}${type === 'directory' ? '/' : ''}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`);
  }
  if (total > entries.length) rows.push(`[${counted(total - entries.length, 'more entry', 'more entries')}; use glob to find some of them by name]`);
  return rows.join('\n');
}

function wellFormed(name: string): string {
  return (name as string & { toWellFormed(): string }).toWellFormed();
}
