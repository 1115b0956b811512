import { isFsError, joined, type FileSystem, type FsEntry, type FsStat } from '@sluice/fs';
import type { Budget } from './budget.ts';
import type { Notes } from './notes.ts';

export interface TreeOptions {
  /** Normal path of the directory, or file, to begin at. */
  readonly start: string;
  readonly includeIgnored: boolean;
  readonly maxEntries: number;
  /** Whether a file is wanted. */
  readonly wants: (path: string) => boolean;
  /** Whether anything below a directory could be wanted. */
  readonly enters: (path: string) => boolean;
}

/** A link that leads nowhere, out or to itself, and what has just gone, leave nothing unsearched. */
const HARMLESS = ['FS_NOT_FOUND', 'FS_LINK_LOOP', 'FS_OUTSIDE_WORKSPACE'];

/** The files that are wanted, by name, directory by directory. What is not looked at goes into the notes. */
export async function* filesBelow(fs: FileSystem, { start, includeIgnored, maxEntries, wants, enters }: TreeOptions, notes: Notes, budget: Budget): AsyncGenerator<FsEntry, void, void> {
  const isVcs = ({ name }: FsEntry): boolean => name === '.git';
  const entries = fs.walk(start, {
    signal: budget.signal,
    honourIgnoreFiles: !includeIgnored,
    enter: (entry) => enters(entry.path) && !isVcs(entry),
    onIgnored: (entry) => {
      const couldMatch = entry.type === 'directory' && !entry.isLink ? enters(entry.path) : wants(entry.path);
      if (couldMatch && !isVcs(entry)) notes.ignored(entry);
    },
    onProblem: (problem) => {
      if (!HARMLESS.includes(problem.code)) notes.problem(problem.code === 'FS_BAD_PATH' ? { ...problem, message: 'its name is no valid text' } : problem);
    },
  });
  let seen = 0;
  try {
    for await (const entry of entries) {
      seen += 1;
      if (seen > maxEntries) {
        notes.stopped('entries');
        return;
      }
      const pause = budget.breathe();
      if (pause !== undefined) await pause;
      if (entry.type === 'file' && entry.problem === undefined && wants(entry.path)) yield entry;
    }
  } catch (error) {
    if (!budget.isOver) throw error;
    notes.stopped('time');
  }
}

/** A path below a normal path, as it is seen from there. */
export function relativeTo(root: string, path: string): string {
  return root === '.' ? path : path.slice(root.length + 1);
}

/** The directory that leading `.` and `..` of a pattern, or its beginning with `/`, mean, and what is left of the pattern. */
export async function rootOf(fs: FileSystem, path: string, pattern: string, signal: AbortSignal): Promise<{ root: string; pattern: string }> {
  if (pattern.startsWith('/')) {
    const names = pattern.split('/');
    const wild = names.findIndex((name) => /[*?[{\\]/.test(name));
    const fixed = names.slice(0, wild < 0 ? -1 : wild);
    const { path: root } = await fs.resolve(fixed.join('/') || '/', { signal });
    return { root, pattern: `./${names.slice(fixed.length).join('/')}` };
  }
  let { path: root } = await fs.resolve(path, { signal });
  let rest = pattern;
  for (let up = /^(?:\.\/)*\.\.\//.exec(rest); up !== null; up = /^(?:\.\/)*\.\.\//.exec(rest)) {
    root = (await fs.resolve(`${root}/..`, { signal })).path;
    rest = `./${rest.slice(up[0].length)}`;
  }
  return { root, pattern: rest };
}

/** What is at the very path that a pattern is written as, whatever its characters could mean. */
export async function literally(fs: FileSystem, root: string, pattern: string, signal: AbortSignal): Promise<FsStat | undefined> {
  try {
    return await fs.stat(joined(root, pattern), { signal });
  } catch (error) {
    if (isFsError(error) && error.code !== 'FS_CANCELLED') return undefined;
    throw error;
  }
}
