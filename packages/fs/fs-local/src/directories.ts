import { basename, dirname } from 'node:path';
import type { Anchor, Dir } from './handles.ts';
import { codeOf, os } from './os.ts';

/** A directory with those that had to be made for it. */
export interface Opened {
  readonly dir: Dir;
  /** The last one was made by us. */
  readonly isNew: boolean;
  /** Puts on the disk that they are there. */
  sync(): Promise<void>;
  /** Takes away what was made, as far as it is empty. */
  undo(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a directory, and makes it with all that is missing above it, below a root that exists. `real` is a path without links.
 * Rejects with ENOTDIR when something else is in the way.
 */
export async function openMaking(anchor: Anchor, real: string, root: string): Promise<Opened> {
  const missing: string[] = [];
  let dir: Dir | undefined;
  for (let at = real; dir === undefined; at = dirname(at)) {
    try {
      dir = await anchor.openDir(at);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || at === root || at === dirname(at)) throw error;
      missing.unshift(basename(at));
    }
  }
  const chain: Dir[] = [dir];
  const made: { in: Dir; name: string }[] = [];
  let isNew = false;
  const close = async (): Promise<void> => {
    for (const each of chain.reverse()) await each.close();
  };
  const undo = async (): Promise<void> => {
    for (const each of made.reverse()) await os.rmdir(each.in.at(each.name)).catch(() => undefined);
  };
  try {
    for (const name of missing) {
      isNew = await make(dir, name);
      if (isNew) made.push({ in: dir, name });
      dir = await dir.child(name);
      chain.push(dir);
    }
  } catch (error) {
    await undo();
    await close();
    throw error;
  }
  const sync = async (): Promise<void> => {
    for (const each of made) await each.in.sync();
  };
  return { dir, isNew, sync, undo, close };
}

/** A directory that was there, and that somebody else closes. */
export function alreadyOpen(dir: Dir): Opened {
  return { dir, isNew: false, sync: nothing, undo: nothing, close: nothing };
}
const nothing = (): Promise<void> => Promise.resolve();

async function make(dir: Dir, name: string): Promise<boolean> {
  try {
    await os.mkdir(dir.at(name));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}
