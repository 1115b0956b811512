import { basename, dirname } from 'node:path';
import { constants } from 'node:fs';
import {
  assertPrecondition, DEFAULT_MAX_TEXT_BYTES, encodeText, FORMAT_BYTES, formatOf, formatToKeep, FsError, replacedText, throwIfCancelled, UTF8,
  type FsPrecondition, type FsReplaced, type FsTextFormat, type FsVersion,
} from '@sluice/fs';
import { alreadyOpen, openMaking, type Opened } from './directories.ts';
import { Moved, type Dir } from './handles.ts';
import type { Asked, Place } from './locate.ts';
import { codeOf, os, unlessMissing, type OsStat } from './os.ts';
import { OldFile } from './old-file.ts';
import { assertRegular } from './reading.ts';
import { discard, publishedVersion, publishNew, replace, stage, type Staged } from './staging.ts';
import { versionOf } from './version.ts';
import type { Workspace } from './workspace.ts';

/** What a file is to hold. */
export interface Made {
  readonly pieces: readonly Uint8Array[];
  /** Bytes in all of them. */
  readonly size: number;
  readonly format?: FsTextFormat | undefined;
  readonly replaced?: FsReplaced | undefined;
}
export interface Put extends Omit<Made, 'pieces'> {
  readonly version: FsVersion;
  readonly isNew: boolean;
}

/** In place of pieces: what is there stays. */
export const KEPT: readonly Uint8Array[] = [];

/** Creates or replaces a regular file. Nothing is changed, and no directory made, before everything that can be checked has been. */
export async function put(ws: Workspace, place: Place, ifVersion: FsPrecondition | undefined, asked: Asked, make: (old: OldFile | undefined) => Made | Promise<Made>): Promise<Put> {
  const { path, operation } = asked;
  if (place.state === 'below-file') throw belowFile(path, operation);
  const belowFileIf = (error: unknown): never => {
    throw codeOf(error) === 'ENOTDIR' ? belowFile(path, operation) : error;
  };
  const parent = await ws.parent(place).catch(belowFileIf);
  try {
    const old = parent && (await unlessMissing(ws.fresh(() => os.lstat(parent.dir.at(parent.name)))));
    if (old === undefined && place.isDangling) throw new FsError('FS_NOT_REGULAR', path, { operation, detail: 'is a link that leads nowhere' });
    if (old !== undefined) assertRegular(old, asked);
    const version = old && versionOf(old);
    assertPrecondition(version, ifVersion, path, operation);
    if (old !== undefined) await assertReplaceable(ws, parent as { dir: Dir; name: string }, place, old, asked);
    const made = await (old === undefined ? make(undefined) : fromOld(ws, place, old, ifVersion, asked, make));
    if (old !== undefined && made.pieces === KEPT) return { version: versionOf(old), size: Number(old.size), isNew: false, format: made.format };
    if (parent !== undefined) return await publish(ws, place, alreadyOpen(parent.dir), old, ifVersion, made, asked);
    const opened = await openMaking(ws.anchor, dirname(place.real), place.root.real).catch(belowFileIf);
    try {
      return await publish(ws, place, opened, old, ifVersion, made, asked);
    } finally {
      await opened.close();
    }
  } finally {
    await parent?.dir.close();
  }
}

async function fromOld(ws: Workspace, place: Place, old: OsStat, ifVersion: FsPrecondition | undefined, asked: Asked, make: (old: OldFile) => Made | Promise<Made>): Promise<Made> {
  const file = new OldFile(ws, place, old, asked);
  try {
    return await make(file);
  } catch (error) {
    throw error instanceof Moved && ifVersion !== undefined ? new FsError('FS_STALE', asked.path, { operation: asked.operation }) : error;
  } finally {
    await file.close();
  }
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

/** `opened` stays open. */
async function publish(ws: Workspace, place: Place, opened: Opened, old: OsStat | undefined, ifVersion: FsPrecondition | undefined, made: Made, asked: Asked): Promise<Put> {
  const { path, operation, signal } = asked;
  const { dir } = opened;
  const name = basename(place.real);
  let staged: Staged | undefined;
  let isPublished = false;
  try {
    staged = await stage(dir, made.pieces, old, ws.isCoarse, asked).catch((error: unknown) => {
      // The directory was removed after it was opened: what has to be made is another matter now.
      if (codeOf(error) === 'ENOENT' && !dir.isStill()) throw new Moved();
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
    return { version, size: made.size, isNew: old === undefined, format: made.format, replaced: made.replaced };
  } catch (error) {
    // What is there by now is not what the caller meant, if it said what it meant; otherwise it is looked at again.
    if (!(error instanceof Moved) || staged === undefined || ifVersion === undefined) throw error;
    throw new FsError(ifVersion === null ? 'FS_EXISTS' : 'FS_STALE', path, { operation });
  } finally {
    if (staged !== undefined && isPublished) await os.close(staged.fd);
    else if (staged !== undefined) await discard(staged);
    if (!isPublished) await opened.undo();
  }
}

/** Text is encoded like the file it replaces, if nothing else is asked for. */
export async function encoded(content: string, format: FsTextFormat | undefined, compareUpTo: number, old: OldFile | undefined, path: string): Promise<Made> {
  const made = encodeText(content, format ?? (await formatKept(old)), path);
  const replaced = old === undefined || old.size > compareUpTo ? undefined : replacedText(made.bytes, made.format, await old.comparedWith(made.bytes, made.format));
  return { pieces: [made.bytes], size: made.bytes.length, format: made.format, replaced };
}

async function formatKept(old: OldFile | undefined): Promise<FsTextFormat> {
  if (old === undefined) return UTF8;
  const head = formatOf(await old.read(0, FORMAT_BYTES));
  if (head.encoding === 'utf-8') return head;
  return old.size > DEFAULT_MAX_TEXT_BYTES ? UTF8 : formatToKeep(await old.read());
}

export function belowFile(path: string, operation: string): FsError {
  return new FsError('FS_NOT_DIRECTORY', path, { operation, detail: 'is below a file, which is not a directory' });
}
