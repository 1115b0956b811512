import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Context } from '@sluice/core-context';
import { loadDeployment, type Deployment, type LoadOptions } from '../deployment/load.ts';
import { watchDeployment, type WatchOptions } from '../deployment/watch.ts';
import { DeploymentError } from '../file/problem.ts';
import { terminalLogger, type Io } from '../terminal/io.ts';

/** Options that every command has which reads a deployment. */
export interface DeploymentOptions {
  readonly file?: string;
  readonly env?: string;
  readonly scope?: string;
}

const NAMES = ['sluice.yml', 'sluice.yaml', 'sluice.json'];

/** The file that is meant: the one that is named, else the first of the usual names here. @throws DeploymentError */
export function deploymentFile(named: string | undefined): string {
  const found = named ?? NAMES.find((name) => existsSync(name));
  if (found !== undefined) return resolve(found);
  throw new DeploymentError([{ message: `there is no ${NAMES.join(', ')} in ${process.cwd()}`, remedy: 'Write one with "sluice init", or name another with --file <path>.' }]);
}

/** Export conditions that Node.js itself was started with. */
export function ownConditions(argv: readonly string[] = process.execArgv): string[] {
  return argv.flatMap((argument, index) => {
    if (argument === '-C' || argument === '--conditions') return argv[index + 1] ?? [];
    return /^(?:--conditions=|-C)(.+)$/.exec(argument)?.[1] ?? [];
  });
}

export interface Opened {
  readonly deployment: Deployment;
  /** The scope that was asked for, else the root. */
  readonly ctx: Context;
}

/**
 * Loads the deployment of a command line, with its directory as the working directory, so that relative paths in configs mean
 * what they look like. @throws DeploymentError
 */
export async function open({ file, env, scope }: DeploymentOptions, io: Io, watch?: Pick<WatchOptions, 'onReload'>): Promise<Opened> {
  const path = deploymentFile(file);
  const environment = env ?? process.env['SLUICE_ENV'];
  const logger = terminalLogger(io);
  process.chdir(existsSync(path) ? dirname(path) : process.cwd());
  const options: LoadOptions = { logger, conditions: ownConditions(), ...(environment === undefined || environment === '' ? {} : { env: environment }) };
  const deployment = watch === undefined ? await loadDeployment(path, options) : await watchDeployment(path, { ...options, ...watch });
  logger.release();
  try {
    return { deployment, ctx: scope === undefined ? deployment.ctx : deployment.scope(scope) };
  } catch (error) {
    await deployment.close();
    throw error;
  }
}
