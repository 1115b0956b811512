import { FsError } from './errors.ts';
import type { FsPrecondition, FsVersion } from './types.ts';

/**
 * Compares what is there (undefined: nothing) with what a change expects. A provider asks as late as it can.
 *
 * @throws FsError `FS_STALE`, `FS_EXISTS`
 */
export function assertPrecondition(current: FsVersion | undefined, ifVersion: FsPrecondition | undefined, path: string, operation: string): void {
  if (ifVersion === undefined || current === (ifVersion ?? undefined)) return;
  if (ifVersion === null) throw new FsError('FS_EXISTS', path, { operation });
  if (current !== undefined) throw new FsError('FS_STALE', path, { operation });
  throw new FsError('FS_STALE', path, { operation, detail: 'is no longer there', hint: 'List the directory to see what is there now. Nothing was written.' });
}
