import { defineTool, ToolError, type Context, type InferInput, type ToolDefinition } from '@sluice/core-tools';
import { fileSystemFor, FsError, type FileSystem } from '@sluice/fs';
import { matchesCard, matchesMeta, pathsCard, pathsMeta } from './cards.ts';
import type { ToolFsSearchConfig } from './config.ts';
import { compiled } from './glob-tool.ts';
import { lineMatcher, type LineMatcher, type LinePattern } from './pattern/line-matcher.ts';
import { countWithRipgrep, type Counted } from './ripgrep/count.ts';
import { localStart } from './ripgrep/eligible.ts';
import { Ripgrep } from './ripgrep/locate.ts';
import { ripgrepPattern } from './ripgrep/pattern.ts';
import { Budget } from './search/budget.ts';
import { Page } from './search/collect.ts';
import { searchCounted, searchFiles } from './search/grep.ts';
import { Notes, notesSchema } from './search/notes.ts';
import { relativeTo, type TreeOptions } from './search/tree.ts';
import { renderGrep } from './render-grep.ts';

const text = { type: 'string' } as const;
const whole = { type: 'integer', minimum: 0 } as const;

const parameters = {
  type: 'object',
  additionalProperties: false,
  required: ['pattern'],
  properties: {
    pattern: { ...text, minLength: 1, description: 'Regular expression, matched against each line. No lookaround, no back references.' },
    path: { ...text, minLength: 1, description: 'Directory or file to search in. Default: the workspace.' },
    include: { ...text, minLength: 1, pattern: '\\S', description: 'Only files that match this glob, such as "*.ts" or "src/**/*.{js,ts}".' },
    literal: { type: 'boolean', description: 'The pattern is text, no regular expression. Default false.' },
    ignoreCase: { type: 'boolean', description: 'Default false.' },
    mode: { enum: ['lines', 'files', 'count'], description: 'lines (default); only the files that have any; or how many lines match in each.' },
    context: { ...whole, maximum: 20, description: 'Lines to show before and after each match. Default 0.' },
    includeIgnored: { type: 'boolean', description: 'Also what .gitignore files exclude. Default false.' },
    limit: { type: 'integer', minimum: 1, description: 'Matches at most; files in the other modes.' },
    offset: { ...whole, description: 'Matches to skip, to go on with an earlier search. Default 0.' },
  },
} as const;

const match = {
  type: 'object',
  additionalProperties: false,
  required: ['lineNumber', 'line'],
  properties: {
    lineNumber: whole,
    line: text,
    start: { ...whole, description: 'Present when line is only a part: where it begins in the whole.' },
    fullChars: { ...whole, description: 'Present when line is only a part: how long the whole is.' },
    before: { type: 'array', items: text },
    after: { type: 'array', items: text },
  },
} as const;

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['root', 'mode', 'files', 'total', 'totalFiles', 'offset', 'notes'],
  properties: {
    root: text,
    mode: { enum: ['lines', 'files', 'count'] },
    files: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['path', 'count', 'matches'],
        properties: { path: text, count: { ...whole, description: 'Lines that match; at least so many in mode files.' }, matches: { type: 'array', items: match } },
      },
    },
    total: { ...whole, description: 'Matching lines; files in the other modes.' },
    totalFiles: whole,
    offset: whole,
    nextOffset: { ...whole, description: 'Where to go on; absent at the end.' },
    notes: notesSchema,
  },
} as const;

export type GrepValue = InferInput<typeof schema>;

/** `grep`: lines that match a pattern, file by file. */
export function grepTool(ctx: Context, config: ToolFsSearchConfig): ToolDefinition {
  const ripgrep = new Ripgrep();
  return defineTool({
    name: 'grep',
    description:
      'Finds lines in files by a regular expression. Hidden files are searched too; what .gitignore excludes is left out, and counted; so are binary files.',
    parameters,
    output: {
      schema,
      render: (_args, value) => [{ type: 'text', text: renderGrep(value) }],
      presentationMeta: (_args, { mode, files, total }) =>
        mode === 'lines' ? matchesMeta(files, total, config.maxCardChars) : pathsMeta(files.map(({ path }) => path), total, config.maxCardChars),
    },
    annotations: { title: 'Search in files', readOnlyHint: true, openWorldHint: false },
    isConcurrencySafe: () => true,
    async execute(args, exec): Promise<GrepValue> {
      const { pattern, path = '.', include, literal = false, ignoreCase = false, mode = 'lines', context = 0, includeIgnored = false, offset = 0 } = args;
      const { signal } = exec;
      const fs = fileSystemFor(ctx, exec);
      const matcher = matcherOf({ pattern, isLiteral: literal, ignoreCase });
      const glob = include === undefined ? undefined : compiled(include, fs, true);
      const { path: root } = await fs.resolve(path, { signal });
      const stat = await fs.stat(path, { signal });
      if (stat === undefined) throw new FsError('FS_NOT_FOUND', path, { operation: 'search' });
      if (stat.type === 'other') throw new FsError('FS_NOT_REGULAR', path, { operation: 'search' });
      const page = new Page({ mode, offset, limit: args.limit ?? config.maxMatches, context, maxLineChars: config.maxLineChars, maxTextChars: config.maxTextChars });
      const notes = new Notes();
      const budget = new Budget(config.budgetMs, signal);
      const isFile = stat.type === 'file';
      try {
        const tree = {
          start: root,
          includeIgnored,
          maxEntries: config.maxEntries,
          wants: (each: string) => isFile || glob === undefined || glob.matches(relativeTo(root, each)),
          enters: (each: string) => glob === undefined || glob.reaches(relativeTo(root, each)),
        };
        const options = { tree, isFile, matcher, maxFileBytes: config.maxFileBytes };
        const asked = { pattern, isLiteral: literal, ignoreCase };
        const counted = config.ripgrep && !isFile ? await countsOf(fs, ripgrep, asked, include, tree, notes, budget) : undefined;
        if (counted === undefined) await searchFiles(fs, options, page, notes, budget);
        else await searchCounted(fs, counted, options, page, notes, budget);
      } finally {
        budget.end();
      }
      const { files, total, totalFiles, nextOffset } = page;
      return { root, mode, files, total, totalFiles, offset, ...(nextOffset === undefined ? {} : { nextOffset }), notes: notes.value };
    },
    presentCall: ({ pattern, path }) => ({ card: 'generic', kind: 'search', title: `Search ${pattern}${path === undefined ? '' : ` in ${path}`}` }),
    presentResult({ pattern }, { isError, meta }) {
      if (isError) return undefined;
      return matchesCard(`Search ${pattern}`, meta) ?? pathsCard(`Search ${pattern}`, meta);
    },
  });
}

/** Undefined where ripgrep is not there, or would not find just the same. */
async function countsOf(fs: FileSystem, ripgrep: Ripgrep, asked: LinePattern, include: string | undefined, tree: TreeOptions, notes: Notes, budget: Budget): Promise<Counted[] | undefined> {
  const pattern = ripgrepPattern(asked);
  if (pattern === undefined || fs.localPath === undefined) return undefined;
  const binary = await ripgrep.path();
  const local = binary === undefined ? undefined : await localStart(fs, tree.start, tree.includeIgnored, budget.signal);
  if (binary === undefined || local === undefined) return undefined;
  const simpleInclude = include !== undefined && fs.info.isCaseSensitive && /^[\w.*-]+$/.test(include) && !include.includes('**') ? include : undefined;
  return countWithRipgrep({ fs, binary, pattern, ignoreCase: asked.ignoreCase, simpleInclude, local, tree }, notes, budget);
}

/** @throws ToolError `GREP_BAD_PATTERN` */
function matcherOf(pattern: LinePattern): LineMatcher {
  try {
    return lineMatcher(pattern);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ToolError(`the pattern ${JSON.stringify(pattern.pattern)} ${error.message}`, {
      code: 'GREP_BAD_PATTERN',
      hint: 'To search for text as it is, set literal to true.',
      cause: error,
    });
  }
}
