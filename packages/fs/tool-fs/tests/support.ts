import type { Context, ToolExecutionResult } from '@sluice/core-tools';
import { fsMemory, MemoryVolume } from '@sluice/fs-memory';
import { aHost, type Host } from '@sluice/testing';
import { toolFs, type ToolFsConfig } from '../src/index.ts';

export interface Workspace extends Host {
  readonly volume: MemoryVolume;
  call(name: string, args: object): Promise<ToolExecutionResult>;
  /** Text of the file as UTF-8, mark included. */
  text(path: string): string | undefined;
  bytes(path: string): Uint8Array | undefined;
}

/** The tools over files in memory. */
export function aWorkspace(files: Readonly<Record<string, string | Uint8Array>> = {}, config: Partial<ToolFsConfig> = {}): Workspace {
  const host = aHost();
  const volume = new MemoryVolume();
  for (const [path, content] of Object.entries(files)) volume.put(path, content);
  host.ctx.plugin(fsMemory, { volume });
  host.ctx.plugin(toolFs, config);
  const bytes = (path: string): Uint8Array | undefined => volume.files()[path];
  return {
    ...host,
    volume,
    bytes,
    call: (name, args) => host.ctx.tools.execute({ name, arguments: args }),
    text(path) {
      const found = bytes(path);
      return found === undefined ? undefined : new TextDecoder('utf-8', { ignoreBOM: true }).decode(found);
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

export function hex(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'hex'));
}

export type { Context };
