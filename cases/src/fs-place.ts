import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Context } from '@sluice/core-tools';
import { fsLocal } from '@sluice/fs-local';
import { fsMemory, MemoryVolume } from '@sluice/fs-memory';
import { listOf, recordOf, type Case, type Json, type JsonRecord, wordOf } from './case.ts';

/** Where the files of a case are. Paths are relative to the workspace; with `outside`, to what is next to it. */
export interface FsPlace {
  readonly kind: 'disk' | 'memory';
  /** Absolute path of the workspace. */
  readonly root: string;
  mount(ctx: Context): void;
  bytes(path: string): Uint8Array | undefined;
  put(path: string, bytes: Uint8Array): void;
  /** Of a file next to the workspace; undefined where there is no such place. */
  outside(key: string): Uint8Array | undefined;
  /** Permission bits, in octal. */
  mode(path: string): string;
  isLink(path: string): boolean;
  remove(): void;
}

/** What only a disk has. */
export function needsDisk(input: Case): boolean {
  const { fifos, modes } = recordOf(input['workspace']);
  return [fifos, modes, input['outside'], input['races']].some((part) => part !== undefined);
}

export function aPlace(kind: FsPlace['kind'], input: Case): FsPlace {
  return kind === 'disk' ? onDisk(input) : inMemory(input);
}

/** `text`, `hex` or `build` of a case as bytes. @throws TypeError for anything else */
export function bytesOf(file: JsonRecord): Uint8Array {
  if (file['hex'] !== undefined) return Uint8Array.from(Buffer.from(wordOf(file['hex']), 'hex'));
  if (file['build'] !== undefined) return Uint8Array.from(Buffer.from(listOf(file['build']).map(({ text, times }) => wordOf(text).repeat(Number(times ?? 1))).join('')));
  return Uint8Array.from(Buffer.from(wordOf(file['text'])));
}

/** The words for places in a path or other text of a case. */
export function withPlaces(text: string, root: string): string {
  return text.replaceAll('@abs', root).replaceAll('@outside', join(dirname(root), 'outside')).replaceAll('@root', basename(root));
}

function inMemory(input: Case): FsPlace {
  const { files, symlinks } = recordOf(input['workspace']);
  const volume = new MemoryVolume();
  for (const [path, file] of Object.entries(recordOf(files))) volume.put(path, bytesOf(recordOf(file)));
  for (const [path, target] of Object.entries(recordOf(symlinks))) volume.link(path, linkTarget(path, withPlaces(wordOf(target), volume.rootPath)));
  return {
    kind: 'memory',
    root: volume.rootPath,
    mount: (ctx) => void ctx.plugin(fsMemory, { volume }),
    bytes: (path) => volume.files()[path],
    put: (path, bytes) => { volume.put(path, bytes); },
    outside: () => undefined,
    mode: () => '',
    isLink: () => true,
    remove: () => undefined,
  };
}

function onDisk(input: Case): FsPlace {
  const { files, symlinks, fifos, modes } = recordOf(input['workspace']);
  const home = mkdtempSync(join(tmpdir(), 'sluice-case-'));
  const root = join(home, 'work');
  const outside = join(home, 'outside');
  for (const directory of [root, outside]) mkdirSync(directory);
  const put = (path: string, bytes: Uint8Array): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  };
  const next = (key: string): string => (key.startsWith('@') ? join(home, withPlaces(key, root)) : join(outside, key));
  const read = (path: string): Uint8Array | undefined => (existsSync(path) ? Uint8Array.from(statSync(path).isFile() ? readFileSync(path) : []) : undefined);
  for (const [path, file] of Object.entries(recordOf(files))) put(join(root, path), bytesOf(recordOf(file)));
  for (const [key, file] of Object.entries(recordOf(recordOf(input['outside'])['files']))) put(next(key), bytesOf(recordOf(file)));
  for (const [path, target] of Object.entries(recordOf(symlinks))) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(linkTarget(path, withPlaces(wordOf(target), root)), join(root, path));
  }
  for (const path of (fifos ?? []) as string[]) execFileSync('mkfifo', [join(root, path)]);
  for (const [path, mode] of Object.entries(recordOf(modes))) chmodSync(join(root, path), Number.parseInt(wordOf(mode), 8));
  return {
    kind: 'disk',
    root,
    mount: (ctx) => void ctx.plugin(fsLocal, { root }),
    bytes: (path) => read(join(root, path)),
    put: (path, bytes) => { put(join(root, path), bytes); },
    outside: (key) => read(next(key)),
    mode: (path) => (statSync(join(root, path)).mode & 0o7777).toString(8),
    isLink: (path) => lstatSync(join(root, path)).isSymbolicLink(),
    remove: () => { rmSync(home, { recursive: true, force: true }); },
  };
}

/** Targets are given from the workspace; a link has them from where it is. */
function linkTarget(path: string, target: string): string {
  if (target.startsWith('/')) return target;
  return `${'../'.repeat(path.split('/').length - 1)}${target}`;
}

/** Every text in a value of a case with its places filled in. */
export function filledIn(value: Json | undefined, root: string): Json {
  if (typeof value === 'string') return withPlaces(value, root);
  if (Array.isArray(value)) return value.map((item: Json) => filledIn(item, root));
  if (typeof value !== 'object' || value === null) return value ?? null;
  const record = recordOf(value);
  if (record['build'] !== undefined) return new TextDecoder().decode(bytesOf(record));
  return Object.fromEntries(Object.entries(record).map(([key, item]) => [key, filledIn(item, root)]));
}
