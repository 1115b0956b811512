import { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';
import { FsError, throwIfCancelled } from '@sluice/fs';
import { Moved } from './handles.ts';
import { codeOf, os, unlessMissing } from './os.ts';
import { isBelow, type Root, type Roots } from './roots.ts';

/** Where a path leads, as far as it could be followed. Only an observation: whoever opens it has to see that it is still so. */
export interface Place {
  readonly root: Root;
  /** Absolute, without links, but for the last segment if that is not followed. Names that do not exist are at its end. */
  readonly real: string;
  /** Normal path of `real`. */
  readonly name: string;
  readonly key: string;
  readonly state: 'there' | 'missing' | 'below-file';
  /** The path's own last segment is a link, and nothing is where it leads to. */
  readonly isDangling: boolean;
}

export interface Asked {
  readonly path: string;
  readonly operation: string;
  readonly signal?: AbortSignal | undefined;
}

/** As many links as Linux follows. */
const MAX_LINKS = 40;
const SEPARATOR = sep === '/' ? '/' : /[\\/]/;
const UNFOLLOWED = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENAMETOOLONG']);

/**
 * Follows the names below a root. What exists is one question to the system; only for what it could not follow do we go step by
 * step, so as to tell what is missing, loops, or leads out to where nothing is.
 *
 * @throws FsError `FS_OUTSIDE_WORKSPACE`, `FS_LINK_LOOP`
 */
export async function locate(roots: Roots, start: Root, names: readonly string[], followLink: boolean, asked: Asked): Promise<Place> {
  const { path, operation, signal } = asked;
  throwIfCancelled(signal, path, operation);
  const last = followLink ? undefined : names[names.length - 1];
  const above = last === undefined ? names : names.slice(0, -1);
  let place: Place;
  try {
    const real = await os.realpath(join(start.real, ...above));
    // What is at the last name is for the caller to see, who has to look at it anyway.
    place = { ...roots.nameOf(last === undefined ? real : join(real, last), path, operation), real: last === undefined ? real : join(real, last), state: 'there', isDangling: false };
  } catch (error) {
    if (!UNFOLLOWED.has(codeOf(error) ?? '')) throw error;
    place = await follow(roots, start, names, followLink, asked);
  }
  throwIfCancelled(signal, path, operation);
  return place;
}

async function follow(roots: Roots, start: Root, names: readonly string[], followLink: boolean, { path, operation, signal }: Asked): Promise<Place> {
  const todo = [...names].reverse();
  let at = start.real;
  let links = 0;
  let isLink: boolean | undefined;
  const placed = async (real: string, state: Place['state']): Promise<Place> => {
    const settled = roots.isCaseSensitive ? real : await asStored(at, real);
    return { ...roots.nameOf(settled, path, operation), real: settled, state, isDangling: isLink === true && state !== 'there' };
  };
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    throwIfCancelled(signal, path, operation);
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    if (roots.rootOf(at) === undefined) {
      // A link led above a root. The only way on is back, through names that are known to be no links.
      if (!roots.all.some(({ real }) => isBelow(real, next))) throw new FsError('FS_OUTSIDE_WORKSPACE', path, { operation });
      at = next;
      continue;
    }
    const stat = await unlessMissing(os.lstat(next));
    if (todo.length === 0) isLink ??= stat?.isSymbolicLink() === true && followLink;
    if (stat?.isSymbolicLink() === true && (todo.length > 0 || followLink)) {
      links += 1;
      if (links > MAX_LINKS) throw new FsError('FS_LINK_LOOP', path, { operation });
      const target = await os.readlink(next).catch((error: unknown) => {
        // It was one when we looked.
        throw codeOf(error) === 'EINVAL' || codeOf(error) === 'ENOENT' ? new Moved() : error;
      });
      if (isAbsolute(target)) at = parse(target).root;
      const below = isAbsolute(target) ? roots.unaliased(target).slice(at.length) : target;
      todo.push(...below.split(SEPARATOR).reverse());
    } else if (stat?.isDirectory() === true) {
      at = next;
    } else {
      const rest = todo.reverse().filter((each) => each !== '' && each !== '.');
      if (stat === undefined) return placed(resolve(next, ...rest), 'missing');
      return placed(resolve(next, ...rest), rest.length === 0 ? 'there' : 'below-file');
    }
  }
  return placed(at, 'there');
}

/** With what exists of it as the disk spells it: in its letter case, and without short names. */
async function asStored(existing: string, real: string): Promise<string> {
  return isBelow(real, existing) ? join(await os.realpath(existing), real.slice(existing.length)) : real;
}
