// Draws what the trace reports, one block per call. Decides nothing, and knows no tool by name.
import { codeOf } from './trace.mjs';
import { bold, columns, cut, dim, duration, harmless, pad, paint, width, wrap } from './text.mjs';

/** Where a call goes, in order. What its record does not have was not reached. */
const ROUTE = ['pre-execute', 'guards', 'execute', 'body', 'post-execute'];
const GOOD = new Set(['valid, frozen', 'allow', 'pass', 'accept', 'ok']);
const OPEN = new Set(['ask', 'nobody to ask']);

const LEGEND = {
  '├': 'a stage: its time, what it said',
  '┆': 'stages that were never reached',
  '└': 'the whole time, how the call ended',
  '▏': 'what the model gets to read',
};

// Whoever read along may have seen enough (`npm run example:quickstart | head`); the run goes on and its exit code still counts.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
});

const indent = () => (width() < 60 ? '' : '   ');
export const room = () => width() - indent().length - 1;
export const print = (line = '') => console.log(line === '' ? '' : indent() + line);
export const note = (text) => wrap(text, room()).forEach((line) => print(dim(line)));

let headings = 0;

/** Counts the steps itself. */
export function heading(title, remark) {
  const number = `${(headings += 1)}`.padStart(2);
  print();
  wrap(title, width() - 4).forEach((line, i) => console.log(`${i === 0 ? paint('cyan', number) : '  '} ${bold(line)}`));
  note(remark);
}

/** What was asked, the way it went, what came of it, and the text that a model reads. */
export function block({ exec, result, steps, ms }, lines = 5) {
  asked(exec);
  const isRejected = steps.every(({ name }) => name === 'post-execute');
  row('├', 'entry', undefined, isRejected ? codeOf(result) : 'valid, frozen');
  let next = 0;
  steps.forEach(({ name, ms, said }, i) => {
    const at = ROUTE.indexOf(name);
    gap(at > next ? ROUTE.slice(next, at) : []);
    next = Math.max(next, at + 1);
    const rail = isInner(name) ? (isInner(steps[i + 1]?.name) ? '│ ├' : '│ └') : '├';
    row(rail, name, ms, said);
  });
  const effect = result.isError ? (result.error.info.started ? 'the body had begun' : 'the body never ran') : '';
  row('└', 'result', ms, codeOf(result), effect);
  content(result, lines);
}

export function asked({ scopePath, name, argumentsText, arguments: value }) {
  print();
  const who = [...scopePath, name].join(' › ');
  const what = harmless(argumentsText ?? JSON.stringify(value));
  print(`${bold(who)} ${cut(what, Math.max(8, room() - columns(who) - 1))}`);
}

const isInner = (name) => name === 'body' || name === 'progress';

function gap(stages) {
  if (stages.length === 0) return;
  for (const line of wrap(`not reached: ${stages.join(', ')}`, room() - 2)) print(dim(`┆ ${line}`));
}

/** `├ guards        0.12 ms  pass`. What does not fit a narrow screen goes below. */
function row(rail, name, ms, said, more = '') {
  const time = ms === undefined ? '' : duration(ms);
  const left = pad(`${rail} ${name}`, 16) + time.padStart(7);
  let line = dim(left);
  let used = left.length;
  for (const [words, style] of [[said, styleOf(name, said)], [more, dim]]) {
    if (words === '') continue;
    if (used + 2 + columns(words) > room()) {
      print(line);
      line = dim(rail === '└' ? ' ' : '│');
      used = 1;
    }
    line += `  ${style(cut(words, room() - used - 2))}`;
    used += 2 + columns(words);
  }
  print(line);
}

function styleOf(name, said) {
  if (name === 'progress') return dim;
  const colour = GOOD.has(said) ? 'green' : OPEN.has(said) ? 'yellow' : 'red';
  return (words) => paint(colour, name === 'result' ? bold(words) : words);
}

/** A file's lines are cut, an error's sentences wrapped. */
function content({ isError, content: blocks }, max) {
  const text = blocks.flatMap((block) => (block.type === 'text' ? block.text.split('\n') : [`(${block.type})`]));
  const lines = text.map(harmless).flatMap((line) => (isError ? wrap(line, room() - 2) : cut(line, room() - 2)));
  const shown = lines.length <= max + 1 ? lines : lines.slice(0, max);
  if (shown.length < lines.length) shown.push(dim(`… ${lines.length - shown.length} more lines`));
  for (const line of shown) print(`${paint('cyan', '▏')} ${line}`);
}

/** Which plugin stands where, as the context itself tells, and how to read what follows. */
export function opening({ children }) {
  print();
  const title = 'Sluice: whatever a model calls goes through one pipeline, and every policy on it is a plugin';
  for (const line of wrap(title, room())) print(bold(line));
  print();
  note('Mounted in this run, and where; of two in one place the first is outermost:');
  for (const { name, listeners, contributions } of children) {
    const hooks = Object.keys(listeners).map((hook) => hook.replace('tools/', ''));
    const places = hooks.length > 5 ? 'everywhere' : [...hooks, ...contributions].join(', ');
    if (places !== '') print(`${pad(name, 25)} ${paint('cyan', cut(places, room() - 26))}`);
  }
  print();
  note('One block per call. How to read it:');
  for (const [sign, meaning] of Object.entries(LEGEND)) print(`${paint('cyan', sign)} ${dim(meaning)}`);
}

export function closing(text) {
  print();
  for (const line of wrap(text, room())) print(paint('green', line));
  print();
  note('Your turn:');
  print('npm run example:quickstart -- --help');
  print(cut(`npm run example:quickstart -- read_file '{"path":"docs/README.md"}'`, room()));
  note('How it is made: examples/quickstart, main.mjs first.');
  print();
}

/** Tools as a model is told about them: `ctx.tools.schemas()`. */
export function toolList(schemas) {
  for (const { name, description, parameters } of schemas) {
    print();
    print(bold(name));
    note(description);
    for (const [key, { type, description: about }] of Object.entries(parameters.properties)) {
      const kind = parameters.required?.includes(key) ? type : `${type}?`;
      const [first, ...others] = wrap(about ?? '', room() - 20);
      print(`  ${pad(key, 8)}${pad(kind, 10)}${dim(first)}`);
      for (const line of others) print(' '.repeat(20) + dim(line));
    }
  }
}
