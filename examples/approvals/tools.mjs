// Two tools over one folder. `presentCall` gives the card that the person is shown; the arguments are shown besides it anyway.
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { defineTool, ToolError } from '@sluice/core-tools';

const text = (words) => [{ type: 'text', text: words }];

/** @param {string} folder the only one that they touch */
export function toolsIn(folder) {
  // A name and nothing else, so that no path leads out of the folder.
  const place = (file) => join(folder, basename(file));

  const editFile = defineTool({
    name: 'edit_file',
    description: 'Replace a passage of a file.',
    parameters: { file: { type: 'string', required: true }, old: { type: 'string', required: true, minLength: 1 }, new: { type: 'string', required: true } },
    output: { schema: { type: 'string' }, render: (_args, said) => text(said) },
    presentCall({ file, old, new: replacement }) {
      const before = readFileSync(place(file), 'utf8');
      return { card: 'diff', title: `Edit ${file}`, diffs: [{ path: file, oldText: before, newText: before.replace(old, () => replacement) }] };
    },
    async execute({ file, old, new: replacement }) {
      const before = await readFile(place(file), 'utf8');
      if (!before.includes(old)) throw new ToolError(`${file} has no such passage`, { code: 'NOT_FOUND' });
      await writeFile(place(file), before.replace(old, () => replacement));
      return `changed ${file}`;
    },
  });

  const runChecks = defineTool({
    name: 'run_checks',
    description: 'Run the checks of one part.',
    parameters: { part: { type: 'string', required: true } },
    output: { schema: { type: 'string' }, render: (_args, said) => text(said) },
    execute: ({ part }) => `all checks of ${part} passed`,
  });

  return [editFile, runChecks];
}
