import { constants, lstatSync, openSync, closeSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, os, type OsPath } from './os.ts';

/** What was found and what was opened are not the same: something moved in between. Whoever catches it looks again. */
export class Moved extends Error {}

/** A directory that was seen to be where it should be. What is done to its names happens in it, wherever its path leads by then. */
export interface Dir {
  /** Absolute path without links. */
  readonly real: string;
  /** Path for one call: a name in this directory. */
  at(name: string): string;
  at(name: Buffer): Buffer;
  /** Names in it, as the disk has them. */
  names(): Promise<Buffer[]>;
  /** A directory in it, never through a link. Rejects with ENOENT, or ENOTDIR for anything else. */
  child(name: string): Promise<Dir>;
  /** It is certain, as far as the platform can tell, that `at` still leads into this directory. Synchronous: nothing of ours comes between. */
  isStill(): boolean;
  /** Puts its names on the disk. Where directories cannot be synced, nothing. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** How a platform makes sure that what was opened is what was found. */
export interface Anchor {
  /** `real` has to be the path of a directory, without links. Rejects with `Moved` when it is not, any more. */
  openDir(real: string): Promise<Dir>;
  /** Whether the open file is the one at this path without links. */
  isAt(fd: number, real: string): boolean | Promise<boolean>;
}

// Windows lacks some of the flags; undefined adds none.
const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
/** Not among Node's constants. The same on all architectures that Node runs on. */
const O_PATH = 0x200000;

/**
 * Linux: a directory is held open, and everything goes through /proc/self/fd, which leads to what is open and not to what
 * its path leads to by then.
 */
export const procAnchor: Anchor = {
  async openDir(real) {
    const fd = await os.open(real, O_PATH | O_DIRECTORY | O_NOFOLLOW).catch(async (error: unknown) => {
      // A link is no directory, either: it came after the path was looked at.
      throw codeOf(error) === 'ENOTDIR' && (await os.lstat(real)).isSymbolicLink() ? new Moved() : error;
    });
    const dir = new ProcDir(fd, real);
    try {
      if (!dir.isStill()) throw new Moved();
      return dir;
    } catch (error) {
      await dir.close();
      throw error;
    }
  },
  isAt(fd, real) {
    return readlinkSync(`/proc/self/fd/${fd}`) === real;
  },
};

class ProcDir implements Dir {
  readonly real: string;
  readonly self: string;
  readonly #fd: number;

  constructor(fd: number, real: string) {
    this.#fd = fd;
    this.real = real;
    this.self = `/proc/self/fd/${fd}`;
  }
  at(name: string): string;
  at(name: Buffer): Buffer;
  at(name: OsPath): OsPath {
    return typeof name === 'string' ? `${this.self}/${name}` : Buffer.concat([Buffer.from(`${this.self}/`), name]);
  }
  names(): Promise<Buffer[]> {
    return os.names(this.self, { encoding: 'buffer' });
  }
  async child(name: string): Promise<Dir> {
    return new ProcDir(await os.open(this.at(name), O_PATH | O_DIRECTORY | O_NOFOLLOW), join(this.real, name));
  }
  isStill(): boolean {
    return readlinkSync(this.self) === this.real;
  }
  sync(): Promise<void> {
    return syncDirectory(`${this.self}/.`);
  }
  // What is asked of /proc, or of a directory that is only a place, waits for no disk: here a turn of the event loop costs more than the call.
  // eslint-disable-next-line @typescript-eslint/require-await -- on other platforms there may be something to wait for
  async close(): Promise<void> {
    closeSync(this.#fd);
  }
}

/** Elsewhere: paths are looked at again, as late as can be. */
export const pathAnchor: Anchor = {
  async openDir(real) {
    const [found, { dev, ino }] = [await os.realpath(real), await os.lstat(real)];
    if (found !== real) throw new Moved();
    const dir = new PathDir(real, dev, ino);
    if (!(await os.lstat(real)).isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
    return dir;
  },
  async isAt(fd, real) {
    const [found, named, open] = await Promise.all([os.realpath(real), os.lstat(real), os.fstat(fd)]);
    return found === real && named.dev === open.dev && named.ino === open.ino;
  },
};

class PathDir implements Dir {
  readonly real: string;
  readonly #dev: bigint;
  readonly #ino: bigint;

  constructor(real: string, dev: bigint, ino: bigint) {
    this.real = real;
    this.#dev = dev;
    this.#ino = ino;
  }
  at(name: string): string;
  at(name: Buffer): Buffer;
  at(name: OsPath): OsPath {
    return typeof name === 'string' ? join(this.real, name) : Buffer.concat([Buffer.from(join(this.real, '/')), name]);
  }
  async names(): Promise<Buffer[]> {
    const names = await os.names(this.real, { encoding: 'buffer' });
    if (!this.isStill()) throw new Moved();
    return names;
  }
  async child(name: string): Promise<Dir> {
    const real = join(this.real, name);
    const stat = await os.lstat(real);
    if (!stat.isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
    return new PathDir(real, stat.dev, stat.ino);
  }
  isStill(): boolean {
    try {
      const { dev, ino } = lstatSync(this.real, { bigint: true });
      return dev === this.#dev && ino === this.#ino && realpathSync.native(this.real) === this.real;
    } catch {
      return false;
    }
  }
  sync(): Promise<void> {
    return syncDirectory(this.real);
  }
  async close(): Promise<void> {
    // Nothing is open.
  }
}

/** The one that this machine can keep for that directory: /proc may not be mounted, or tell another path than the system does. */
export function anchorFor(real: string): Anchor {
  if (process.platform !== 'linux') return pathAnchor;
  try {
    const fd = openSync(real, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === real ? procAnchor : pathAnchor;
    } finally {
      closeSync(fd);
    }
  } catch {
    return pathAnchor;
  }
}

/** Directories that cannot be opened for reading, and systems that sync none, leave it at what they do by themselves. */
async function syncDirectory(path: string): Promise<void> {
  let fd: number;
  try {
    fd = await os.open(path, O_RDONLY | O_DIRECTORY);
  } catch {
    return;
  }
  try {
    await os.fsync(fd);
  } catch (error) {
    if (!UNSYNCABLE.has(codeOf(error) ?? '')) throw error;
  } finally {
    await os.close(fd);
  }
}
const UNSYNCABLE = new Set(['EINVAL', 'EPERM', 'EACCES', 'EISDIR', 'EBADF', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EROFS']);
