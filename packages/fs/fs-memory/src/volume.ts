import { FsError, joined, segmentsOf, type FsChange } from '@sluice/fs';
import type { DirectoryNode, FileNode, Node } from './node.ts';

/** What stands at a path. */
export interface Place {
  /** Real path: without links, but for the last segment if that is not followed. */
  readonly real: string;
  /** Undefined when nothing is there. */
  readonly node: Node | undefined;
  /** The last segment of the path that was asked for is a link. */
  readonly isLink: boolean;
  /** The directory that the node is in, or the deepest one there is above what is missing. The root is in itself. */
  readonly parent: DirectoryNode;
  /** Names from `parent` down to the place. */
  readonly names: readonly string[];
  /** A file stands where a directory would have to be. */
  readonly isBelowFile: boolean;
}

/** As many links as Linux follows. */
const MAX_LINKS = 40;

/** Text of a file in UTF-8, or its bytes. A path that ends in `/` is an empty directory, whatever it is given. */
export type VolumeContent = string | Uint8Array;

/**
 * A tree of files in memory. Several workspaces may share one; whoever holds it can look at it and change it past all policies,
 * as another program would. Paths are normal ones.
 */
export class MemoryVolume {
  readonly root: DirectoryNode;
  /** Absolute path that the volume answers to, without a trailing `/`. */
  readonly rootPath: string;
  #ids = 0;
  #bytes = 0;
  readonly #watchers = new Set<(change: FsChange) => void>();

  constructor(files: Readonly<Record<string, VolumeContent>> = {}, { rootPath = '/workspace' }: { rootPath?: string } = {}) {
    this.rootPath = `/${rootPath.split('/').filter((segment) => segment !== '').join('/')}`;
    this.root = this.#directory();
    for (const [path, content] of Object.entries(files)) this.put(path, content);
  }

  /** Bytes in all files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Makes or replaces a file, and the directories above it. */
  put(path: string, content: VolumeContent, { isReadOnly = false }: { isReadOnly?: boolean } = {}): void {
    const isDirectory = path.endsWith('/');
    const place = this.locate(path.replace(/\/+$/, ''), 'put', true);
    if (isDirectory) {
      if (place.node === undefined) this.makeDirectories(place);
      return;
    }
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content.slice();
    if (place.node === undefined) this.setReadOnly(this.addFile(place, bytes), isReadOnly);
    else if (place.node.kind === 'file') {
      this.setReadOnly(place.node, isReadOnly);
      this.replace(place.node, bytes, place.real);
    } else throw new FsError('FS_IS_DIRECTORY', path, { operation: 'put' });
  }

  /** Makes a symbolic link. The target need not exist, nor be inside. */
  link(path: string, target: string): void {
    const place = this.locate(path, 'link', false);
    if (place.node !== undefined) throw new FsError('FS_EXISTS', path, { operation: 'link' });
    this.addNode(place, { kind: 'link', target, ...this.#stamp() });
  }

  /** Removes a file or link, or a directory with all that is in it. */
  remove(path: string): void {
    const place = this.locate(path, 'remove', false);
    if (place.node === undefined || place.real === '.') throw new FsError('FS_NOT_FOUND', path, { operation: 'remove' });
    this.takeOut(place);
    this.forget(place.node);
  }

  /** Every file by path, in order; links and empty directories are left out. The bytes are copies. */
  files(): Record<string, Uint8Array> {
    const found: Record<string, Uint8Array> = {};
    for (const { path, node } of this.below('.', this.root)) if (node.kind === 'file') found[path] = node.bytes.slice();
    return found;
  }

  /** All below a directory, in order; links are not entered. */
  *below(path: string, directory: DirectoryNode): Generator<{ path: string; node: Node }> {
    const stack: { path: string; node: Node }[] = [{ path, node: directory }];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const { path: above, node } = at;
      if (node !== directory) yield at;
      if (node.kind !== 'directory') continue;
      for (const name of [...node.children.keys()].sort(byCodeUnits).reverse()) {
        stack.push({ path: joined(above, name), node: node.children.get(name) as Node });
      }
    }
  }

  /**
   * Follows a normal path. `asGiven` names it in errors.
   *
   * @throws FsError `FS_OUTSIDE_WORKSPACE`, `FS_LINK_LOOP`
   */
  locate(path: string, operation: string, followLink: boolean, asGiven = path): Place {
    const todo = segmentsOf(path).reverse();
    const at: { name: string; node: DirectoryNode; parent: DirectoryNode }[] = [];
    let directory = this.root;
    let links = 0;
    let isLink: boolean | undefined;
    const place = (names: readonly string[], node: Node | undefined, isBelowFile = false): Place => {
      const real = [...at.map(({ name }) => name), ...names].join('/') || '.';
      return { real, node, isLink: isLink === true, parent: directory, names, isBelowFile };
    };
    for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
      if (name === '' || name === '.') continue;
      if (name === '..') {
        const left = at.pop();
        if (left === undefined) throw new FsError('FS_OUTSIDE_WORKSPACE', asGiven, { operation });
        directory = left.parent;
        continue;
      }
      const node = directory.children.get(name);
      // What a link on the way leads to lies above the last segment of the path itself, which comes first to the bottom.
      if (todo.length === 0) isLink ??= node?.kind === 'link';
      if (node?.kind === 'link' && (todo.length > 0 || followLink)) {
        links += 1;
        if (links > MAX_LINKS) throw new FsError('FS_LINK_LOOP', asGiven, { operation });
        const target = this.#targetOf(node.target);
        if (target === undefined) throw new FsError('FS_OUTSIDE_WORKSPACE', asGiven, { operation });
        if (target.isAbsolute) {
          at.length = 0;
          directory = this.root;
        }
        todo.push(...target.segments.reverse());
      } else if (node?.kind === 'directory') {
        at.push({ name, node, parent: directory });
        directory = node;
      } else {
        const names = [name, ...todo.reverse()];
        return names.length === 1 ? place(names, node) : place(names, undefined, node !== undefined);
      }
    }
    const own = at.pop();
    if (own === undefined) return place([], this.root);
    directory = own.parent;
    return place([own.name], own.node);
  }

  addFile(place: Place, bytes: Uint8Array): FileNode {
    const file: FileNode = { kind: 'file', bytes, isReadOnly: false, ...this.#stamp() };
    this.#bytes += bytes.length;
    this.addNode(place, file);
    return file;
  }

  replace(file: FileNode, bytes: Uint8Array, real: string): void {
    this.#bytes += bytes.length - file.bytes.length;
    file.bytes = bytes;
    this.#touch(file);
    this.#tell({ path: real, kind: 'changed' });
  }

  makeDirectories(place: Place): DirectoryNode {
    const directory = this.#directory();
    this.addNode(place, directory);
    return directory;
  }

  /** Puts a node where nothing is, and makes the directories above it. */
  addNode({ parent, names, real }: Place, node: Node): void {
    let directory = parent;
    for (const name of names.slice(0, -1)) {
      const made = this.#directory();
      directory.children.set(name, made);
      this.#touch(directory);
      directory = made;
    }
    directory.children.set(names[names.length - 1] as string, node);
    this.#touch(directory);
    this.#tell({ path: real, kind: 'changed' });
  }

  /** Takes what is there out of its directory. */
  takeOut({ parent, names, real }: Place): void {
    parent.children.delete(names[0] as string);
    this.#touch(parent);
    this.#tell({ path: real, kind: 'removed' });
  }

  /** The node is gone for good. */
  forget(node: Node): void {
    if (node.kind === 'file') this.#bytes -= node.bytes.length;
    if (node.kind === 'directory') for (const { node: each } of this.below('.', node)) if (each.kind === 'file') this.#bytes -= each.bytes.length;
  }

  setReadOnly(file: FileNode, isReadOnly: boolean): void {
    file.isReadOnly = isReadOnly;
  }

  watch(onChange: (change: FsChange) => void): () => void {
    this.#watchers.add(onChange);
    return () => {
      this.#watchers.delete(onChange);
    };
  }

  #tell(change: FsChange): void {
    for (const watcher of [...this.#watchers]) watcher(Object.freeze(change));
  }

  /** Undefined for an absolute target outside the volume. */
  #targetOf(target: string): { isAbsolute: boolean; segments: string[] } | undefined {
    const segments = target.split('/');
    if (!target.startsWith('/')) return { isAbsolute: false, segments };
    const root = this.rootPath.split('/').slice(1);
    const named = segments.filter((segment) => segment !== '' && segment !== '.');
    if (!root.every((segment, i) => segment === named[i])) return undefined;
    return { isAbsolute: true, segments: named.slice(root.length) };
  }

  #directory(): DirectoryNode {
    return { kind: 'directory', children: new Map(), ...this.#stamp() };
  }

  #stamp(): { id: number; revision: number; mtimeMs: number } {
    this.#ids += 1;
    return { id: this.#ids, revision: 0, mtimeMs: Date.now() };
  }

  #touch(node: Node): void {
    node.revision += 1;
    node.mtimeMs = Date.now();
  }
}

export function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
