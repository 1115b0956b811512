// What is said before and after the turn, and beside it.
const isTerminal = process.stdout.isTTY === true;
const paint = (code, text) => (isTerminal && !process.env.NO_COLOR && process.env.TERM !== 'dumb' ? `\x1b[${code}m${text}\x1b[0m` : text);

export const say = (text) => console.log(paint(33, text));

export function opening({ model, root }) {
  console.log(`${paint(1, 'Sluice')}  ${model ?? 'a scripted model'} in ${root}`);
  if (model === undefined) console.log(paint(2, 'Its replies are scripted; files, gates and deadlines are real. No key, no network.'));
  if (isTerminal) console.log(paint(2, `You will be asked${model === undefined ? ' once' : ''}: y allows it, n does not, v shows all. Ctrl-C stops.`));
  console.log();
}

export function closing({ isScripted, root, sessionFile }) {
  console.log();
  console.log(`project   ${root}`);
  console.log(`session   ${sessionFile}`);
  console.log(`replay    npm start -- replay ${sessionFile}`);
  if (isScripted) realModel();
}

/** Only says that it could. */
function realModel() {
  const example = [
    ['OPENAI_API_KEY', 'openai:gpt-5'],
    ['OPENAI_COMPATIBLE_BASE_URL', 'openai-compatible:<model>'],
  ].find(([variable]) => process.env[variable]);
  if (example === undefined) return;
  console.log(`real      ${example[0]} is set, and was not used: npm start -- --model ${example[1]} "your task"`);
}
