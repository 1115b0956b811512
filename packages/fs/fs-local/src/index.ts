import { definePlugin } from '@sluice/core-context';
import { DEFAULT_PROTECTED, fileSystemOf, protectedPaths } from '@sluice/fs';
import { LocalProvider } from './provider.ts';
import { Roots, type RootOptions } from './roots.ts';

export interface FsLocalRoot {
  /** Directory, which must exist. Relative to the process's working directory, or absolute. */
  readonly path: string;
  /** Refuses every change in it. Default false. */
  readonly isReadOnly?: boolean;
}

export interface FsLocalConfig {
  /** The directory that everything stays in. Not with `roots`. */
  readonly root?: string;
  /** Several directories, by the name that is the first segment of the paths in each. None may be in another. Not with `root`. */
  readonly roots?: Readonly<Record<string, string | FsLocalRoot>>;
  /** Refuses every change. Default false. */
  readonly isReadOnly: boolean;
  /** Paths that are never changed, as in a `.gitignore`, in any letter case. Default: git hooks and configuration. */
  readonly protected: readonly string[];
  /**
   * What happens to a file that has other names (hard links), which it would not be any more if it were replaced: `refuse` the change, or
   * `part` it from them. Default `refuse`.
   */
  readonly hardLinks: 'refuse' | 'part';
}

const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    root: { type: 'string', minLength: 1 },
    roots: {
      type: 'object',
      minProperties: 1,
      additionalProperties: {
        anyOf: [
          { type: 'string', minLength: 1 },
          { type: 'object', additionalProperties: false, required: ['path'], properties: { path: { type: 'string', minLength: 1 }, isReadOnly: { type: 'boolean' } } },
        ],
      },
    },
    isReadOnly: { type: 'boolean', default: false },
    protected: { type: 'array', items: { type: 'string', minLength: 1 }, default: [...DEFAULT_PROTECTED] },
    hardLinks: { enum: ['refuse', 'part'], default: 'refuse' },
  },
} as const;

/** Provides `ctx.fs`: the files of a directory of this machine, or of several, and nothing else of it. */
export const fsLocal = definePlugin<FsLocalConfig>({
  name: 'fs-local',
  config,
  apply(ctx, { root, roots, isReadOnly, protected: patterns, hardLinks }) {
    if ((root === undefined) === (roots === undefined)) throw new TypeError('fs-local: give it either root, a directory, or roots, several by name');
    const given = Object.entries(roots ?? { '': root as string });
    const named = Object.fromEntries(given.map(([name, each]): [string, RootOptions] => {
      if (roots !== undefined && (name === '' || /[/\\\0:]/.test(name) || name === '.' || name === '..')) throw new TypeError(`fs-local: the name of a root is the first segment of paths, which ${JSON.stringify(name)} cannot be`);
      const { path, isReadOnly: isOwn = false } = typeof each === 'string' ? { path: each } : each;
      return [name, { path, isReadOnly: isReadOnly || isOwn }];
    }));
    ctx.provide('fs', fileSystemOf(new LocalProvider(new Roots(named), { isProtected: protectedPaths(patterns), hardLinks })));
  },
});
export default fsLocal;
