import { randomBytes } from 'node:crypto';
import { constants, lstatSync, renameSync } from 'node:fs';
import { FsError, throwIfCancelled, type FsVersion } from '@sluice/fs';
import { Moved, type Dir } from './handles.ts';
import type { Asked } from './locate.ts';
import { codeOf, os, type OsStat } from './os.ts';
import { versionOf } from './version.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
const CHUNK_BYTES = 8 * 1_048_576;
const LARGE_BYTES = 262_144;
const PERMISSIONS = 0o7777n;

/** A file that is on the disk and not yet in its place. */
export interface Staged {
  readonly dir: Dir;
  readonly name: string;
  readonly fd: number;
  readonly stat: OsStat;
}

/** Never longer than a name may be, whatever the file is called. */
export function stagingName(): string {
  return `.sluice-${process.pid}-${randomBytes(8).toString('hex')}.tmp`;
}

/**
 * Writes a file beside the one that it will be, durably, with mode and owner of the one it will replace. Whoever has it closes
 * it, and removes it if it is not published.
 *
 * @throws FsError `FS_PERMISSION` when mode or owner would be lost
 */
export async function stage(dir: Dir, pieces: readonly Uint8Array[], old: OsStat | undefined, isCoarse: boolean, asked: Asked): Promise<Staged> {
  const { path, operation, signal } = asked;
  const name = stagingName();
  // A new file is as the umask has it; one that replaces another is for nobody else until it is as that one was.
  const fd = await os.open(dir.at(name), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, old === undefined ? 0o666 : 0o600);
  try {
    for (const bytes of portionsOf(pieces)) {
      for (let done = 0; done < bytes.length; ) {
        throwIfCancelled(signal, path, operation);
        done += await os.write(fd, bytes, done, Math.min(CHUNK_BYTES, bytes.length - done));
      }
    }
    if (old !== undefined) await takeAfter(fd, old, asked);
    if (isCoarse) await stampFinely(fd);
    await os.fsync(fd);
    throwIfCancelled(signal, path, operation);
    return { dir, name, fd, stat: await os.fstat(fd) };
  } catch (error) {
    await discard({ dir, name, fd });
    throw error;
  }
}

/** What is written at once: large pieces as they are, small ones put together. */
function* portionsOf(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  let small: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces) {
    if (piece.length < LARGE_BYTES) size += small.push(piece) && piece.length;
    if (size > 0 && (piece.length >= LARGE_BYTES || size >= LARGE_BYTES)) {
      yield Buffer.concat(small, size);
      [small, size] = [[], 0];
    }
    if (piece.length >= LARGE_BYTES) yield piece;
  }
  if (size > 0) yield Buffer.concat(small, size);
}

/** No other program's change has this very time, even if it comes before the clock of the filesystem ticks. */
async function stampFinely(fd: number): Promise<void> {
  const seconds = (performance.timeOrigin + performance.now()) / 1_000;
  await os.futimes(fd, seconds, seconds);
}

async function takeAfter(fd: number, old: OsStat, { path, operation }: Asked): Promise<void> {
  const lost = (what: string, cause?: unknown): FsError =>
    new FsError('FS_PERMISSION', path, { operation, cause, detail: `was not changed: ${what} would be lost`, hint: 'Ask a person to change it, or to change what it is allowed.' });
  if (process.platform === 'win32') return;
  const own = await os.fstat(fd);
  if (own.uid !== old.uid || own.gid !== old.gid) {
    await os.fchown(fd, Number(old.uid), Number(old.gid)).catch((cause: unknown) => {
      throw lost('its owner', cause);
    });
  }
  // After the owner, since a change of that takes setuid away.
  await os.fchmod(fd, Number(old.mode & PERMISSIONS));
  const made = await os.fstat(fd);
  if (made.uid !== old.uid || made.gid !== old.gid) throw lost('its owner');
  if ((made.mode & PERMISSIONS) !== (old.mode & PERMISSIONS)) throw lost('a part of its permissions');
}

/** Removes what was not published, and closes it. Says nothing: what went wrong before is what matters. */
export async function discard({ dir, name, fd }: Pick<Staged, 'dir' | 'name' | 'fd'>): Promise<void> {
  await os.unlink(dir.at(name)).catch(() => undefined);
  await os.close(fd).catch(() => undefined);
}

/**
 * Puts the staged file in the place of a version that is still there. From the last look to the change there is no turn of the
 * event loop, only the time of two calls to the system.
 *
 * @throws `Moved` when something else is there
 */
export function replace({ dir, name }: Staged, target: string, expected: FsVersion): void {
  const found = lstatSync(dir.at(target), { bigint: true, throwIfNoEntry: false });
  if (found === undefined || versionOf(found) !== expected || !dir.isStill()) throw new Moved();
  renameSync(dir.at(name), dir.at(target));
}

/**
 * Gives a file or link a name that nothing has. @throws `Moved` when something has it by then
 */
export async function publishNew(from: Dir, name: string, to: Dir, target: string): Promise<void> {
  if (!to.isStill() || !from.isStill()) throw new Moved();
  try {
    await os.link(from.at(name), to.at(target));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new Moved();
    if (!NO_HARD_LINKS.has(codeOf(error) ?? '')) throw error;
    await publishOverPlaceholder(from, name, to, target);
    return;
  }
  try {
    await os.unlink(from.at(name));
  } catch (error) {
    // It has both names now, and was to have one.
    await os.unlink(to.at(target)).catch(() => undefined);
    throw error;
  }
}
/** FAT and some network and user-space filesystems have none, and Linux may refuse them for what belongs to others. */
const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES']);

async function publishOverPlaceholder(from: Dir, name: string, to: Dir, target: string): Promise<void> {
  let fd: number;
  try {
    fd = await os.open(to.at(target), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? new Moved() : error;
  }
  try {
    const own = await os.fstat(fd);
    const found = lstatSync(to.at(target), { bigint: true, throwIfNoEntry: false });
    if (found?.ino !== own.ino || found.dev !== own.dev || found.size !== 0n) throw new Moved();
    try {
      renameSync(from.at(name), to.at(target));
    } catch (error) {
      await os.unlink(to.at(target)).catch(() => undefined);
      throw error;
    }
  } finally {
    await os.close(fd);
  }
}

/** The version of what was published; one that is never there if another program has written into it already. */
export async function publishedVersion({ fd, stat }: Staged): Promise<FsVersion> {
  const now = await os.fstat(fd);
  return now.mtimeNs === stat.mtimeNs && now.size === stat.size ? versionOf(now) : `${versionOf(stat)}-overtaken`;
}
