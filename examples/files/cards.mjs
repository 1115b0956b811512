// Draws the cards of `ctx.tools.present()` with nothing but text. A user interface has its own way.
const paint = (code, text) => (process.stdout.isTTY ? `\x1b[${code}m${text}\x1b[0m` : text);

/** A card as lines. `content` is what the model reads, for results that have no card of their own. */
export function draw(card, content) {
  switch (card.card) {
    case 'diff':
      return [card.title ?? 'diff', ...card.diffs.flatMap(({ oldText, newText }) => [...diff(oldText ?? '', newText), ''])].slice(0, -1);
    case 'read':
      return [`${card.title} (${card.totalLines} lines, ${card.lang ?? 'text'})`, ...card.lines.map(({ number, text }) => `${String(number).padStart(4)}  ${text}`)];
    case 'search':
      return card.shape === 'paths'
        ? [`${card.title}: ${card.total}`, ...card.paths]
        : [`${card.title}: ${card.total}`, ...card.files.flatMap(({ path, matches }) => matches.map(({ lineNumber, line }) => `${path}:${lineNumber}: ${line}`))];
    default:
      return content.split('\n');
  }
}

/** Lines that both begin and end with are context; what is between was, and is. */
function diff(oldText, newText) {
  const [before, after] = [oldText, newText].map((text) => text.replace(/\r?\n$/, '').split(/\r?\n/));
  if (oldText === '') before.length = 0;
  let head = 0;
  while (head < Math.min(before.length, after.length) && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(before.length, after.length) - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return [
    ...before.slice(0, head).map((line) => `  ${line}`),
    ...before.slice(head, before.length - tail).map((line) => paint(31, `- ${line}`)),
    ...after.slice(head, after.length - tail).map((line) => paint(32, `+ ${line}`)),
    ...before.slice(before.length - tail).map((line) => `  ${line}`),
  ];
}
