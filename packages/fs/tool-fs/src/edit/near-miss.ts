import { unify } from './newlines.ts';

/** The lines of a file that are most like a text that is not in it. */
export interface NearMiss {
  /** Number of the first line, from 1. */
  readonly firstLine: number;
  readonly lines: readonly string[];
  /** What the two differ in, if it is only one such thing. */
  readonly onlyIn: string | undefined;
}

const MAX_TEXT_CHARS = 4_000_000;
const MAX_LINES_SHOWN = 20;
const MAX_VOTES = 500_000;
/** Similarity below which showing a line would mislead. */
const LEAST_ALIKE = 0.5;

/** Bounded in time; undefined if nothing is alike. For words only: nothing is ever written where this points. */
export function nearMiss(text: string, old: string): NearMiss | undefined {
  if (text.length > MAX_TEXT_CHARS) return undefined;
  const lines = unify(text).text.split('\n');
  const wanted = unify(old).text.split('\n');
  if (wanted.length > 1 && wanted.at(-1) === '') wanted.pop();
  const start = byEqualLines(lines, wanted) ?? byLikeness(lines, wanted);
  if (start === undefined) return undefined;
  const first = Math.max(0, start);
  const found = lines.slice(first, Math.max(first + 1, start + wanted.length));
  return { firstLine: first + 1, lines: found.slice(0, MAX_LINES_SHOWN), onlyIn: onlyDifference(found.join('\n'), wanted.join('\n')) };
}

/** Where most of the lines are in their places, long ones counting for more. */
function byEqualLines(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const places = new Map<string, number[]>();
  wanted.forEach((line, i) => {
    const key = folded(line);
    if (key.length === 0) return;
    const known = places.get(key);
    if (known === undefined) places.set(key, [i]);
    else if (known.length < 8) known.push(i);
  });
  const votes = new Map<number, number>();
  let left = MAX_VOTES;
  for (let i = 0; i < lines.length && left > 0; i += 1) {
    const key = folded(lines[i] as string);
    for (const place of places.get(key) ?? []) {
      votes.set(i - place, (votes.get(i - place) ?? 0) + Math.min(key.length, 40));
      left -= 1;
    }
  }
  let best: number | undefined;
  for (const [start, count] of votes) if (best === undefined || count > (votes.get(best) as number)) best = start;
  return best;
}

/** Where the longest of the lines has the most pairs of letters in common. */
function byLikeness(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const clipped = (line: string): string => folded(line.slice(0, 400));
  const at = wanted.reduce((longest, line, i) => (line.trim().length > (wanted[longest] as string).trim().length ? i : longest), 0);
  const own = pairsOf(clipped(wanted[at] as string));
  let best: number | undefined;
  let most = LEAST_ALIKE;
  for (let i = 0; i < lines.length && i < 20_000; i += 1) {
    const other = pairsOf(clipped(lines[i] as string));
    let common = 0;
    for (const [pair, count] of other) common += Math.min(count, own.get(pair) ?? 0);
    const alike = (2 * common) / (sizeOf(own) + sizeOf(other));
    if (alike > most) [best, most] = [i - at, alike];
  }
  return best;
}

function pairsOf(line: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let i = 0; i + 1 < line.length; i += 1) {
    const pair = line.slice(i, i + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

function sizeOf(pairs: ReadonlyMap<string, number>): number {
  let size = 0;
  for (const count of pairs.values()) size += count;
  return size;
}

function folded(line: string): string {
  return plainQuotes(line.trim().replace(/\s+/g, ' ')).toLowerCase();
}

function plainQuotes(text: string): string {
  return text.normalize('NFKC').replace(/[‘’‚‛′`]/g, "'").replace(/[“”„‟″]/g, '"').replace(/[‐-―−]/g, '-');
}

function onlyDifference(found: string, wanted: string): string | undefined {
  const noSpace = (text: string): string => text.replace(/\s+/g, '');
  if (noSpace(found).includes(noSpace(wanted))) return 'white space';
  if (found.toLowerCase().includes(wanted.toLowerCase())) return 'letter case';
  if (plainQuotes(found).includes(plainQuotes(wanted))) return 'how quotes, dashes or accents are written';
  return undefined;
}
