import { definePlugin } from '@sluice/core-context';
import { DEFAULT_PROTECTED, fileSystemOf, protectedPaths } from '@sluice/fs';
import { MemoryProvider } from './provider.ts';
import { MemoryVolume, type VolumeContent } from './volume.ts';

export { MemoryVolume, type VolumeContent } from './volume.ts';

export interface FsMemoryConfig {
  /** What is there at first, by path: text (UTF-8) or bytes; a path that ends in `/` is an empty directory. Not with `volume`. */
  readonly files?: Readonly<Record<string, VolumeContent>>;
  /** Files to share with others, or to look at afterwards. Default: a new one, which ends with the plugin. */
  readonly volume?: MemoryVolume;
  /** Absolute path that the workspace answers to. Default `/workspace`. Not with `volume`, which has its own. */
  readonly root?: string;
  /** Refuses every change. Default false. */
  readonly isReadOnly: boolean;
  /** Paths that are never changed, as in a `.gitignore`. Default: git hooks and configuration. */
  readonly protected: readonly string[];
  /** Bytes in all files together; more is `FS_NO_SPACE`. Default: no limit. */
  readonly maxBytes?: number;
}

const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    files: { type: 'object', additionalProperties: {} },
    volume: {},
    root: { type: 'string', pattern: '^/' },
    isReadOnly: { type: 'boolean', default: false },
    protected: { type: 'array', items: { type: 'string', minLength: 1 }, default: [...DEFAULT_PROTECTED] },
    maxBytes: { type: 'integer', minimum: 0 },
  },
} as const;

/** Provides `ctx.fs` in memory: for tests, dry runs and browsers. Behaves as `@sluice/fs-local` does, and forgets everything. */
export const fsMemory = definePlugin<FsMemoryConfig>({
  name: 'fs-memory',
  config,
  apply(ctx, { files, volume, root, isReadOnly, protected: patterns, maxBytes = Infinity }) {
    if (volume !== undefined && (files !== undefined || root !== undefined)) throw new TypeError('fs-memory: give it a volume, or files and root, not both');
    if (volume !== undefined && !(volume instanceof MemoryVolume)) throw new TypeError('fs-memory: volume must be a MemoryVolume');
    const own = volume ?? new MemoryVolume(files, root === undefined ? {} : { rootPath: root });
    ctx.provide('fs', fileSystemOf(new MemoryProvider(own, { isReadOnly, isProtected: protectedPaths(patterns), maxBytes })));
  },
});
export default fsMemory;
