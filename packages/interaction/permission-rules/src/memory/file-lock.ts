import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { SluiceError } from '@sluice/core-schema';

export interface LockTimes {
  /** Milliseconds to wait for others. */
  readonly waitMs: number;
  /** Milliseconds after which a lock is taken to be left over from a process that died; work under a lock takes far less. */
  readonly staleMs: number;
}

const TIMES: LockTimes = { waitMs: 5_000, staleMs: 10_000 };
const POLL_MS = 10;

/**
 * Runs `work` while a lock file beside the file says so, for every process that asks the same way. `isHeld` tells whether
 * the lock is still one's own: ask it right before anything that cannot be undone.
 *
 * A lock file made with O_EXCL, because the maintained libraries for this listen to the signals of the whole process.
 * @throws SluiceError `RULES_LOCKED` when the lock was not to be had in time
 */
export async function withFileLock<T>(file: string, work: (isHeld: () => Promise<boolean>) => Promise<T>, times: LockTimes = TIMES): Promise<T> {
  const lock = `${file}.lock`;
  const token = randomUUID();
  const isHeld = (): Promise<boolean> => readFile(lock, 'utf8').then((text) => text === token, () => false);
  const deadline = performance.now() + times.waitMs;
  while (!(await take(lock, token))) {
    await removeStale(lock, token, times.staleMs);
    if (performance.now() > deadline) {
      throw new SluiceError('RULES_LOCKED', `permission-rules: ${lock} is held by another process for more than ${times.waitMs} ms; if there is none, delete it`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS * (1 + Math.random())));
  }
  try {
    return await work(isHeld);
  } finally {
    if (await isHeld()) await unlink(lock).catch(() => undefined);
  }
}

/** The content comes with the name, in one step: a lock is never seen without its token. */
async function take(lock: string, token: string): Promise<boolean> {
  const own = `${lock}.${token}`;
  const handle = await open(own, 'wx', 0o600);
  try {
    await handle.writeFile(token);
    await handle.close();
    await link(own, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(own).catch(() => undefined);
  }
}

async function removeStale(lock: string, token: string, staleMs: number): Promise<void> {
  const seen = await stat(lock).catch(() => undefined);
  if (seen === undefined || Date.now() - seen.mtimeMs < staleMs) return;
  const aside = `${lock}.${token}.stale`;
  try {
    await rename(lock, aside);
    // Somebody was faster, and this is their new lock: give it back.
    if ((await stat(aside)).ino !== seen.ino) await link(aside, lock);
  } catch {
    // Gone already, or taken anew: the next round sees.
  } finally {
    await unlink(aside).catch(() => undefined);
  }
}
