import { isFsError, type FileSystem, type FsEntry } from '@sluice/fs';
import type { LineMatcher } from '../pattern/line-matcher.ts';
import type { Counted } from '../ripgrep/count.ts';
import type { Budget } from './budget.ts';
import type { Page } from './collect.ts';
import type { Notes } from './notes.ts';
import { scan, type Found } from './scan.ts';
import { filesBelow, type TreeOptions } from './tree.ts';

export interface GrepOptions {
  readonly tree: TreeOptions;
  /** The start is a file, which was named: then what is wrong with it fails the search. */
  readonly isFile: boolean;
  readonly matcher: LineMatcher;
  readonly maxFileBytes: number;
}

/** Files that are read at the same time. */
const AHEAD = 8;

/** Searches every file that is wanted; what cannot be searched goes into the notes. Ends early, and says so, when the time is up. */
export async function searchFiles(fs: FileSystem, options: GrepOptions, page: Page, notes: Notes, budget: Budget): Promise<void> {
  let batch: FsEntry[] = [];
  const flush = async (): Promise<void> => {
    const texts = await Promise.all(batch.map((entry) => load(fs, entry, options, notes, budget)));
    for (const [i, { path }] of batch.entries()) {
      const text = texts[i];
      if (text !== undefined) await searchText(path, text, options.matcher, page, notes, budget);
    }
    batch = [];
  };
  try {
    for await (const entry of filesBelow(fs, options.tree, notes, budget)) {
      // A link to a file would tell of the same lines twice.
      if (entry.isLink && !options.isFile) continue;
      batch.push(entry);
      if (batch.length === AHEAD) await flush();
    }
    await flush();
  } catch (error) {
    if (!budget.isOver) throw error;
    notes.stopped('time');
  }
}

/** The same, for files whose matching lines have been counted: only those that are on the page are read. */
export async function searchCounted(fs: FileSystem, counted: readonly Counted[], options: GrepOptions, page: Page, notes: Notes, budget: Budget): Promise<void> {
  try {
    for (const { path, count } of counted) {
      if (page.addUnread(path, count)) continue;
      const text = await load(fs, { path, size: 0 }, options, notes, budget);
      if (text !== undefined) await searchText(path, text, options.matcher, page, notes, budget);
    }
  } catch (error) {
    if (!budget.isOver) throw error;
    notes.stopped('time');
  }
}

async function searchText(path: string, text: string, matcher: LineMatcher, page: Page, notes: Notes, budget: Budget): Promise<void> {
  const kept: Found[] = [];
  const { room, wantsAll } = page;
  let count = 0;
  try {
    const tooLong = await scan(text, matcher, budget, (found) => {
      count += 1;
      if (kept.length < room) kept.push(found);
      return wantsAll;
    });
    if (tooLong !== undefined) notes.problem({ path, code: 'LINE_TOO_LONG', message: `only the beginning of line ${tooLong}` });
  } finally {
    // Also what was found before the time was up.
    page.add(path, kept, count, () => linesOf(text), matcher);
  }
}

/** The text of a file, or undefined and a note. */
async function load(fs: FileSystem, { path, size }: Pick<FsEntry, 'path' | 'size'>, { isFile, maxFileBytes }: GrepOptions, notes: Notes, { signal }: Budget): Promise<string | undefined> {
  if (size > maxFileBytes) {
    notes.problem({ path, code: 'FS_TOO_LARGE', message: `it is too large (${size} bytes; at most ${maxFileBytes} are searched)` });
    return undefined;
  }
  try {
    return (await fs.readText(path, { maxBytes: maxFileBytes, signal })).text;
  } catch (error) {
    if (!isFsError(error) || error.code === 'FS_CANCELLED') throw error;
    if (error.code === 'FS_ENCODING') return lossy(fs, path, notes, signal);
    if (error.code === 'FS_BINARY') notes.binary();
    else if (isFile) throw error;
    else if (error.code !== 'FS_NOT_FOUND') notes.problem({ path, code: error.code, message: error.message });
    return undefined;
  }
}

/** Text in another encoding: what is ASCII in it can still be found. */
async function lossy(fs: FileSystem, path: string, notes: Notes, signal: AbortSignal): Promise<string | undefined> {
  const { bytes } = await fs.readRange(path, { signal });
  if (bytes.includes(0)) {
    notes.binary();
    return undefined;
  }
  return new TextDecoder('utf-8', { fatal: false }).decode(bytes);
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}
