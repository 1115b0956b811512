import { deepStrictEqual, fail, ok } from 'node:assert/strict';
import { createContext, type Context } from '@sluice/core-tools';
import type { FileSystem, FsCode } from '@sluice/fs';
import { aLogger, type RecordingLogger } from '../logger.ts';

/** Another program, with the same files under its hands. Paths are relative to the workspace. */
export interface OutsideWorld {
  /** Makes or replaces a file in place, with the directories above it. Its version changes. */
  put(path: string, bytes: Uint8Array): void | Promise<void>;
  /** Undefined when there is no such file. */
  bytes(path: string): Uint8Array | undefined | Promise<Uint8Array | undefined>;
  remove(path: string): void | Promise<void>;
  /** Makes a symbolic link; the target is as given, relative to the directory that the link is in, or absolute. Left out where there are none. */
  link?(path: string, target: string): void | Promise<void>;
  /** Makes a file that may not be written. */
  putReadOnly?(path: string, bytes: Uint8Array): void | Promise<void>;
  /** Makes something that is neither file nor directory, such as a named pipe. */
  putSpecial?(path: string): void | Promise<void>;
}

/** One empty workspace, and a provider for it. */
export interface FileSystemFixture {
  /** Mounts the provider. */
  mount(ctx: Context): void | Promise<void>;
  readonly outside: OutsideWorld;
  /** Absolute path of the workspace, as the provider takes it. */
  readonly root: string;
  /** Absolute path of a directory that exists outside of the workspace, with a file `canary.txt`; for providers that have such a thing. */
  readonly elsewhere?: string;
  /** Everything in `elsewhere` is as it was made. */
  assertElsewhereUntouched?(): void | Promise<void>;
  close?(): void | Promise<void>;
}

export interface FileSystemWorld extends FileSystemFixture {
  readonly ctx: Context;
  readonly fs: FileSystem;
  readonly log: RecordingLogger;
}

export interface FileSystemCheck {
  /** A sentence about the provider. */
  readonly name: string;
  /** What the fixture's outside world must be able to do for it. */
  readonly needs?: readonly ('link' | 'putReadOnly' | 'putSpecial')[];
  run(world: FileSystemWorld): Promise<void>;
}

export async function inWorkspace(open: () => FileSystemFixture | Promise<FileSystemFixture>, check: FileSystemCheck): Promise<void> {
  const fixture = await open();
  const log = aLogger();
  const ctx = createContext({ logger: log });
  try {
    await fixture.mount(ctx);
    await ctx.ready();
    await check.run({ ...fixture, ctx, fs: ctx.fs, log });
    await fixture.assertElsewhereUntouched?.();
  } finally {
    await ctx.dispose();
    await fixture.close?.();
  }
  const { counts } = ctx.inspect();
  deepStrictEqual(Object.entries(counts).filter(([, count]) => count !== 0), [], 'the provider left something in the context');
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** The operation fails as the contract has it: coded, with a hint, and naming the path as it was given. */
export async function failsWith(code: FsCode | readonly FsCode[], operation: () => unknown, path?: string): Promise<Error> {
  let result: unknown;
  try {
    result = await operation();
  } catch (error) {
    const { code: actual, hint, path: named, message } = error as { code?: unknown; hint?: unknown; path?: unknown; message: string };
    ok([code].flat().includes(actual as FsCode), `expected ${String(code)}, got ${String(actual)}: ${String(error)}`);
    ok(typeof hint === 'string' && hint !== '', `${String(actual)} has no hint`);
    ok(message.startsWith('cannot '), `unexpected message: ${message}`);
    if (path !== undefined) deepStrictEqual(named, path, 'the error names another path than the caller did');
    return error as Error;
  }
  return fail(`expected ${String(code)}, but it went well: ${JSON.stringify(result)}`);
}

/** Bytes of several lengths that are text in no encoding, text in every one, or nothing. */
export const samples: Readonly<Record<string, Uint8Array>> = {
  empty: utf8(''),
  lf: utf8('a\nb\n'),
  crlf: utf8('a\r\nb\r\n'),
  mixed: utf8('a\r\nb\nc\rd'),
  'utf-8 with a mark': new Uint8Array([0xef, 0xbb, 0xbf, ...utf8('né\r\n')]),
  'two marks': new Uint8Array([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x61]),
  'utf-16le': new Uint8Array([0xff, 0xfe, 0x61, 0, 0x3d, 0xd8, 0x00, 0xde, 0x0d, 0, 0x0a, 0]),
  'utf-16be': new Uint8Array([0xfe, 0xff, 0, 0x61, 0xd8, 0x3d, 0xde, 0x00, 0, 0x0a]),
};
