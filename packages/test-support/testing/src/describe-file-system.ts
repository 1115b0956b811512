import { describe, it } from 'vitest';
import { fileSystemChecks, type FileSystemCheckOptions } from './filesystem-checks.ts';
import type { FileSystemFixture } from './filesystem/world.ts';

/**
 * The checks of `fileSystemChecks` as tests, one each. Write it at the top level of a spec file:
 * `describeFileSystem('my-provider', () => ({ mount, outside, root }))`.
 */
export function describeFileSystem(name: string, open: () => FileSystemFixture | Promise<FileSystemFixture>, options: FileSystemCheckOptions = {}): void {
  describe(`the filesystem contract of ${name}`, () => {
    for (const check of fileSystemChecks(open, options)) it(check.name, () => check.run());
  });
}
