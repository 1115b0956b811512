import { renameSync, lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { assertPrecondition, FsError, isWithin, joined, throwIfCancelled, type FsVersion } from '@sluice/fs';
import { openMaking, type Opened } from './directories.ts';
import { Moved, type Dir } from './handles.ts';
import type { Asked, Place } from './locate.ts';
import { codeOf, os, unlessMissing, type OsStat } from './os.ts';
import { publishNew } from './staging.ts';
import { empty, findBelow, unlinkIf } from './tree.ts';
import { versionOf } from './version.ts';
import { notFound, type Workspace } from './workspace.ts';
import { belowFile } from './writing.ts';

/** Removes what is at a place. A link is removed, not what it leads to. */
export async function remove(ws: Workspace, place: Place, recursive: boolean, ifVersion: FsVersion | undefined, asked: Asked): Promise<void> {
  await taking(ws, place, ifVersion, asked, async ({ dir, name, stat }) => {
    const { path, operation } = asked;
    if (!stat.isDirectory()) unlinkIf(dir, name, versionOf(stat));
    else {
      const refused = (below: string): boolean => ws.isProtected(joined(place.name, below));
      const child = recursive ? await dir.child(name) : undefined;
      try {
        if (child !== undefined) {
          // First all of it, so that nothing is gone when something may not go.
          const found = await findBelow(child, refused, asked);
          if (found !== undefined) throw contains(found, path, operation);
          await empty(child, refused, asked);
        }
        if (!dir.isStill()) throw new Moved();
        await os.rmdir(dir.at(name));
      } catch (error) {
        throw codeOf(error) === 'EEXIST' ? new FsError('FS_NOT_EMPTY', path, { operation, cause: error }) : error;
      } finally {
        await child?.close();
      }
    }
    await dir.sync();
  });
}

/** Moves what is at a place to another one, where nothing is, or a file if `overwrite`. */
export async function move(ws: Workspace, from: Place, to: Place, toPath: string, overwrite: boolean, ifVersion: FsVersion | undefined, asked: Asked): Promise<void> {
  const toAsked: Asked = { ...asked, path: toPath, operation: 'move to' };
  const { operation } = toAsked;
  await taking(ws, from, ifVersion, asked, async ({ dir, name, stat }) => {
    const isDirectory = stat.isDirectory();
    if (from.real === to.real) return;
    if (isDirectory && isWithin(to.name, from.name)) throw new FsError('FS_BAD_PATH', toPath, { operation, detail: 'is inside the directory that would be moved' });
    if (isDirectory) await assertMovable(ws, dir, name, from, to, asked);
    if (to.state === 'below-file') throw belowFile(toPath, operation);
    throwIfCancelled(asked.signal, asked.path, asked.operation);
    const opened = await openMaking(ws.anchor, dirname(to.real), to.root.real).catch((error: unknown) => {
      throw codeOf(error) === 'ENOTDIR' ? belowFile(toPath, operation) : error;
    });
    let isDone = false;
    try {
      await put(ws, { dir, name, stat }, opened, to, overwrite, toAsked, from.key === to.key);
      isDone = true;
      await Promise.all([dir.sync(), opened.dir.sync(), opened.sync()]);
    } finally {
      if (!isDone) await opened.undo();
      await opened.close();
    }
  });
}

interface Taken {
  readonly dir: Dir;
  readonly name: string;
  readonly stat: OsStat;
}

/** Looks at what is to go away, and hands it over with the directory that it is in. */
async function taking(ws: Workspace, place: Place, ifVersion: FsVersion | undefined, asked: Asked, work: (taken: Taken) => Promise<void>): Promise<void> {
  const { path, operation } = asked;
  const isThere = place.state === 'there';
  const parent = isThere
    ? await ws.parent(place).catch((error: unknown) => {
        if (codeOf(error) === 'ENOTDIR') return undefined;
        throw error;
      })
    : undefined;
  try {
    const stat = parent && (await unlessMissing(ws.fresh(() => os.lstat(parent.dir.at(parent.name)))));
    if (stat === undefined && ifVersion === undefined) throw notFound(path, operation);
    assertPrecondition(stat && versionOf(stat), ifVersion, path, operation);
    await work({ ...(parent as { dir: Dir; name: string }), stat: stat as OsStat });
  } catch (error) {
    throw error instanceof Moved && ifVersion !== undefined ? new FsError('FS_STALE', path, { operation }) : error;
  } finally {
    await parent?.dir.close();
  }
}

async function put(ws: Workspace, { dir, name, stat }: Taken, { dir: goal }: Opened, to: Place, overwrite: boolean, { path, operation }: Asked, isOneFile: boolean): Promise<void> {
  const target = basename(to.real);
  const there = await unlessMissing(os.lstat(goal.at(target)));
  const isSame = there?.ino === stat.ino && there.dev === stat.dev;
  const unchanged = (): void => {
    const found = lstatSync(dir.at(name), { bigint: true, throwIfNoEntry: false });
    if (found === undefined || versionOf(found) !== versionOf(stat) || !dir.isStill() || !goal.isStill()) throw new Moved();
  };
  if (there === undefined || (isSame && isOneFile)) {
    // Only its letter case changes, where that does not matter.
    if (isSame) {
      unchanged();
      renameSync(dir.at(name), goal.at(target));
    } else if (stat.isDirectory()) await putDirectory(goal, target, () => {
      unchanged();
      renameSync(dir.at(name), goal.at(target));
    });
    else await publishNew(dir, name, goal, target);
    return;
  }
  if (!overwrite || there.isDirectory() || stat.isDirectory()) throw new FsError('FS_EXISTS', path, { operation });
  if (there.isFile() && (there.mode & 0o222n) === 0n) throw new FsError('FS_READ_ONLY', path, { operation });
  // The system takes a rename from one name of a file to another for done.
  if (isSame) {
    unlinkIf(dir, name, versionOf(stat));
    return;
  }
  const found = lstatSync(goal.at(target), { bigint: true, throwIfNoEntry: false });
  if (found === undefined || versionOf(found) !== versionOf(there)) throw new Moved();
  unchanged();
  renameSync(dir.at(name), goal.at(target));
}

/** A directory replaces an empty one without a word, so an empty one of ours is put in its place first: that fails if anything is there. */
async function putDirectory(goal: Dir, target: string, rename: () => void): Promise<void> {
  try {
    await os.mkdir(goal.at(target));
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? new Moved() : error;
  }
  try {
    rename();
  } catch (error) {
    await os.rmdir(goal.at(target)).catch(() => undefined);
    throw codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST' ? new Moved() : error;
  }
}

/** A directory may not take protected files with it, nor bring files to where they would be protected. */
async function assertMovable(ws: Workspace, dir: Dir, name: string, from: Place, to: Place, asked: Asked): Promise<void> {
  const child = await dir.child(name);
  try {
    const found = await findBelow(child, (below) => ws.isProtected(joined(from.name, below)) || ws.isProtected(joined(to.name, below)), asked);
    if (found !== undefined) throw contains(found, asked.path, asked.operation);
  } finally {
    await child.close();
  }
}

function contains(below: string, path: string, operation: string): FsError {
  return new FsError('FS_PROTECTED', path, { operation, detail: `contains ${JSON.stringify(below)}, which is protected from changes` });
}
