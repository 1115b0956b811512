import { defineTool, ToolError, type Context, type InferInput, type ToolDefinition } from '@sluice/core-tools';
import { fileSystemFor, FsError, isFsError, joined, type FileSystem } from '@sluice/fs';
import { pathsCard, pathsMeta } from './cards.ts';
import type { ToolFsSearchConfig } from './config.ts';
import { Glob } from './pattern/glob.ts';
import { Budget } from './search/budget.ts';
import { Notes, notesSchema, renderNotes } from './search/notes.ts';
import { filesBelow, literally, relativeTo, rootOf } from './search/tree.ts';
import { counted, shownName } from './shown.ts';

const text = { type: 'string' } as const;
const whole = { type: 'integer', minimum: 0 } as const;

const parameters = {
  type: 'object',
  additionalProperties: false,
  required: ['pattern'],
  properties: {
    pattern: {
      ...text,
      minLength: 1,
      pattern: '\\S',
      description: 'Such as "*.ts" (anywhere), "src/**/*.{ts,tsx}", or a path. Relative to path.',
    },
    path: { ...text, minLength: 1, description: 'Directory to search in. Default: the workspace.' },
    includeIgnored: { type: 'boolean', description: 'Also what .gitignore files exclude. Default false.' },
    limit: { type: 'integer', minimum: 1, description: 'Paths at most.' },
    offset: { ...whole, description: 'Paths to skip, to go on with an earlier search. Default 0.' },
  },
} as const;

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['root', 'paths', 'total', 'offset', 'notes'],
  properties: {
    root: { ...text, description: 'Where the pattern begins.' },
    paths: { type: 'array', items: text, description: 'Relative to the workspace; the file that was changed last is first.' },
    total: whole,
    offset: whole,
    nextOffset: { ...whole, description: 'Where to go on; absent at the end.' },
    notes: notesSchema,
  },
} as const;

type GlobValue = InferInput<typeof schema>;

/** `glob`: files by name, newest first. */
export function globTool(ctx: Context, config: ToolFsSearchConfig): ToolDefinition {
  return defineTool({
    name: 'glob',
    description:
      'Finds files by a pattern for their paths, the one that was changed last first. Hidden files are found too; what .gitignore excludes is left out, and counted. ' +
      'Literal paths are patterns too.',
    parameters,
    output: {
      schema,
      render: (_args, value) => [{ type: 'text', text: renderGlob(value) }],
      presentationMeta: (_args, { paths, total }) => pathsMeta(paths, total, config.maxCardChars),
    },
    annotations: { title: 'Find files', readOnlyHint: true, openWorldHint: false },
    isConcurrencySafe: () => true,
    async execute({ pattern, path = '.', includeIgnored = false, limit = config.maxPaths, offset = 0 }, exec): Promise<GlobValue> {
      const fs = fileSystemFor(ctx, exec);
      const budget = new Budget(config.budgetMs, exec.signal);
      const notes = new Notes();
      try {
        const search = await rootOf(fs, path, pattern, exec.signal);
        await assertDirectory(fs, path, exec.signal);
        const glob = compiled(search.pattern, fs);
        const found = new Map<string, number>();
        const literal = await literally(fs, search.root, search.pattern, exec.signal);
        if (literal?.type === 'file') found.set(literal.path, literal.mtimeMs);
        const start = await startOf(fs, search.root, glob, exec.signal);
        if (start !== undefined) {
          const tree = {
            start,
            includeIgnored,
            maxEntries: config.maxEntries,
            wants: (each: string) => glob.matches(relativeTo(search.root, each)),
            enters: (each: string) => glob.reaches(relativeTo(search.root, each)),
          };
          for await (const entry of filesBelow(fs, tree, notes, budget)) found.set(entry.path, entry.mtimeMs);
        }
        if (found.size === 0 && literal?.type === 'directory') notes.problem({ path: literal.path, code: 'FS_IS_DIRECTORY', message: 'it is a directory; a pattern that ends in "/**" finds what is in it' });
        const paths = [...found].sort(([a, atA], [b, atB]) => atB - atA || (a < b ? -1 : 1)).map(([each]) => each);
        const page = paths.slice(offset, offset + limit);
        const next = offset + page.length;
        return { root: search.root, paths: page, total: paths.length, offset, ...(next < paths.length && page.length > 0 ? { nextOffset: next } : {}), notes: notes.value };
      } finally {
        budget.end();
      }
    },
    presentCall: ({ pattern, path }) => ({ card: 'generic', kind: 'search', title: `Find ${pattern}${path === undefined ? '' : ` in ${path}`}` }),
    presentResult: ({ pattern }, { isError, meta }) => (isError ? undefined : pathsCard(`Find ${pattern}`, meta)),
  });
}

/** @throws ToolError `GLOB_BAD_PATTERN` */
export function compiled(pattern: string, fs: FileSystem, isList = false): Glob {
  try {
    return new Glob(pattern, { isCaseSensitive: fs.info.isCaseSensitive, isList });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ToolError(`the pattern ${JSON.stringify(pattern)} ${error.message}`, { code: 'GLOB_BAD_PATTERN', hint: 'Give one pattern such as "src/**/*.ts".', cause: error });
  }
}

async function assertDirectory(fs: FileSystem, path: string, signal: AbortSignal): Promise<void> {
  const stat = await fs.stat(path, { signal });
  if (stat === undefined) throw new FsError('FS_NOT_FOUND', path, { operation: 'search' });
  if (stat.type !== 'directory') throw new FsError('FS_NOT_DIRECTORY', path, { operation: 'search', hint: 'Name a directory with path, and the file with pattern.' });
}

/** The deepest directory that everything that can match is in; undefined if it is not there. */
async function startOf(fs: FileSystem, root: string, glob: Glob, signal: AbortSignal): Promise<string | undefined> {
  const start = glob.base.reduce(joined, root);
  if (start === root) return root;
  try {
    return (await fs.stat(start, { signal }))?.type === 'directory' ? start : undefined;
  } catch (error) {
    if (isFsError(error) && error.code === 'FS_NOT_DIRECTORY') return undefined;
    throw error;
  }
}

function renderGlob({ paths, total, offset, nextOffset, notes }: GlobValue): string {
  const found = total === 0 ? 'No files found.' : paths.length === total ? counted(total, 'file') : `${counted(total, 'file')}, ${paths.length} shown${offset === 0 ? ', newest first' : ` from offset ${offset}`}`;
  const rows = [found, ...paths.map(shownName)];
  if (nextOffset !== undefined) rows.push(`[${counted(total - nextOffset, 'more file')}; go on with offset ${nextOffset}]`);
  return [...rows, ...renderNotes(notes)].join('\n');
}
