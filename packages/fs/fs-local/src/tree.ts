import { FsError, joined, throwIfCancelled } from '@sluice/fs';
import { unlinkSync, lstatSync } from 'node:fs';
import { Moved, type Dir } from './handles.ts';
import type { Asked } from './locate.ts';
import { codeOf, os, unlessMissing } from './os.ts';
import { asFsError } from './os-errors.ts';
import { versionOf } from './version.ts';

/**
 * Looks at every name below an open directory for one that `isRefused`. Resolves with its path below the directory. Links are
 * looked at and not entered.
 */
export async function findBelow(dir: Dir, isRefused: (below: string) => boolean, asked: Asked, above = ''): Promise<string | undefined> {
  for (const bytes of await dir.names()) {
    throwIfCancelled(asked.signal, asked.path, asked.operation);
    const below = joined(above === '' ? '.' : above, bytes.toString());
    if (isRefused(below)) return below;
    const child = await openChild(dir, bytes);
    if (child === undefined) continue;
    try {
      const found = await findBelow(child, isRefused, asked, below);
      if (found !== undefined) return found;
    } finally {
      await child.close();
    }
  }
  return undefined;
}

/**
 * Removes all that is in an open directory, by name in the directory itself: whatever another program puts in its place meanwhile,
 * nothing else is touched.
 *
 * @throws FsError naming what could not be removed; other parts are gone by then
 */
export async function empty(dir: Dir, isRefused: (below: string) => boolean, asked: Asked, above = ''): Promise<void> {
  const { path, operation, signal } = asked;
  for (const bytes of await dir.names()) {
    throwIfCancelled(signal, path, operation);
    const below = joined(above === '' ? '.' : above, bytes.toString());
    if (isRefused(below)) throw new FsError('FS_PROTECTED', path, { operation, detail: `contains ${JSON.stringify(below)}, which is protected from changes` });
    const child = await openChild(dir, bytes);
    try {
      if (child === undefined) await unlessMissing(os.unlink(named(dir, bytes)));
      else {
        try {
          await empty(child, isRefused, asked, below);
        } finally {
          await child.close();
        }
        await unlessMissing(os.rmdir(named(dir, bytes)));
      }
    } catch (error) {
      const failed = asFsError(error, path, operation);
      if (failed === error || !(failed instanceof FsError)) throw error;
      throw new FsError(failed.code, path, { operation, cause: error, detail: `contains ${JSON.stringify(below)}, which could not be removed; other parts of it may be gone` });
    }
  }
}

/** Removes a file or link, if it is the one that was looked at. @throws `Moved` */
export function unlinkIf(dir: Dir, name: string, version: string): void {
  const found = lstatSync(dir.at(name), { bigint: true, throwIfNoEntry: false });
  if (found === undefined || versionOf(found) !== version || !dir.isStill()) throw new Moved();
  unlinkSync(dir.at(name));
}

/** Undefined for what is no directory. A name that is no valid text is a Buffer's business all the way down. */
async function openChild(dir: Dir, bytes: Buffer): Promise<Dir | undefined> {
  const name = bytes.toString();
  const stat = await unlessMissing(os.lstat(named(dir, bytes)));
  if (stat?.isDirectory() !== true) return undefined;
  if (!Buffer.from(name).equals(bytes)) throw Object.assign(new Error('a name that is no valid text'), { code: 'EILSEQ' });
  try {
    return await dir.child(name);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

function named(dir: Dir, bytes: Buffer): string {
  // Calls take Buffers where they take strings; the types of some do not say so.
  return dir.at(bytes) as unknown as string;
}
