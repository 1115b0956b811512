import {
  assertPrecondition, decodeText, DEFAULT_MAX_TEXT_BYTES, editedPieces, FsError, isFsError, joined, throwIfCancelled, walkTree, withLineEndings,
  type FsBytes, type FsCode, type FsEditOptions, type FsEntry, type FsInfo, type FsLookOptions, type FsMoveOptions, type FsOptions, type FsProvider,
  type FsReadRangeOptions, type FsReadTextOptions, type FsRemoveOptions, type FsSpan, type FsStat, type FsTarget, type FsText, type FsVersion,
  type FsWalkOptions, type FsWriteOptions, type FsWritten,
} from '@sluice/fs';
import { openMaking } from './directories.ts';
import type { Anchor } from './handles.ts';
import { entriesOf, typeOf } from './listing.ts';
import type { Asked, Place } from './locate.ts';
import { move, remove } from './moving.ts';
import { codeOf, os, type OsStat } from './os.ts';
import { readBytes, type OpenFile } from './reading.ts';
import type { Roots } from './roots.ts';
import { mtimeMsOf, versionOf } from './version.ts';
import { notFound, Workspace, type LocalRules } from './workspace.ts';
import { belowFile, encoded, KEPT, put, type Put } from './writing.ts';

/** Directories of this machine as a provider. */
export class LocalProvider implements FsProvider {
  readonly info: FsInfo;
  readonly #ws: Workspace;

  /** `anchor` only to have the one of other platforms. */
  constructor(roots: Roots, rules: LocalRules, anchor?: Anchor) {
    this.#ws = new Workspace(roots, rules, anchor);
    this.info = Object.freeze({
      provider: 'fs-local',
      roots: Object.freeze(roots.all.map(({ name, path, isReadOnly }) => Object.freeze({ name, path, isReadOnly }))),
      isCaseSensitive: roots.isCaseSensitive,
    });
  }

  resolve(path: string, { followLink = true, signal }: FsLookOptions = {}): Promise<FsTarget> {
    const asked: Asked = { path, operation: 'find', signal };
    return this.#looking(asked, async (normal) => targetOf(normal, await this.#ws.locate(normal, followLink, asked)));
  }

  stat(path: string, { followLink = true, signal }: FsLookOptions = {}): Promise<FsStat | undefined> {
    const asked: Asked = { path, operation: 'look at', signal };
    return this.#looking(asked, async (normal) => {
      const own = await this.#ws.locate(normal, false, asked);
      if (own === undefined) return normal === '.' ? TOP : undefined;
      const stat = await this.#ws.look(own);
      if (stat?.isSymbolicLink() !== true) return stat && this.#stat(normal, own, stat, false);
      if (!followLink) return this.#stat(normal, own, stat, true);
      const target = await this.#behindLink(normal, asked);
      return typeof target === 'string' ? this.#stat(normal, own, stat, true) : this.#stat(normal, target.place, target.stat, true);
    });
  }

  readRange(path: string, { offset = 0, length = Infinity, ifVersion, signal }: FsReadRangeOptions = {}): Promise<FsBytes> {
    const asked: Asked = { path, operation: 'read', signal };
    return this.#reading(asked, ifVersion, async (target, file) => {
      const bytes = await readBytes(file, offset, length, asked);
      return Object.freeze({ ...target, version: file.version, size: Number(file.stat.size), offset, bytes });
    });
  }

  readText(path: string, { maxBytes = DEFAULT_MAX_TEXT_BYTES, ifVersion, signal }: FsReadTextOptions = {}): Promise<FsText> {
    const asked: Asked = { path, operation: 'read', signal };
    return this.#reading(asked, ifVersion, async (target, file) => {
      const size = Number(file.stat.size);
      if (size > maxBytes) throw new FsError('FS_TOO_LARGE', path, { operation: 'read', detail: `is too large: ${size} bytes, at most ${maxBytes} are read as text` });
      return withLineEndings({ ...target, version: file.version, size, ...decodeText(await readBytes(file, 0, size, asked), path) });
    });
  }

  write(path: string, content: string | Uint8Array, { ifVersion, format, compareUpTo = 0, signal }: FsWriteOptions = {}): Promise<FsWritten> {
    // The caller may do what it likes with its bytes from now on.
    const fixed = typeof content === 'string' ? content : content.slice();
    return this.#changing({ path, operation: 'write', signal }, async (place, asked) =>
      put(this.#ws, place, ifVersion, asked, (old) => (typeof fixed === 'string' ? encoded(fixed, format, compareUpTo, old, path) : { pieces: [fixed], size: fixed.length })),
    );
  }

  edit(path: string, spans: readonly FsSpan[], { ifVersion, signal }: FsEditOptions): Promise<FsWritten> {
    return this.#changing({ path, operation: 'edit', signal }, async (place, asked) =>
      put(this.#ws, place, ifVersion, asked, async (old) => {
        if (old === undefined) throw notFound(path, 'edit');
        if (old.size > DEFAULT_MAX_TEXT_BYTES) throw new FsError('FS_TOO_LARGE', path, { operation: 'edit', detail: `is too large: ${old.size} bytes, at most ${DEFAULT_MAX_TEXT_BYTES} are edited as text`, hint: 'It was not changed.' });
        const { isSame, ...made } = editedPieces(await old.read(), spans, path);
        // The same bytes again would be a change for everybody else who watches the file, and for nothing.
        return isSame ? { ...made, pieces: KEPT } : made;
      }),
    );
  }

  list(path: string, { signal }: FsOptions = {}): Promise<readonly FsEntry[]> {
    const asked: Asked = { path, operation: 'list', signal };
    return this.#looking(asked, async (normal) => {
      const place = await this.#ws.locate(normal, true, asked);
      if (place === undefined) return this.#listTop(normal, asked);
      if (place.state !== 'there') throw notFound(path, 'list', place.isDangling);
      const dir = await this.#ws.anchor.openDir(place.real);
      try {
        return Object.freeze(await entriesOf(dir, normal, (entry) => this.#linkedStat(entry, asked), asked));
      } finally {
        await dir.close();
      }
    });
  }

  async *walk(path: string, options: FsWalkOptions = {}): AsyncGenerator<FsEntry, void, void> {
    yield* walkTree(this, this.#ws.roots.normal(path, 'walk'), options);
  }

  async remove(path: string, { recursive = false, ifVersion, signal }: FsRemoveOptions = {}): Promise<void> {
    const asked: Asked = { path, operation: 'remove', signal };
    const normal = this.#ws.roots.normal(path, 'remove');
    const place = (): Promise<Place> => this.#ws.changeable(normal, false, asked);
    return this.#ws.inTurn([normal], asked, async () => [await place()], ([found]) => remove(this.#ws, found as Place, recursive, ifVersion, asked));
  }

  async move(from: string, to: string, { overwrite = false, ifVersion, signal }: FsMoveOptions = {}): Promise<FsTarget> {
    const asked: Asked = { path: from, operation: 'move', signal };
    const normals = [this.#ws.roots.normal(from, 'move'), this.#ws.roots.normal(to, 'move to')] as const;
    const places = async (): Promise<[Place, Place]> => [
      await this.#ws.changeable(normals[0], false, asked),
      await this.#ws.changeable(normals[1], false, { path: to, operation: 'move to', signal }),
    ];
    return this.#ws.inTurn(normals, asked, places, async (found) => {
      const [source, goal] = found as [Place, Place];
      await move(this.#ws, source, goal, to, overwrite, ifVersion, asked);
      return targetOf(normals[1], goal);
    });
  }

  async mkdir(path: string, { signal }: FsOptions = {}): Promise<FsTarget & { readonly isNew: boolean }> {
    const asked: Asked = { path, operation: 'make', signal };
    const normal = this.#ws.roots.normal(path, 'make');
    return this.#ws.settled(asked, async () => {
      const there = await this.#ws.locate(normal, true, asked);
      if (there === undefined && normal === '.') return Object.freeze({ ...targetOf(normal, undefined), isNew: false });
      const stat = there && (await this.#ws.look(there));
      if (there !== undefined && stat?.isDirectory() === true) return Object.freeze({ ...targetOf(normal, there), isNew: false });
      const place = await this.#ws.changeable(normal, true, asked);
      if (place.state === 'below-file') throw belowFile(path, 'make');
      if (stat !== undefined || place.isDangling) throw new FsError('FS_EXISTS', path, { operation: 'make', detail: 'exists already, and is not a directory' });
      const opened = await openMaking(this.#ws.anchor, place.real, place.root.real).catch((error: unknown) => {
        throw codeOf(error) === 'ENOTDIR' ? belowFile(path, 'make') : error;
      });
      try {
        await opened.sync();
        return Object.freeze({ ...targetOf(normal, place), isNew: opened.isNew });
      } finally {
        await opened.close();
      }
    });
  }

  localPath(path: string, { signal }: FsOptions = {}): Promise<string> {
    const asked: Asked = { path, operation: 'find', signal };
    return this.#looking(asked, async (normal) => {
      const place = await this.#ws.locate(normal, true, asked);
      if (place === undefined) throw new FsError('FS_UNSUPPORTED', path, { operation: 'find', detail: 'is no directory of this machine' });
      return place.real;
    });
  }

  /** What all operations that change nothing have in common. Asynchronous, so that what is thrown rejects. */
  async #looking<T>(asked: Asked, look: (normal: string) => Promise<T>): Promise<T> {
    const normal = this.#ws.roots.normal(asked.path, asked.operation);
    return this.#ws.settled(asked, () => look(normal));
  }

  #reading<T>(asked: Asked, ifVersion: FsVersion | undefined, read: (target: FsTarget, file: OpenFile) => Promise<T>): Promise<T> {
    return this.#looking(asked, async (normal) => {
      const place = await this.#ws.locate(normal, true, asked);
      if (place === undefined && normal === '.') throw new FsError('FS_IS_DIRECTORY', asked.path, { operation: asked.operation });
      let file: OpenFile;
      try {
        file = await this.#ws.open(place, asked);
      } catch (error) {
        const isGone = codeOf(error) === 'ENOENT' || (isFsError(error) && error.code === 'FS_NOT_FOUND');
        if (isGone && ifVersion !== undefined) assertPrecondition(undefined, ifVersion, asked.path, asked.operation);
        throw error;
      }
      try {
        assertPrecondition(file.version, ifVersion, asked.path, asked.operation);
        return await read(targetOf(normal, place), file);
      } finally {
        await os.close(file.fd);
      }
    });
  }

  async #changing(asked: Asked, change: (place: Place, asked: Asked) => Promise<Put>): Promise<FsWritten> {
    const normal = this.#ws.roots.normal(asked.path, asked.operation);
    const place = (): Promise<Place> => this.#ws.changeable(normal, true, asked);
    return this.#ws.inTurn([normal], asked, async () => [await place()], async (places) => {
      const [found] = places as [Place];
      const { version, size, isNew, format, replaced } = await change(found, asked);
      const more = { ...(format === undefined ? {} : { format: Object.freeze(format) }), ...(replaced === undefined ? {} : { replaced }) };
      return Object.freeze({ ...targetOf(normal, found), version, size, isNew, ...more });
    });
  }

  async #stat(normal: string, place: Place, stat: OsStat, isLink: boolean): Promise<FsStat> {
    const isReadOnly = (await this.#ws.refusal(place, stat)) !== undefined;
    return Object.freeze({
      path: normal, key: place.key, type: typeOf(stat), isLink, size: stat.isFile() ? Number(stat.size) : 0, mtimeMs: mtimeMsOf(stat), version: versionOf(stat), isReadOnly,
    });
  }

  /** What a link leads to; the code of what it does not. */
  async #behindLink(normal: string, asked: Asked): Promise<{ place: Place; stat: OsStat } | FsCode> {
    try {
      const place = await this.#ws.locate(normal, true, asked);
      const stat = place && (await this.#ws.look(place));
      return place === undefined || stat === undefined || stat.isSymbolicLink() ? 'FS_NOT_FOUND' : { place, stat };
    } catch (error) {
      throwIfCancelled(asked.signal, asked.path, asked.operation);
      if (isFsError(error)) return error.code;
      throw error;
    }
  }

  async #linkedStat(normal: string, asked: Asked): Promise<OsStat | FsCode> {
    const target = await this.#behindLink(normal, asked);
    return typeof target === 'string' ? target : target.stat;
  }

  async #listTop(normal: string, { path, operation, signal }: Asked): Promise<readonly FsEntry[]> {
    if (normal !== '.') throw notFound(path, operation);
    const stats = await Promise.all(this.#ws.roots.all.map(({ name }) => this.stat(name, { signal })));
    const entries = stats.flatMap((stat) => (stat === undefined ? [] : [Object.freeze({ name: stat.path, path: joined('.', stat.path), type: stat.type, isLink: false, size: 0, mtimeMs: stat.mtimeMs })]));
    return Object.freeze(entries.sort(({ name: a }, { name: b }) => (a < b ? -1 : 1)));
  }
}

/** Where the roots of a workspace of several are. */
const TOP: FsStat = Object.freeze({ path: '.', key: '.', type: 'directory', isLink: false, size: 0, mtimeMs: 0, version: 'top', isReadOnly: true });

function targetOf(normal: string, place: Place | undefined): FsTarget {
  return Object.freeze({ path: normal, key: place?.key ?? normal });
}
