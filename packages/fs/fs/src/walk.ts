import { FsError, isFsError, throwIfCancelled } from './errors.ts';
import { isIgnored, parseIgnoreFile, type IgnoreFile } from './ignore-rules.ts';
import { joined, parentOf, segmentsOf } from './paths.ts';
import type { FsEntry, FsOptions, FsProblem, FsStat, FsText, FsWalkOptions } from './types.ts';

/** What a walk needs of a provider. Paths are normal ones. */
export interface Walked {
  stat(path: string, options?: FsOptions): Promise<FsStat | undefined>;
  list(path: string, options?: FsOptions): Promise<readonly FsEntry[]>;
  readText(path: string, options?: FsOptions): Promise<FsText>;
}

const IGNORE_FILE = '.gitignore';

/** `FsProvider.walk` over a provider's other operations. `start` is a normal path. */
export async function* walkTree(fs: Walked, start: string, options: FsWalkOptions = {}): AsyncGenerator<FsEntry, void, void> {
  const { signal, honourIgnoreFiles = false, enter, onIgnored } = options;
  const stat = await fs.stat(start, { signal });
  if (stat === undefined) throw new FsError('FS_NOT_FOUND', start, { operation: 'walk' });
  if (stat.type === 'file') {
    yield entryOf(stat);
    return;
  }
  const ignoreFiles = honourIgnoreFiles ? await ignoreFilesAbove(fs, start, options) : [];
  // A stack of what is still to be told, last first, so that depth costs no call stack.
  const stack: Step[] = [];
  await open(start, ignoreFiles, true);
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    throwIfCancelled(signal, start, 'walk');
    const { entry, files } = step;
    if (honourIgnoreFiles && isIgnored(entry.path, entry.type === 'directory' && !entry.isLink, files)) {
      onIgnored?.(entry);
      continue;
    }
    if (entry.problem !== undefined) tell(options, { path: entry.path, code: entry.problem, message: `${entry.path}: ${entry.problem}` });
    yield entry;
    if (entry.type === 'directory' && !entry.isLink && entry.problem === undefined && enter?.(entry) !== false) await open(entry.path, files, false);
  }

  async function open(directory: string, above: readonly IgnoreFile[], isStart: boolean): Promise<void> {
    let entries: readonly FsEntry[];
    try {
      entries = await fs.list(directory, { signal });
    } catch (error) {
      // It may have gone since it was told of; only the start has to be there.
      if (isStart || !isFsError(error) || error.code === 'FS_CANCELLED') throw error;
      tell(options, { path: directory, code: error.code, message: error.message });
      return;
    }
    const hasRules = honourIgnoreFiles && entries.some(({ name, type }) => name === IGNORE_FILE && type === 'file');
    const own = hasRules ? await ignoreFileIn(fs, directory, options) : undefined;
    const files = own === undefined ? above : [...above, own];
    for (let i = entries.length - 1; i >= 0; i -= 1) stack.push({ entry: entries[i] as FsEntry, files });
  }
}

interface Step {
  readonly entry: FsEntry;
  readonly files: readonly IgnoreFile[];
}

/** Those that reach into the start from above; none if they exclude the start, which was named all the same. */
async function ignoreFilesAbove(fs: Walked, start: string, options: FsWalkOptions): Promise<IgnoreFile[]> {
  const files: IgnoreFile[] = [];
  let at = '.';
  for (const segment of segmentsOf(start)) {
    const file = await ignoreFileIn(fs, at, options);
    if (file !== undefined) files.push(file);
    at = joined(at, segment);
    if (isIgnored(at, true, files)) return [];
  }
  return files;
}

async function ignoreFileIn(fs: Walked, directory: string, options: FsWalkOptions): Promise<IgnoreFile | undefined> {
  const path = joined(directory, IGNORE_FILE);
  try {
    return parseIgnoreFile(directory, (await fs.readText(path, { signal: options.signal })).text);
  } catch (error) {
    if (!isFsError(error) || error.code === 'FS_CANCELLED') throw error;
    if (error.code !== 'FS_NOT_FOUND') tell(options, { path, code: error.code, message: error.message });
    return undefined;
  }
}

function tell({ onProblem }: FsWalkOptions, problem: FsProblem): void {
  onProblem?.(Object.freeze(problem));
}

function entryOf({ path, type, isLink, size, mtimeMs }: FsStat): FsEntry {
  const directory = parentOf(path);
  const name = directory === '.' ? path : path.slice(directory.length + 1);
  return Object.freeze({ name, path, type, isLink, size, mtimeMs });
}
