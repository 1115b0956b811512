import { lstatSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createContext, type Context } from '@sluice/core-context';
import type { FileSystem } from '@sluice/fs';
import { afterEach } from 'vitest';
import { fsLocal, type FsLocalConfig } from '../src/index.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** In memory where there is such a place: thousands of writes that wait for a disk take minutes. */
const PLACE = isThere('/dev/shm') ? '/dev/shm' : tmpdir();

/** A new directory for one test, without links in its path. */
export function aDirectory(place = PLACE): string {
  const path = realpathSync.native(mkdtempSync(join(place, 'fs-local-')));
  cleanups.push(() => { rmSync(path, { recursive: true, force: true }); });
  return path;
}

export interface LocalWorld {
  readonly ctx: Context;
  readonly fs: FileSystem;
  readonly root: string;
  /** Beside the root, with `canary.txt` in it. */
  readonly elsewhere: string;
  /** Absolute path of a name in the root. */
  at(path: string): string;
  put(path: string, content?: string | Uint8Array): string;
  text(path: string): string;
}

/** An empty workspace of its own, and something beside it. */
export function aWorkspace(config: Partial<FsLocalConfig> = {}): LocalWorld {
  const parent = aDirectory();
  const root = join(parent, 'root');
  const elsewhere = join(parent, 'elsewhere');
  mkdirSync(root);
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'canary.txt'), 'CANARY');
  const ctx = createContext({ logger: silent });
  cleanups.push(() => ctx.dispose());
  ctx.plugin(fsLocal, config.roots === undefined ? { root, ...config } : config);
  const at = (path: string): string => join(root, path);
  return {
    ctx, fs: ctx.fs, root, elsewhere, at,
    put(path, content = '') {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
      return at(path);
    },
    text: (path) => readFileSync(at(path), 'utf8'),
  };
}

export function link(path: string, target: string): void {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { recursive: true, force: true });
  symlinkSync(target, path);
}

export function pipe(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  execFileSync('mkfifo', [path]);
}

export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
