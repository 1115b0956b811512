// `npm run example:quickstart -- <tool> '<json>'`: one call of your own, through the same deployment. No input is checked here: the
// pipeline has an answer for whatever comes, an unknown name and broken JSON included.
import { compose } from './compose.mjs';
import { block, note, print, toolList } from './screen.mjs';
import { bold } from './text.mjs';

const LINES = 20;
const EXAMPLES = [
  `read_file '{"path":"README.md","offset":3,"limit":4}'`,
  `count_words '{"path":"CONTRIBUTING.md"}'`,
  `list_folder '{"path":"packages/core"}'`,
  `read_file '{"path":"../secret"}'`,
  `edit_file '{"path":"README.md","old":"a","new":"b"}'`,
];

/** @returns the exit code: 0 for a success (or help), 1 for a failure */
export async function oneCall([name, ...json]) {
  const ctx = await compose({ call: (record) => block(record, LINES), event: () => undefined });
  try {
    if (name === '--help' || name === '-h') {
      help(ctx.tools.schemas());
      return 0;
    }
    // A shell that took the quotes off has split the text at its spaces.
    const result = await ctx.tools.execute({ name, argumentsText: json.join(' ') });
    if (['INVALID_ARGS', 'UNKNOWN_TOOL'].includes(result.error?.info.code)) {
      print();
      note('npm run example:quickstart -- --help lists the tools and what they take. Keep the JSON in single quotes.');
    }
    return result.isError ? 1 : 0;
  } finally {
    await ctx.dispose();
  }
}

function help(schemas) {
  print();
  print(`${bold('npm run example:quickstart')}                     the tour`);
  print(`${bold("npm run example:quickstart -- <tool> '<json>'")}  one call of your own`);
  toolList(schemas);
  print();
  note('Try:');
  for (const line of EXAMPLES) print(`npm run example:quickstart -- ${line}`);
}
