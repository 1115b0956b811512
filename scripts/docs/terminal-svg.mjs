/** The sixteen colours of a terminal, so that each can be read on the card behind the text: light, dark. */
const COLOURS = [
  ['#24292f', '#6e7681'], ['#b3261e', '#ff7b72'], ['#116329', '#56d364'], ['#7d4e00', '#e3b341'],
  ['#0550ae', '#79c0ff'], ['#8250df', '#d2a8ff'], ['#1b7c83', '#76e3ea'], ['#57606a', '#c9d1d9'],
];
const INK = ['#1f2328', '#e6edf3'];
const CARD = ['#ffffff', '#0d1117'];
const EDGE = ['#d0d7de', '#30363d'];
const COLUMN = 8.4;
const ROW = 19;
const PAD = 18;

/** Blanks that stay: not every reader of SVGs keeps the others. */
const shown = (text) => escape(text.replaceAll(' ', '\u00a0'));
const escape = (text) => text.replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char]);

/** The classes of a cell of xterm.js, `''` for plain text. Colours beyond the sixteen are drawn plain. */
function styleOf(cell) {
  const classes = [];
  if (cell.isFgPalette() && cell.getFgColor() < 16) classes.push(`c${cell.getFgColor() % 8}`);
  if (cell.isBold()) classes.push('b');
  if (cell.isDim()) classes.push('d');
  if (cell.isItalic()) classes.push('i');
  return classes.join(' ');
}

/** Runs of equal style in a line of the buffer: `{ at, text, style }`, without the blanks at its end. */
function* runsOf(line, columns) {
  let run;
  for (let at = 0; at < columns; at += 1) {
    const cell = line.getCell(at);
    if (cell === undefined) break;
    // The second half of a wide character.
    if (cell.getWidth() === 0) continue;
    const text = cell.getChars() || ' ';
    const style = text === ' ' ? (run?.style ?? '') : styleOf(cell);
    if (run?.style === style) run.text += text;
    else {
      if (run !== undefined && run.text.trim() !== '') yield run;
      run = { at, text, style };
    }
  }
  if (run !== undefined && run.text.trim() !== '') yield { ...run, text: run.text.trimEnd() };
}

/**
 * What is on a terminal of xterm.js, as an SVG that is readable on light and dark pages: text stays text, and it has a card of its own
 * behind it. Shows `rows` lines after the first `skip`. `title` is for those who cannot see it.
 */
export function terminalSvg(terminal, { title, skip = 0, rows = Infinity }) {
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, row) => [...runsOf(active.getLine(row), terminal.cols)]);
  while (lines.length > 0 && lines.at(-1).length === 0) lines.pop();
  const picked = lines.slice(skip, skip + rows);
  // What is cut off is cut off openly.
  if (lines.length > skip + rows) picked.push([{ at: 0, text: `… ${lines.length - skip - rows} more rows`, style: 'd' }]);
  const columns = Math.max(...picked.flat().map(({ at, text }) => at + text.length), 40);
  const width = Math.ceil(columns * COLUMN + 2 * PAD);
  const height = Math.ceil(picked.length * ROW + 2 * PAD);
  const text = picked.flatMap((runs, row) =>
    runs.map(({ at, text: words, style }) => {
      const x = (PAD + at * COLUMN).toFixed(1);
      const y = PAD + row * ROW + 14;
      // Columns stay columns, whatever font is found.
      const length = ([...words].length * COLUMN).toFixed(1);
      return `<text x="${x}" y="${y}" textLength="${length}"${style === '' ? '' : ` class="${style}"`}>${shown(words)}</text>`;
    }),
  );
  const rules = (theme) => [
    `text{fill:${INK[theme]}}`,
    `rect{fill:${CARD[theme]};stroke:${EDGE[theme]}}`,
    ...COLOURS.map((pair, index) => `.c${index}{fill:${pair[theme]}}`),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">
<title>${escape(title)}</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}
.b{font-weight:600}.d{opacity:.75}.i{font-style:italic}
${rules(0).join('\n')}
@media (prefers-color-scheme:dark){
${rules(1).join('\n')}
}
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
${text.join('\n')}
</svg>
`;
}
