import { basename, dirname } from 'node:path';
import { constants } from 'node:fs';
import { FsError, throwIfCancelled, Turns } from '@sluice/fs';
import { anchorFor, Moved, pathAnchor, procAnchor, type Anchor, type Dir } from './handles.ts';
import { aged, isCoarse } from './freshness.ts';
import { locate, type Asked, type Place } from './locate.ts';
import { openRegular, type OpenFile } from './reading.ts';
import { asFsError } from './os-errors.ts';
import { codeOf, os, unlessMissing, type OsStat } from './os.ts';
import type { Roots } from './roots.ts';

export interface LocalRules {
  /** Of a normal real path. */
  readonly isProtected: (path: string) => boolean;
  readonly hardLinks: 'refuse' | 'part';
}

/** Times that something is looked at anew when another program moved it in between. */
const ATTEMPTS = 12;
/** Characters that some filesystems leave out of names, so that they must not make another name of a protected one. */
const LEFT_OUT = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Paths, what may be done to them, and the way to what they lead to. Knows nothing of contents. */
export class Workspace {
  readonly roots: Roots;
  readonly rules: LocalRules;
  readonly anchor: Anchor;
  /** Two changes at once may have the same time. */
  readonly isCoarse: boolean;
  readonly fresh: (look: () => Promise<OsStat>) => Promise<OsStat>;
  readonly #byPath = new Turns();
  readonly #byKey = new Turns();

  constructor(roots: Roots, rules: LocalRules, anchor?: Anchor) {
    this.roots = roots;
    this.rules = rules;
    this.anchor = anchor ?? (roots.all.every(({ real }) => anchorFor(real) === procAnchor) ? procAnchor : pathAnchor);
    this.isCoarse = roots.all.some(({ real }) => isCoarse(real));
    this.fresh = this.isCoarse ? aged : (look) => look();
  }

  /** A normal path's place; undefined for what is in no root: the top of several, and names that none of them has. */
  async locate(normal: string, followLink: boolean, asked: Asked): Promise<Place | undefined> {
    const split = this.roots.split(normal);
    return split === undefined ? undefined : locate(this.roots, split.root, split.names, followLink, asked);
  }

  /**
   * Runs `look` again when something moved under its feet, and makes every failure one of the seam's.
   *
   * @throws FsError `FS_BUSY` when it never holds still
   */
  async settled<T>(asked: Asked, look: () => Promise<T>): Promise<T> {
    const { path, operation, signal } = asked;
    for (let attempt = 1; ; attempt += 1) {
      throwIfCancelled(signal, path, operation);
      try {
        return await look();
      } catch (error) {
        if (!(error instanceof Moved)) throw asFsError(error, path, operation);
        if (attempt === ATTEMPTS) throw new FsError('FS_BUSY', path, { operation, detail: 'is being changed by another program all the time' });
      }
    }
  }

  /**
   * One change of these paths at a time, in the order they were asked for: turns are taken before anything waits, by path, and then
   * by the files that the paths lead to. What was found is looked for again whenever something may have come in between.
   */
  inTurn<T>(normals: readonly string[], asked: Asked, find: () => Promise<readonly Place[]>, change: (places: readonly Place[]) => Promise<T>): Promise<T> {
    return this.#byPath.take(normals, async () => {
      const first = await this.settled(asked, find);
      const keys = first.map(({ key }) => key);
      let found = this.#byKey.areFree(keys) ? first : undefined;
      return this.#byKey.take(keys, () =>
        this.settled(asked, async () => {
          const places = found ?? (await find());
          found = undefined;
          return change(places);
        }),
      );
    });
  }

  /** The place of a path that may be changed, whatever is there. */
  async changeable(normal: string, followLink: boolean, asked: Asked): Promise<Place> {
    const { path, operation } = asked;
    const place = await this.locate(normal, followLink, asked);
    if (place === undefined || place.real === place.root.real) {
      if (place === undefined && normal !== '.') throw new FsError('FS_READ_ONLY', path, { operation, detail: `is in no root of the workspace; its roots are ${this.roots.all.map(({ name }) => JSON.stringify(name)).join(', ')}` });
      if (!followLink) throw new FsError('FS_PROTECTED', path, { operation, detail: 'is a root of the workspace' });
      throw new FsError('FS_IS_DIRECTORY', path, { operation });
    }
    if (place.root.isReadOnly) throw new FsError('FS_READ_ONLY', path, { operation, detail: 'is in a workspace that is read-only' });
    if (this.isProtected(place.name)) throw new FsError('FS_PROTECTED', path, { operation });
    return place;
  }

  isProtected(name: string): boolean {
    return this.rules.isProtected(name) || (!this.roots.isCaseSensitive && this.rules.isProtected(name.replace(LEFT_OUT, '').normalize('NFC')));
  }

  /** The directory that a place is in, and the place's name there. Undefined when there is no such directory. */
  async parent({ real }: Place): Promise<{ dir: Dir; name: string } | undefined> {
    const dir = await unlessMissing(this.anchor.openDir(dirname(real)));
    return dir === undefined ? undefined : { dir, name: basename(real) };
  }

  /** What is at a place that no link leads on from. */
  async look(place: Place): Promise<OsStat | undefined> {
    if (place.state !== 'there') return undefined;
    // A root is in a directory that is none of ours.
    if (place.real === place.root.real) return unlessMissing(os.lstat(place.real));
    try {
      const parent = await this.parent(place);
      if (parent === undefined) return undefined;
      try {
        return await unlessMissing(this.fresh(() => os.lstat(parent.dir.at(parent.name))));
      } finally {
        await parent.dir.close();
      }
    } catch (error) {
      if (codeOf(error) === 'ENOTDIR') return undefined;
      throw error;
    }
  }

  /** Undefined: no. `real` has to be seen to be inside by then. */
  async refusal(place: Place, stat: OsStat): Promise<'FS_READ_ONLY' | 'FS_PROTECTED' | 'FS_PERMISSION' | undefined> {
    if (place.root.isReadOnly) return 'FS_READ_ONLY';
    if (this.isProtected(place.name)) return 'FS_PROTECTED';
    if (stat.isFile() && (stat.mode & 0o222n) === 0n) return 'FS_READ_ONLY';
    try {
      if (!stat.isSymbolicLink()) await os.access(place.real, constants.W_OK);
      if (stat.isFile()) await os.access(dirname(place.real), constants.W_OK);
      return undefined;
    } catch (error) {
      return codeOf(error) === 'EROFS' ? 'FS_READ_ONLY' : 'FS_PERMISSION';
    }
  }

  /** Opens the regular file at a place. */
  async open(place: Place | undefined, asked: Asked): Promise<OpenFile> {
    const { path, operation } = asked;
    if (place?.state !== 'there') throw notFound(path, operation, place?.isDangling);
    try {
      return await openRegular(this, place.real, asked);
    } catch (error) {
      if (codeOf(error) === 'ENOTDIR') throw notFound(path, operation, false);
      throw error;
    }
  }
}

export function notFound(path: string, operation: string, isDangling = false): FsError {
  return new FsError('FS_NOT_FOUND', path, { operation, ...(isDangling ? { detail: 'is a link that leads nowhere' } : {}) });
}
