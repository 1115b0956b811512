import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { Context } from '@sluice/core-context';
import { DEFAULT_PROTECTED, fileSystemOf, protectedPaths } from '@sluice/fs';
import { describeFileSystem, type FileSystemFixture } from '@sluice/testing';
import { fsLocal } from '../src/index.ts';
import { pathAnchor } from '../src/handles.ts';
import { LocalProvider } from '../src/provider.ts';
import { Roots } from '../src/roots.ts';
import { vi } from 'vitest';
import { aDirectory, link, pipe } from './support.ts';

// Where the files are on a disk, every write waits for it.
vi.setConfig({ testTimeout: 60_000 });

function fixture(mount: (ctx: Context, root: string) => void): FileSystemFixture {
  const parent = aDirectory();
  const root = join(parent, 'root');
  const elsewhere = join(parent, 'elsewhere');
  mkdirSync(root);
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'canary.txt'), 'CANARY');
  const at = (path: string): string => join(root, path);
  const put = (path: string, bytes: Uint8Array, mode?: number): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), bytes, mode === undefined ? {} : { mode });
  };
  return {
    mount(ctx) { mount(ctx, root); },
    root,
    elsewhere,
    outside: {
      put: (path, bytes) => { put(path, bytes); },
      bytes: (path) => (lstatSync(at(path), { throwIfNoEntry: false })?.isFile() === true ? new Uint8Array(readFileSync(at(path))) : undefined),
      remove: (path) => { rmSync(at(path), { recursive: true }); },
      link: (path, target) => { link(at(path), target); },
      putReadOnly: (path, bytes) => { put(path, bytes, 0o444); },
      putSpecial: (path) => { pipe(at(path)); },
    },
    assertElsewhereUntouched() {
      deepStrictEqual(readdirSync(parent).sort(), ['elsewhere', 'root']);
      deepStrictEqual(readdirSync(elsewhere), ['canary.txt']);
      strictEqual(readFileSync(join(elsewhere, 'canary.txt'), 'utf8'), 'CANARY');
    },
  };
}

describeFileSystem('fs-local', () => fixture((ctx, root) => { ctx.plugin(fsLocal, { root }); }));

describeFileSystem('fs-local where nothing leads back from what is open', () =>
  fixture((ctx, root) => {
    const rules = { isProtected: protectedPaths(DEFAULT_PROTECTED), hardLinks: 'refuse' } as const;
    ctx.provide('fs', fileSystemOf(new LocalProvider(new Roots({ '': { path: root, isReadOnly: false } }), rules, pathAnchor)));
  }),
);
