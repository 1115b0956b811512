import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isFsError, isIgnored, joined, parseIgnoreFile, segmentsOf, type FileSystem, type IgnoreFile } from '@sluice/fs';

/** A directory that ripgrep would search just as a walk does. */
export interface LocalStart {
  /** Absolute path of the workspace. */
  readonly root: string;
  /** Absolute path to begin at. */
  readonly directory: string;
}

/**
 * Where to begin on this machine. Undefined when files are elsewhere, or when ripgrep would not leave out the same: the directory is
 * ignored itself, or there are ignore files above the workspace, which ripgrep knows no end of.
 */
export async function localStart(fs: FileSystem, start: string, includeIgnored: boolean, signal: AbortSignal): Promise<LocalStart | undefined> {
  if (fs.localPath === undefined) return undefined;
  try {
    const root = await fs.localPath('.', { signal });
    const directory = await fs.localPath(start, { signal });
    // Through a link it is elsewhere, where other ignore files are above it.
    if (directory !== (start === '.' ? root : join(root, ...segmentsOf(start)))) return undefined;
    if (start === '.' || includeIgnored) return { root, directory };
    if (hasIgnoreFileAbove(root) || (await isStartIgnored(fs, start, signal))) return undefined;
    return { root, directory };
  } catch (error) {
    // A root of several directories has no path of its own.
    if (isFsError(error) && error.code !== 'FS_CANCELLED') return undefined;
    throw error;
  }
}

function hasIgnoreFileAbove(root: string): boolean {
  for (let at = dirname(root), below = root; at !== below; below = at, at = dirname(at)) if (existsSync(join(at, '.gitignore'))) return true;
  return false;
}

async function isStartIgnored(fs: FileSystem, start: string, signal: AbortSignal): Promise<boolean> {
  const files: IgnoreFile[] = [];
  let at = '.';
  for (const segment of segmentsOf(start)) {
    const stat = await fs.stat(joined(at, '.gitignore'), { signal });
    if (stat !== undefined) files.push(parseIgnoreFile(at, (await fs.readText(joined(at, '.gitignore'), { signal })).text));
    at = joined(at, segment);
    if (isIgnored(at, true, files)) return true;
  }
  return false;
}
