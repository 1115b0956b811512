// What can be asked for on the command line.
import { parseArgs } from 'node:util';

const text = `npm start                                            a scripted turn: no key, no network
npm start -- --model provider:model ["task"]         a real model, such as openai:gpt-5, with its key in the environment
npm start -- replay <file>                           draws a session file again`;

/** @returns `{ values: { help, replay, model, task } }`, or `{ problem }` in words */
export function commandLine(args) {
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { model: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
    const [first, second, ...rest] = positionals;
    if (first === 'replay' && values.model === undefined) {
      return second === undefined || rest.length > 0 ? { problem: 'replay takes one file' } : { values: { replay: second } };
    }
    if (first !== undefined && values.model === undefined && values.help !== true) return { problem: `a task of your own needs a real model: --model provider:model ${JSON.stringify(positionals.join(' '))}` };
    return { values: { ...values, ...(first === undefined ? {} : { task: positionals.join(' ') }) } };
  } catch (error) {
    return { problem: error.message };
  }
}

/** Says how to use it. @returns the exit code */
export function usage(problem) {
  if (problem === undefined) console.log(text);
  else console.error(`${problem}\n\n${text}`);
  return problem === undefined ? 0 : 1;
}
