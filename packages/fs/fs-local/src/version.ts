import type { FsVersion } from '@sluice/fs';
import type { OsStat } from './os.ts';

/**
 * Which file, how long, and both of its times: a rewrite of the same length that puts the modification time back is still another
 * version, since nobody can set the time of the last change.
 */
export function versionOf({ dev, ino, size, mtimeNs, ctimeNs }: OsStat): FsVersion {
  return [dev, ino, size, mtimeNs, ctimeNs].map((part) => part.toString(36)).join('-');
}

/** Milliseconds with the fraction. */
export function mtimeMsOf({ mtimeNs }: OsStat): number {
  return Number(mtimeNs) / 1e6;
}
