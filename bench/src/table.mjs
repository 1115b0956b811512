// Plain text that is a Markdown table, too.

export function table(header, rows) {
  const all = [header, ...rows].map((row) => row.map(String));
  const widths = header.map((_, column) => Math.max(3, ...all.map((row) => row[column].length)));
  // The first column is words, the others are figures.
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]));
  const line = (cells) => `| ${cells.map(pad).join(' | ')} |`;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(all[0]), `| ${rule.join(' | ')} |`, ...all.slice(1).map(line)].join('\n');
}

const three = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

export function duration(ns) {
  if (ns >= 1e9) return `${three(ns / 1e9)} s`;
  if (ns >= 1e6) return `${three(ns / 1e6)} ms`;
  if (ns >= 1e3) return `${three(ns / 1e3)} µs`;
  return `${three(ns)} ns`;
}

export const times = (value) => `${three(value)}x`;
