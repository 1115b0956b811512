import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readSession } from '@sluice/core-session';
import { sessionRows } from '@sluice/render-terminal';
import { DeploymentError } from '../file/problem.ts';
import type { Io } from '../terminal/io.ts';
import { exitCodes } from './exit-codes.ts';
import { deploymentFile, open, type DeploymentOptions } from './open.ts';

/** Draws a session log, with the cards of the deployment's tools where there is one. Runs nothing. @returns the exit code */
export async function replay(log: string, options: DeploymentOptions & { readonly width?: number; readonly rows?: number; readonly bare?: boolean }, io: Io): Promise<number> {
  const path = resolve(log);
  if (!existsSync(path)) throw new DeploymentError([{ message: `there is no session log ${log}`, remedy: 'sluice run says where it writes its log.' }]);
  const view = readSession(path);
  const columns = process.stdout.columns as number | undefined;
  const opened = options.bare === true || (options.file === undefined && !hasDeployment()) ? undefined : await open(options, io);
  try {
    const tools = opened?.ctx.get('tools');
    const rows = sessionRows(view.events, {
      width: options.width ?? columns ?? 80,
      colors: io.paint.isColorSupported,
      ...(options.rows === undefined ? {} : { maxRows: options.rows }),
      ...(tools === undefined ? {} : { tools }),
    });
    for (const row of rows) io.out(row);
    return exitCodes.ok;
  } finally {
    await opened?.deployment.close();
  }
}

function hasDeployment(): boolean {
  try {
    deploymentFile(undefined);
    return true;
  } catch {
    return false;
  }
}
