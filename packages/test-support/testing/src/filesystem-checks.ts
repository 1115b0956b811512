import { containment } from './filesystem/containment.ts';
import { policies } from './filesystem/policies.ts';
import { reading } from './filesystem/reading.ts';
import { tree } from './filesystem/tree.ts';
import { inWorkspace, type FileSystemFixture, type OutsideWorld } from './filesystem/world.ts';
import { writing } from './filesystem/writing.ts';

export interface FileSystemCheckOptions {
  /** What the outside world of the fixtures cannot do; checks that need it are left out. Default: it can do all of it. */
  readonly without?: readonly Extract<keyof OutsideWorld, 'link' | 'putReadOnly' | 'putSpecial'>[];
}

/**
 * The contract of `@sluice/fs` as checks without a test framework. `open` gives an empty workspace and a provider for it, anew
 * for every check; the provider has its default configuration as far as protected paths are concerned.
 */
export function fileSystemChecks(
  open: () => FileSystemFixture | Promise<FileSystemFixture>,
  { without = [] }: FileSystemCheckOptions = {},
): { readonly name: string; run(): Promise<void> }[] {
  return [...reading, ...writing, ...tree, ...containment, ...policies]
    .filter(({ needs = [] }) => !needs.some((need) => without.includes(need)))
    .map((check) => ({ name: check.name, run: () => inWorkspace(open, check) }));
}
