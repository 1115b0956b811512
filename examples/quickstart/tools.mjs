// Five small tools. A tool says what it takes, what it gives and how that reads; it knows nothing about policy.
// Notice: no argument is checked in a body. Whatever does not fit `parameters` never gets there.
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, ToolError } from '@sluice/core-tools';
import { absolute } from './repository.mjs';

const path = { type: 'string', required: true, description: 'Relative to the repository' };
const numbered = (number, line) => `${String(number).padStart(4)}  ${line}`;
const text = (words) => [{ type: 'text', text: words }];

export const readFileTool = defineTool({
  name: 'read_file',
  description: 'Read a text file, or some lines of it.',
  parameters: {
    path,
    offset: { type: 'integer', minimum: 1, description: 'First line, counted from 1' },
    limit: { type: 'integer', minimum: 1, description: 'How many lines' },
  },
  // The value is for programs, what render makes of it is for the model.
  output: {
    schema: {
      type: 'object',
      properties: { first: { type: 'integer' }, lines: { type: 'array', items: { type: 'string' } } },
      required: ['first', 'lines'],
      additionalProperties: false,
    },
    render: (_args, { first, lines }) => text(lines.map((line, i) => numbered(first + i, line)).join('\n')),
  },
  annotations: { readOnlyHint: true },
  isConcurrencySafe: () => true,
  async execute({ path, offset = 1, limit }) {
    const lines = (await contentOf(path)).replace(/\n$/, '').split(/\r?\n/);
    if (offset > lines.length) throw new ToolError(`${path} has ${lines.length} lines`, { code: 'NO_SUCH_LINE' });
    return { first: offset, lines: lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit) };
  },
});

export const countWords = defineTool({
  name: 'count_words',
  description: 'Count the words of a text file.',
  parameters: { path },
  output: { schema: { type: 'integer' }, render: ({ path }, count) => text(`${count} words in ${path}`) },
  annotations: { readOnlyHint: true },
  isConcurrencySafe: () => true, // so that a batch may overlap it
  async execute({ path }) {
    return (await contentOf(path)).match(/\S+/g)?.length ?? 0;
  },
});

export const editFile = defineTool({
  name: 'edit_file',
  description: 'Replace a passage that occurs exactly once in a text file.',
  parameters: {
    path,
    old: { type: 'string', required: true, minLength: 1, description: 'The passage, as it is' },
    new: { type: 'string', required: true, description: 'What stands there instead' },
  },
  output: { schema: { type: 'integer' }, render: ({ path }, line) => text(`changed line ${line} of ${path}`) },
  annotations: { destructiveHint: true },
  async execute({ path, old, new: replacement }) {
    const parts = (await contentOf(path)).split(old);
    if (parts.length !== 2) {
      const hint = 'Give a passage that occurs exactly once; read_file shows the text.';
      throw new ToolError(`the passage occurs ${parts.length - 1} times in ${path}`, { code: 'NOT_UNIQUE', hint });
    }
    await writeFile(absolute(path), parts.join(replacement));
    return parts[0].split('\n').length;
  },
});

export const waitForChange = defineTool({
  name: 'wait_for_change',
  description: 'Wait until somebody changes a file.',
  parameters: { path },
  output: { schema: { type: 'boolean' }, render: ({ path }) => text(`${path} has changed`) },
  timeoutMs: 250, // declared here, enforced by @sluice/tool-call-timeout-policy
  annotations: { readOnlyHint: true },
  isConcurrencySafe: () => true,
  async execute({ path }, exec) {
    const changedAt = async () => (await stat(absolute(path)).catch(explained(path))).mtimeMs;
    const before = await changedAt();
    for (;;) {
      await sleep(100, undefined, { signal: exec.signal }); // the deadline, the caller and the context can all end this
      if ((await changedAt()) !== before) return true;
      exec.progress({ message: 'still the same' });
    }
  },
});

const dropped = new Set();

export const listFolder = defineTool({
  name: 'list_folder',
  description: 'List a folder, over a bad line: the first request for each folder is dropped.',
  parameters: { path },
  output: { schema: { type: 'array', items: { type: 'string' } }, render: (_args, names) => text(names.join('\n')) },
  annotations: { readOnlyHint: true },
  isConcurrencySafe: () => true,
  async execute({ path }) {
    if (!dropped.has(path)) {
      dropped.add(path);
      throw new ToolError('the connection was dropped', { code: 'CONNECTION_DROPPED', retryable: true });
    }
    const entries = await readdir(absolute(path), { withFileTypes: true }).catch(explained(path));
    return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  },
});

export const allTools = [readFileTool, countWords, editFile, waitForChange, listFolder];

const contentOf = (path) => readFile(absolute(path), 'utf8').catch(explained(path));

/** A missing file is worth a code and a hint of its own. Any other error becomes TOOL_FAILED by itself. */
function explained(path) {
  return (cause) => {
    if (cause.code !== 'ENOENT') throw cause;
    const hint = 'Paths are relative to the repository; list_folder shows what there is.';
    throw new ToolError(`there is no ${path}`, { code: 'FILE_NOT_FOUND', hint, cause });
  };
}
