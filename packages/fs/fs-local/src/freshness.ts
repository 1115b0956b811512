import { statfsSync } from 'node:fs';
import { release } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { OsStat } from './os.ts';

/** Longest time, in milliseconds, between two ticks of the clock that a coarse filesystem stamps changes with, and some more. */
const TICK_MS = 12;
/** ext2 to ext4, XFS, Btrfs and tmpfs stamp a change that follows a look with a finer clock, since Linux 6.13. */
const FINE = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994]);

/** Whether two changes within a tick of the clock may have the same time there. */
export function isCoarse(directory: string, platform = process.platform, kernel = release()): boolean {
  if (platform !== 'linux') return false;
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  if (major < 6 || (major === 6 && minor < 13)) return true;
  try {
    return !FINE.has(statfsSync(directory).type);
  } catch {
    return true;
  }
}

/**
 * Looks at a file, and again a tick later if it has only just been changed: a second change in the same tick and of the same length
 * could not be told from the first, and a version would stand for two contents. A file that changes all the time is
 * given up on, and taken as it is.
 */
export async function aged(look: () => Promise<OsStat>, wait: (ms: number) => Promise<unknown> = setTimeout, now: () => number = Date.now): Promise<OsStat> {
  let stat = await look();
  for (let i = 0; i < 3 && Math.abs(now() - Number(stat.ctimeNs) / 1e6) < TICK_MS; i += 1) {
    await wait(TICK_MS);
    stat = await look();
  }
  return stat;
}
