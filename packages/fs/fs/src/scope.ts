import { contextOf, type Context } from '@sluice/core-context';
import type { FileSystem } from './file-system.ts';

/**
 * The files of the scope that a call was made in: what a tool body uses in place of `ctx.fs`, so that a scope's own provider
 * and policies bind a tool that was registered further out.
 *
 * @throws SluiceError `SERVICE_MISSING`
 */
export function fileSystemFor(ctx: Context, exec: { readonly scopePath: readonly string[] }): FileSystem {
  return contextOf(exec.scopePath)?.get('fs') ?? ctx.fs;
}
