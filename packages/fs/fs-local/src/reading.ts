import { constants } from 'node:fs';
import { FsError, throwIfCancelled, type FsVersion } from '@sluice/fs';
import { Moved, type Anchor } from './handles.ts';
import { codeOf, os, type OsStat } from './os.ts';
import type { Asked } from './locate.ts';
import { versionOf } from './version.ts';

/** An open regular file. Whoever has it closes it. */
export interface OpenFile {
  readonly fd: number;
  readonly stat: OsStat;
  readonly version: FsVersion;
}

/** What opening a file takes of a workspace. */
export interface Opening {
  readonly anchor: Anchor;
  /** Looks at what is there, late enough that its version stands for one content. */
  readonly fresh: (look: () => Promise<OsStat>) => Promise<OsStat>;
}

const { O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_RDONLY } = constants;
const CHUNK_BYTES = 8 * 1_048_576;
/** More than a buffer of any supported Node may have. */
const MAX_BYTES = 2 ** 31 - 1;

/**
 * Opens what is at a path without links: without following one that is there by now, and without waiting for what is not a file.
 *
 * @throws FsError `FS_IS_DIRECTORY`, `FS_NOT_REGULAR`; `Moved` when it is not there any more
 */
export async function openRegular({ anchor, fresh }: Opening, real: string, asked: Asked): Promise<OpenFile> {
  // Looked at before it is opened: a program that waits at the other end of a pipe would notice.
  assertRegular(await os.lstat(real), asked);
  let fd: number;
  try {
    fd = await os.open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    if (codeOf(error) === 'ELOOP' || codeOf(error) === 'EMLINK') throw new Moved();
    throw error;
  }
  try {
    if (!(await anchor.isAt(fd, real))) throw new Moved();
    const stat = await fresh(() => os.fstat(fd));
    assertRegular(stat, asked);
    if (stat.blocks === 0n && (await isGenerated(fd))) throw new FsError('FS_NOT_REGULAR', asked.path, { operation: asked.operation, detail: 'is made up by the system when it is read, and is not a regular file' });
    return { fd, stat, version: versionOf(stat) };
  } catch (error) {
    await os.close(fd);
    throw error;
  }
}

export function assertRegular(stat: OsStat, { path, operation }: Asked): void {
  if (stat.isFile()) return;
  if (stat.isSymbolicLink()) throw new Moved();
  throw new FsError(stat.isDirectory() ? 'FS_IS_DIRECTORY' : 'FS_NOT_REGULAR', path, { operation });
}

/** A part of an open file. @throws `Moved` when the file changed meanwhile: then the bytes may be of no version. */
export async function readBytes({ fd, stat, version }: OpenFile, offset: number, length: number, { path, operation, signal }: Asked): Promise<Uint8Array> {
  const size = Number(stat.size);
  const wanted = Math.max(0, Math.min(length, size - offset));
  if (wanted > MAX_BYTES) throw new FsError('FS_TOO_LARGE', path, { operation, detail: `is too large: ${size} bytes, at most ${MAX_BYTES} are read at once` });
  // Not from Node's shared pool: it becomes the caller's own.
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(wanted).buffer);
  await readInto({ fd }, bytes, offset, wanted, { path, operation, signal });
  if (wanted > 0 && versionOf(await os.fstat(fd)) !== version) throw new Moved();
  return bytes;
}

/** Fills the beginning of a buffer. Whoever calls it sees to the version. @throws `Moved` when the file is shorter by now */
export async function readInto({ fd }: Pick<OpenFile, 'fd'>, bytes: Uint8Array, offset: number, length: number, { path, operation, signal }: Asked): Promise<void> {
  for (let done = 0; done < length; ) {
    throwIfCancelled(signal, path, operation);
    const count = await os.read(fd, bytes, done, Math.min(CHUNK_BYTES, length - done), offset + done);
    if (count === 0) throw new Moved();
    done += count;
  }
  throwIfCancelled(signal, path, operation);
}

/** Filesystems whose files hold what the kernel makes up: proc, sysfs, debugfs, tracefs, cgroup, cgroup2, securityfs, configfs, bpf, pstore, efivarfs, devpts. */
const GENERATED = new Set([0x9fa0, 0x62656572, 0x64626720, 0x74726163, 0x27e0eb, 0x63677270, 0x73636673, 0x62656570, 0xcafe4a11, 0x6165676c, 0xde5e81e4, 0x1cd1]);

async function isGenerated(fd: number): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const { type } = await os.statfs(`/proc/self/fd/${fd}`).catch(() => ({ type: 0 }));
  return GENERATED.has(type);
}
