import type { PluginHandle } from '@sluice/core-context';
import type { Problem } from '../file/problem.ts';
import type { ReadPlugin } from './read.ts';

/**
 * Why a plugin that was mounted is not active. `notReady` is the message of the host's `NOT_READY`, which says what waits for
 * what and who provides it.
 */
export async function whyNotActive(read: ReadPlugin, handle: PluginHandle, { notReady, startMs }: { readonly notReady: string; readonly startMs: number }): Promise<Problem> {
  if (handle.status === 'starting') return startProblem(read, `it has not started after ${startMs} ms`);
  if (handle.status === 'failed') {
    const error: unknown = await handle.ready.then(() => undefined, (reason: unknown) => reason);
    return startProblem(read, messageOf((error as Error | undefined)?.cause ?? error), error);
  }
  const missing = new RegExp(`plugin "${read.plugin.name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}" waits for (.*?)(?:; plugin |$)`).exec(notReady)?.[1];
  const provider = missing === undefined ? undefined : /provided by ([^)]*)\)/.exec(missing)?.[1];
  return {
    at: (read.entry.use ?? read.entry).at,
    plugin: read.entry.use?.value ?? read.entry.id,
    message: `it waits for the service ${missing?.replace(/ \(provided by [^)]*\)/g, '') ?? 'that it injects'}, which no plugin here provides`,
    remedy: provider === undefined ? 'Add the plugin that provides it.' : `Add ${provider} to "plugins".`,
  };
}

/** What a plugin said when it was started, in words about the file. */
export function startProblem(read: ReadPlugin, message: string, cause?: unknown): Problem {
  const prefix = `${read.plugin.name}: `;
  const [, service, other] = /service "(.*?)" of plugin ".*?" is already provided in this scope by (?:plugin )?(.*?);/.exec(message) ?? [];
  if (service !== undefined && other !== undefined) {
    return {
      at: (read.entry.use ?? read.entry).at,
      plugin: read.entry.use?.value ?? read.entry.id,
      message: `provides the service "${service}", and so does ${other} before it`,
      remedy: 'Take one of the two out, or put one under "plugins" of a scope.',
      cause,
    };
  }
  return {
    at: (read.entry.config ?? read.entry.use ?? read.entry).at,
    plugin: read.entry.use?.value ?? read.entry.id,
    message: `does not start: ${message.startsWith(prefix) ? message.slice(prefix.length) : message}`,
    remedy: read.entry.config === undefined ? 'It may need settings, under "config:".' : 'This is what the plugin says to the settings under "config:".',
    ...(cause === undefined ? {} : { cause }),
  };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
