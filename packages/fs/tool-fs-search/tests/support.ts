import type { ToolExecutionResult } from '@sluice/core-tools';
import { fsMemory, MemoryVolume, type VolumeContent } from '@sluice/fs-memory';
import { aHost, type Host } from '@sluice/testing';
import { toolFsSearch, type ToolFsSearchConfig } from '../src/index.ts';

export interface Workspace extends Host {
  readonly volume: MemoryVolume;
  call(name: string, args: object, signal?: AbortSignal): Promise<ToolExecutionResult>;
  /** Paths that `glob` finds. */
  glob(pattern: string, more?: object): Promise<string[]>;
  /** `path:line` of what `grep` finds. */
  grep(pattern: string, more?: object): Promise<string[]>;
}

/** The tools over files in memory. */
export function aWorkspace(files: Readonly<Record<string, VolumeContent>> = {}, config: Partial<ToolFsSearchConfig> = {}): Workspace {
  const host = aHost();
  const volume = new MemoryVolume(files);
  host.ctx.plugin(fsMemory, { volume });
  host.ctx.plugin(toolFsSearch, config);
  const call: Workspace['call'] = (name, args, signal) => host.ctx.tools.execute({ name, arguments: args, ...(signal === undefined ? {} : { signal }) });
  return {
    ...host,
    volume,
    call,
    glob: async (pattern, more = {}) => valueOf<{ paths: string[] }>(await call('glob', { pattern, ...more })).paths,
    grep: async (pattern, more = {}) => {
      const { files: found } = valueOf<{ files: { path: string; matches: { lineNumber: number }[] }[] }>(await call('grep', { pattern, ...more }));
      return found.flatMap(({ path, matches }) => matches.map(({ lineNumber }) => `${path}:${lineNumber}`));
    },
  };
}

export function shown(result: ToolExecutionResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('\n');
}

export function codeOf(result: ToolExecutionResult): string | undefined {
  return result.isError ? result.error.info.code : undefined;
}

/** The value of a call that must have succeeded. */
export function valueOf<T>(result: ToolExecutionResult): T {
  if (result.isError) throw new Error(`failed: ${shown(result)}`);
  return result.value as T;
}
