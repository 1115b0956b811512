import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { SluiceError } from '@sluice/core-schema';
import { codes } from './errors.ts';

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly token: string;
}

/** Tokens of the locks that this process holds. */
const ours = new Set<string>();

/**
 * Makes this process the only writer of `file`, by a file beside it. A lock whose process has ended on this machine is taken
 * over; one from another machine never is, because nobody here can tell whether its process lives.
 *
 * @throws SluiceError `SESSION_LOCKED`; the system's own errors
 */
export function lock(file: string): () => void {
  const path = `${file}.lock`;
  const mine: Holder = { pid: process.pid, host: hostname(), token: randomUUID() };
  if (!create(path, mine)) takeOver(file, path, mine);
  ours.add(mine.token);
  return () => {
    if (!ours.delete(mine.token)) return;
    if (holderOf(path)?.token === mine.token) rmSync(path, { force: true });
  };
}

/**
 * Two processes that both find a dead holder must not both remove its lock: the second would remove the first one's. So
 * whoever takes over holds a guard meanwhile. A crash within those few system calls leaves the guard, and refuses writers
 * until somebody removes it; it never lets two in.
 */
function takeOver(file: string, path: string, mine: Holder): void {
  const guard = `${path}.takeover`;
  if (isHeld(path) || !create(guard, mine)) throw locked(file, path);
  try {
    if (isHeld(path)) throw locked(file, path);
    rmSync(path, { force: true });
    if (!create(path, mine)) throw locked(file, path);
  } finally {
    rmSync(guard, { force: true });
  }
}

function create(path: string, holder: Holder): boolean {
  let fd: number;
  try {
    fd = openSync(path, 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFileSync(fd, JSON.stringify(holder));
  } finally {
    closeSync(fd);
  }
  return true;
}

/** Also true in doubt: for a lock that cannot be read, such as one that is just being written. */
function isHeld(path: string): boolean {
  const holder = holderOf(path);
  if (holder === undefined) return true;
  if (holder.host !== hostname()) return true;
  // A container's process often has the number that its predecessor had.
  if (holder.pid === process.pid) return ours.has(holder.token);
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function holderOf(path: string): Holder | undefined {
  try {
    const { pid, host, token } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Holder>;
    return typeof pid === 'number' && typeof host === 'string' && typeof token === 'string' ? { pid, host, token } : undefined;
  } catch {
    return undefined;
  }
}

function locked(file: string, path: string): SluiceError {
  const holder = holderOf(path);
  const who = holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  return new SluiceError(
    codes.SESSION_LOCKED,
    `core-session: ${who} writes to ${file}; a log has one writer. If that process has ended, remove ${path} (and ${path}.takeover)`,
  );
}
