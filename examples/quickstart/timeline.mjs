// Draws a batch: when each body ran, beside its neighbours.
import { note, print, room } from './screen.mjs';
import { bold, cutStart, dim, duration, pad, paint } from './text.mjs';

const ROWS = 12;

/** The bodies of these calls. */
export const bodiesOf = (records) => records.map(({ steps }) => steps.find(({ name }) => name === 'body'));

/** How many ran at once where most did. */
export function peakOf(spans) {
  const changes = spans.flatMap(({ at, ms }) => [[at, 1], [at + ms, -1]]).sort(([a, x], [b, y]) => a - b || x - y);
  let running = 0;
  return Math.max(...changes.map(([, change]) => (running += change)));
}

/** One row per call, for the first few. `label(record)` names it. */
export function timeline(records, label) {
  const shown = records.slice(0, ROWS);
  const spans = bodiesOf(shown);
  const from = Math.min(...spans.map(({ at }) => at));
  const until = Math.max(...spans.map(({ at, ms }) => at + ms));
  const labels = Math.floor(room() * 0.4);
  const track = room() - labels - 8;
  const column = (time) => Math.round(((time - from) / (until - from)) * track);

  const { name } = shown[0].exec;
  print();
  print(`${bold(name)} ${records.length} times`);
  spans.forEach(({ at, ms }, i) => {
    const start = Math.min(column(at), track - 1);
    const bar = '━'.repeat(Math.max(1, column(at + ms) - start));
    const name = pad(cutStart(label(shown[i]), labels - 1), labels);
    print(name + paint('green', pad(' '.repeat(start) + bar, track)) + dim(duration(ms).padStart(8)));
  });
  if (records.length > ROWS) note(`… and ${records.length - ROWS} more`);
}
