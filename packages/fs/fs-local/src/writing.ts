import { basename, dirname } from 'node:path';
import { constants } from 'node:fs';
import {
  assertPrecondition, DEFAULT_MAX_TEXT_BYTES, encodeText, FORMAT_BYTES, formatOf, formatToKeep, FsError, throwIfCancelled, UTF8,
  type FsPrecondition, type FsTextFormat, type FsVersion,
} from '@sluice/fs';
import { openMaking } from './directories.ts';
import { Moved, type Dir } from './handles.ts';
import type { Asked, Place } from './locate.ts';
import { codeOf, os, unlessMissing, type OsStat } from './os.ts';
import { assertRegular, openRegular, readBytes } from './reading.ts';
import { discard, publishedVersion, publishNew, replace, stage, type Staged } from './staging.ts';
import { versionOf } from './version.ts';
import type { Workspace } from './workspace.ts';

/** What a file is to hold. */
export interface Made {
  readonly bytes: Uint8Array;
  readonly format?: FsTextFormat | undefined;
}
/** The file that is there, for who makes its new content of the old. */
export interface OldFile {
  readonly size: number;
  /** From the beginning; all of it if no length is given. */
  read(length?: number): Promise<Uint8Array>;
}
export interface Put {
  readonly version: FsVersion;
  readonly size: number;
  readonly isNew: boolean;
  readonly format?: FsTextFormat | undefined;
}

/** Creates or replaces a regular file. Nothing is changed, and no directory made, before everything that can be checked has been. */
export async function put(ws: Workspace, place: Place, ifVersion: FsPrecondition | undefined, asked: Asked, make: (old: OldFile | undefined) => Made | Promise<Made>): Promise<Put> {
  const { path, operation } = asked;
  if (place.state === 'below-file') throw belowFile(path, operation);
  const parent = await ws.parent(place).catch((error: unknown) => {
    throw codeOf(error) === 'ENOTDIR' ? belowFile(path, operation) : error;
  });
  let old: OsStat | undefined;
  let made: Made;
  try {
    old = parent && (await unlessMissing(ws.fresh(() => os.lstat(parent.dir.at(parent.name)))));
    if (old === undefined && place.isDangling) throw new FsError('FS_NOT_REGULAR', path, { operation, detail: 'is a link that leads nowhere' });
    if (old !== undefined) assertRegular(old, asked);
    const version = old && versionOf(old);
    assertPrecondition(version, ifVersion, path, operation);
    if (old !== undefined) await assertReplaceable(ws, parent as { dir: Dir; name: string }, place, old, asked);
    made = await (old === undefined ? make(undefined) : fromOld(ws, place, old, ifVersion, asked, make));
    if (old !== undefined && made.bytes === KEPT) return { version: versionOf(old), size: Number(old.size), isNew: false, format: made.format };
  } finally {
    await parent?.dir.close();
  }
  return publish(ws, place, old, ifVersion, made, asked);
}

/** In place of bytes: what is there stays. */
export const KEPT = new Uint8Array();

async function fromOld(ws: Workspace, place: Place, old: OsStat, ifVersion: FsPrecondition | undefined, asked: Asked, make: (old: OldFile) => Made | Promise<Made>): Promise<Made> {
  return make({
    size: Number(old.size),
    async read(length = Infinity) {
      const file = await openRegular(ws, place.real, asked);
      try {
        if (file.version !== versionOf(old)) throw new Moved();
        return await readBytes(file, 0, length, asked);
      } catch (error) {
        throw error instanceof Moved && ifVersion !== undefined ? new FsError('FS_STALE', asked.path, { operation: asked.operation }) : error;
      } finally {
        await os.close(file.fd);
      }
    },
  });
}

async function assertReplaceable(ws: Workspace, { dir, name }: { dir: Dir; name: string }, place: Place, old: OsStat, { path, operation }: Asked): Promise<void> {
  if ((old.mode & 0o222n) === 0n) throw new FsError('FS_READ_ONLY', path, { operation });
  if (old.nlink > 1n && ws.rules.hardLinks === 'refuse') {
    throw new FsError('FS_UNSUPPORTED', path, {
      operation,
      detail: `has ${old.nlink} names (hard links), and would be parted from the others`,
      hint: 'It was not changed. Make it a file of its own first, or ask a person to.',
    });
  }
  await os.access(dir.at(name), constants.W_OK);
}

async function publish(ws: Workspace, place: Place, old: OsStat | undefined, ifVersion: FsPrecondition | undefined, made: Made, asked: Asked): Promise<Put> {
  const { path, operation, signal } = asked;
  const opened = await openMaking(ws.anchor, dirname(place.real), place.root.real).catch((error: unknown) => {
    throw codeOf(error) === 'ENOTDIR' ? belowFile(path, operation) : error;
  });
  const { dir } = opened;
  const name = basename(place.real);
  let staged: Staged | undefined;
  let isPublished = false;
  try {
    staged = await stage(dir, made.bytes, old, ws.isCoarse, asked).catch((error: unknown) => {
      if (codeOf(error) !== 'EACCES' && codeOf(error) !== 'EPERM') throw error;
      throw new FsError('FS_PERMISSION', path, { operation, cause: error, detail: 'is in a directory that may not be written' });
    });
    throwIfCancelled(signal, path, operation);
    if (old === undefined) await publishNew(dir, staged.name, dir, name);
    else replace(staged, name, versionOf(old));
    isPublished = true;
    const version = await publishedVersion(staged);
    await Promise.all([dir.sync(), opened.sync()]).catch((cause: unknown) => {
      throw new FsError('FS_IO', path, { operation, cause, detail: 'was written, but the disk did not confirm it', hint: 'Read it again before you rely on it.' });
    });
    return { version, size: made.bytes.length, isNew: old === undefined, format: made.format };
  } catch (error) {
    // What is there by now is not what the caller meant, if it said what it meant; otherwise it is looked at again.
    if (!(error instanceof Moved) || ifVersion === undefined) throw error;
    throw new FsError(ifVersion === null ? 'FS_EXISTS' : 'FS_STALE', path, { operation });
  } finally {
    if (staged !== undefined && isPublished) await os.close(staged.fd);
    else if (staged !== undefined) await discard(staged);
    if (!isPublished) await opened.undo();
    await opened.close();
  }
}

/** Text is encoded like the file it replaces, if nothing else is asked for. */
export async function encoded(content: string, format: FsTextFormat | undefined, old: OldFile | undefined, path: string): Promise<Made> {
  return encodeText(content, format ?? (await formatKept(old)), path);
}

async function formatKept(old: OldFile | undefined): Promise<FsTextFormat> {
  if (old === undefined) return UTF8;
  const head = formatOf(await old.read(FORMAT_BYTES));
  if (head.encoding === 'utf-8') return head;
  return old.size > DEFAULT_MAX_TEXT_BYTES ? UTF8 : formatToKeep(await old.read());
}

export function belowFile(path: string, operation: string): FsError {
  return new FsError('FS_NOT_DIRECTORY', path, { operation, detail: 'is below a file, which is not a directory' });
}
