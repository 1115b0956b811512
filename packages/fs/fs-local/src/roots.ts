import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { FsError, normalPath, type FsRoot, type PathRules } from '@sluice/fs';
import { assertWindowsNames } from './windows-names.ts';

export interface RootOptions {
  /** Directory; relative to the process's working directory, or absolute. */
  readonly path: string;
  readonly isReadOnly: boolean;
}

/** A directory that files are in. `real` is its path without links: what the system says of what is in it begins with that. */
export interface Root extends FsRoot {
  readonly real: string;
}

const isWindows = process.platform === 'win32';

/** The directories of a workspace: which there are, what is in them, and how what is in them is called. */
export class Roots {
  readonly all: readonly Root[];
  readonly isCaseSensitive: boolean;
  readonly #rules: PathRules;

  /** Looks at the disk, synchronously. Throws a TypeError for what is no directory, and for directories within each other. */
  constructor(roots: Readonly<Record<string, RootOptions>>) {
    this.all = Object.freeze(Object.entries(roots).map(([name, options]) => rootOf(name, options)));
    for (const one of this.all) {
      for (const other of this.all) {
        if (one !== other && isBelow(other.real, one.real)) throw new TypeError(`fs-local: roots must not be within each other, but "${other.name}" is in "${one.name}"`);
      }
    }
    this.isCaseSensitive = this.all.every(({ real }) => tellsCaseApart(real));
    // Both spellings of each: people copy the one that they see.
    this.#rules = { roots: this.all.flatMap(({ name, path, real }) => [{ name, path }, { name, path: real }]), isWindows };
  }

  /** Several roots look like the directories of a directory, which is none. */
  get isVirtual(): boolean {
    return this.all[0]?.name !== '';
  }

  normal(path: string, operation: string): string {
    const normal = normalPath(path, this.#rules, operation);
    if (isWindows) assertWindowsNames(normal, path, operation);
    return normal;
  }

  /** The root that a normal path is in, and the names below it. Undefined for what no root has: `.` of several, or a name of none. */
  split(normal: string): { root: Root; names: string[] } | undefined {
    const names = normal === '.' ? [] : normal.split('/');
    const [first] = this.all;
    if (!this.isVirtual) return { root: first as Root, names };
    const root = this.all.find(({ name }) => name === names[0]);
    return root === undefined ? undefined : { root, names: names.slice(1) };
  }

  /** The root that a path without links is in. */
  rootOf(real: string): Root | undefined {
    return this.all.find((root) => isBelow(real, root.real));
  }

  /** Normal path of a path without links, and the key of the file there. @throws FsError `FS_OUTSIDE_WORKSPACE` */
  nameOf(real: string, path: string, operation: string): { root: Root; name: string; key: string } {
    const root = this.rootOf(real);
    if (root === undefined) throw new FsError('FS_OUTSIDE_WORKSPACE', path, { operation });
    const below = real.slice(root.real.length).split(sep).filter((part) => part !== '');
    const name = (root.name === '' ? below : [root.name, ...below]).join('/') || '.';
    return { root, name, key: this.isCaseSensitive ? name : name.normalize('NFC').toLowerCase() };
  }

  /** Absolute, for an absolute target of a link that is spelt through a link above the root. */
  unaliased(target: string): string {
    for (const { path, real } of this.all) if (path !== real && isBelow(target, path)) return join(real, target.slice(path.length));
    return target;
  }
}

export function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

function rootOf(name: string, { path, isReadOnly }: RootOptions): Root {
  const absolute = resolve(path);
  let real: string;
  try {
    real = realpathSync.native(absolute);
    if (!statSync(real).isDirectory()) throw new Error('it is not a directory');
  } catch (cause) {
    throw new TypeError(`fs-local: the root "${path}" cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  if (real.includes('\ufffd')) throw new TypeError(`fs-local: the root "${path}" has a name that is no valid text`);
  return Object.freeze({ name, path: absolute, real, isReadOnly });
}

/** Asks for the directory, or one above it, in the other letter case. */
function tellsCaseApart(real: string): boolean {
  for (let at = real; at !== dirname(at); at = dirname(at)) {
    const name = basename(at);
    const swapped = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
    if (swapped === name) continue;
    const other = statSync(join(dirname(at), swapped), { throwIfNoEntry: false });
    const own = statSync(at);
    return other?.ino !== own.ino || other.dev !== own.dev;
  }
  return process.platform !== 'win32' && process.platform !== 'darwin';
}
