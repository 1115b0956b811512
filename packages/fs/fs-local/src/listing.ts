import { lstatSync } from 'node:fs';
import { joined, throwIfCancelled, type FsCode, type FsEntry } from '@sluice/fs';
import { Moved, type Dir } from './handles.ts';
import type { Asked } from './locate.ts';
import { codeOf, os, type OsStat } from './os.ts';
import { asFsError } from './os-errors.ts';
import { mtimeMsOf } from './version.ts';

/** Calls to the system that are under way at once, or that are made in one turn of the event loop. */
const AT_ONCE = 64;
/** Milliseconds that a call takes on no disk of this machine: over a network, the event loop does not wait for it. */
const SLOW_MS = 1;
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What a link leads to, or why not. */
export type FollowLink = (path: string) => Promise<OsStat | FsCode>;

/** All entries of an open directory by name. What goes away meanwhile is left out; what cannot be looked at says why. */
export async function entriesOf(dir: Dir, path: string, followLink: FollowLink, asked: Asked): Promise<FsEntry[]> {
  const names = await dir.names();
  const entries: FsEntry[] = [];
  let isFast = true;
  // Synchronous calls take a fifth of the time, as long as nothing but memory is asked.
  const look = (name: Buffer): OsStat | Promise<OsStat> => {
    if (!isFast) return os.lstat(dir.at(name));
    const began = performance.now();
    try {
      return lstatSync(dir.at(name), { bigint: true });
    } finally {
      isFast = performance.now() - began < SLOW_MS;
    }
  };
  for (let i = 0; i < names.length; i += AT_ONCE) {
    throwIfCancelled(asked.signal, asked.path, asked.operation);
    const some = await Promise.all(names.slice(i, i + AT_ONCE).map((name) => entryOf(look, path, name, followLink, asked)));
    for (const entry of some) if (entry !== undefined) entries.push(entry);
    // Others have their turn in a large directory.
    if (i + AT_ONCE < names.length) await new Promise(setImmediate);
  }
  return entries.sort(({ name: a }, { name: b }) => (a < b ? -1 : a > b ? 1 : 0));
}

async function entryOf(look: (name: Buffer) => OsStat | Promise<OsStat>, directory: string, bytes: Buffer, followLink: FollowLink, { operation }: Asked): Promise<FsEntry | undefined> {
  const name = textOf(bytes);
  const shown = name ?? bytes.toString();
  const path = joined(directory, shown);
  try {
    const own = await look(bytes);
    const isLink = own.isSymbolicLink();
    if (name === undefined) return entry(shown, path, own, isLink, 'FS_BAD_PATH');
    if (!isLink) return entry(name, path, own, false);
    const target = await followLink(path);
    return typeof target === 'string' ? entry(name, path, own, true, target) : entry(name, path, target, true);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    const code: FsCode = error instanceof Moved ? 'FS_BUSY' : (asFsError(error, path, operation) as { code: FsCode }).code;
    return Object.freeze({ name: shown, path, type: 'other', isLink: false, size: 0, mtimeMs: 0, problem: code });
  }
}

function entry(name: string, path: string, stat: OsStat, isLink: boolean, problem?: FsCode): FsEntry {
  const facts = { name, path, type: problem === undefined ? typeOf(stat) : 'other', isLink, size: stat.isFile() ? Number(stat.size) : 0, mtimeMs: mtimeMsOf(stat) } as const;
  return Object.freeze(problem === undefined ? facts : { ...facts, problem });
}

export function typeOf(stat: OsStat): FsEntry['type'] {
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other';
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}
