import { dirname, resolve } from 'node:path';
import { createContext as ownCreateContext, type Context, type Logger } from '@sluice/core-context';
import { conditionsWith, locate } from '../plugins/locate.ts';
import type { Variables } from '../file/interpolate.ts';
import { DeploymentError } from '../file/problem.ts';
import { Composition, type Changes } from './composition.ts';
import { readDeployment, UnreadableDeployment, type ReadDeployment } from './read.ts';

export interface LoadOptions {
  /** The environment whose overlays count, such as `ci`. Default: none. */
  readonly env?: string;
  /** What `${NAME}` stands for. Default: the environment variables of the process. */
  readonly variables?: Variables;
  /** Where messages of the host and of plugins go. Default: warnings and errors to the console. */
  readonly logger?: Logger;
  /** Export conditions that plugins are resolved with, besides those of an import. Default: none. */
  readonly conditions?: readonly string[];
  /** Milliseconds that plugins may take to start. Default 30,000. */
  readonly startMs?: number;
  /** Milliseconds that calls may take to end when their scope is taken away by a reload. Default 30,000. */
  readonly drainMs?: number;
}

/** What became of a reload. */
export type ReloadResult =
  | { readonly isApplied: true; readonly changes: Changes }
  | { readonly isApplied: false; readonly error: DeploymentError };

/** A deployment in force. */
export interface Deployment {
  /** Absolute path of its file. */
  readonly file: string;
  readonly env: string | undefined;
  /** The root: what is mounted here, beside the plugins of the file, stays over reloads. */
  readonly ctx: Context;
  readonly scopeNames: readonly string[];
  /** Everything that it was read from, files of plugins included: absolute paths. */
  readonly files: readonly string[];
  /** What is in force. */
  readonly current: ReadDeployment;
  /** The context of a scope: the same over reloads, as long as the scope stays where it is. @throws DeploymentError when there is none */
  scope(name: string): Context;
  /**
   * Reads the files again and goes over to what they say: only what changed is ended, updated or mounted, in its place in the
   * order. Anything wrong keeps the composition as it is. Never rejects; reloads follow one another.
   */
  reload(): Promise<ReloadResult>;
  /** Resolves when everything that reloads replaced has ended. */
  drained(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Reads a deployment file and composes what it says.
 *
 * Relative paths in configs are up to the plugins, which take them from the working directory of the process.
 *
 * @throws DeploymentError with everything that is wrong, each with file, line and column; then nothing is left mounted
 */
export async function loadDeployment(file: string, options: LoadOptions = {}): Promise<Deployment> {
  const path = resolve(file);
  const { env, variables = process.env, conditions = [], startMs = 30_000, drainMs = 30_000, logger } = options;
  const readOptions = { ...(env === undefined ? {} : { env }), variables, conditions };
  const read = await readDeployment(path, readOptions);
  const createContext = await hostOf(dirname(path), conditions);
  const root = createContext(logger === undefined ? {} : { logger });
  const composition = new Composition(root, { startMs, drainMs });
  let files = read.files;
  const first = await composition.apply(read);
  if ('problems' in first) {
    await root.dispose();
    throw new UnreadableDeployment(first.problems, read.sources, files);
  }

  const reload = async (): Promise<ReloadResult> => {
    let next: ReadDeployment;
    try {
      next = await readDeployment(path, readOptions);
    } catch (error) {
      if (error instanceof UnreadableDeployment) files = [...new Set([...files, ...error.files])];
      return { isApplied: false, error: asDeploymentError(error) };
    }
    const applied = await composition.apply(next).catch((error: unknown) => ({ problems: asDeploymentError(error).problems }));
    files = 'changes' in applied ? next.files : [...new Set([...files, ...next.files])];
    return 'changes' in applied ? { isApplied: true, changes: applied.changes } : { isApplied: false, error: new DeploymentError(applied.problems, next.sources) };
  };
  let turn: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;

  return {
    file: path,
    env,
    ctx: root,
    get files() {
      return files;
    },
    get scopeNames() {
      return composition.scopeNames;
    },
    get current() {
      return composition.current;
    },
    scope(name) {
      const ctx = composition.scope(name);
      if (ctx !== undefined) return ctx;
      const names = composition.scopeNames;
      throw new DeploymentError([{ message: `this deployment has no scope "${name}"`, remedy: names.length === 0 ? 'It has none; leave --scope out, or add it under "scopes".' : `It has ${names.join(', ')}.` }]);
    },
    reload() {
      const result = turn.then(() => {
        if (closing !== undefined) return { isApplied: false as const, error: new DeploymentError([{ message: 'the deployment is closed' }]) };
        return reload();
      });
      turn = result.catch(() => undefined);
      return result;
    },
    drained: () => composition.ended(),
    close() {
      closing ??= turn.then(() => root.dispose());
      return closing;
    },
  };
}

function asDeploymentError(error: unknown): DeploymentError {
  if (error instanceof DeploymentError) return error;
  return new DeploymentError([{ message: error instanceof Error ? error.message : String(error), cause: error }]);
}

/** The plugin host that the deployment's own packages use: two copies of it in one process would not know each other's scopes. */
async function hostOf(directory: string, conditions: readonly string[]): Promise<typeof ownCreateContext> {
  for (const name of ['@sluice/core-tools', '@sluice/core-context']) {
    try {
      const { createContext } = (await import(locate(name, directory, conditionsWith(conditions)))) as { createContext?: typeof ownCreateContext };
      if (typeof createContext === 'function') return createContext;
    } catch {
      // Not installed there: the one that came with this package will do.
    }
  }
  return ownCreateContext;
}
