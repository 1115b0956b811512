import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from '@sluice/core-context';
import { lock } from './lock.ts';
import { LogFile, NoFile } from './log-file.ts';
import { headerLine, parseLog, VERSION, type LogHeader, type ParsedLog } from './log-format.ts';
import { LoggedSession, type Session, type SessionView } from './session.ts';

export interface ReadSessionOptions {
  /** Event types marked as required that the caller understands. */
  readonly knownEvents?: readonly string[];
}

export interface OpenSessionOptions extends ReadSessionOptions {
  /** Path of the log, made with its directories if it is not there. Left out, the log is in memory. */
  readonly file?: string;
  /** Of a new log. Default: a random UUID. One that is there keeps its own. */
  readonly id?: string;
  /** Hears of listeners that throw. Default: the console. */
  readonly logger?: Logger;
}

/**
 * Opens a log for writing: a new one, or one to go on with. What a crash left half-written at its end is cut off; for calls
 * that it left without a result there is `repair()`. Reads the file at once, synchronously.
 *
 * @throws SluiceError `SESSION_LOCKED`, `SESSION_NOT_A_LOG`, `SESSION_VERSION`, `SESSION_CORRUPT`, `SESSION_UNKNOWN_EVENT`;
 * the system's own errors
 */
export function openSession({ file, id = randomUUID(), knownEvents = [], logger = console }: OpenSessionOptions = {}): Session {
  if (file === undefined) return new LoggedSession({ id, createdAt: Date.now(), events: [], sink: new NoFile(), logger });
  mkdirSync(dirname(file), { recursive: true });
  const release = lock(file);
  let fd: number | undefined;
  try {
    fd = openSync(file, 'a+');
    const bytes = readFileSync(fd);
    const parsed = parseLog(bytes, file, (type) => knownEvents.includes(type));
    // By path, because Windows shortens no file that is open for appending.
    if (parsed.wholeBytes < bytes.length) truncateSync(file, parsed.wholeBytes);
    const header = makeWhole(fd, parsed, id);
    syncDirectory(dirname(file));
    const sink = new LogFile(fd, file, release);
    return new LoggedSession({ id: header.id, createdAt: header.createdAt, events: [...parsed.events], sink, logger });
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    release();
    throw error;
  }
}

/** Reads a log as it is now, without a lock and without changing anything: also one that is being written. */
export function readSession(file: string, { knownEvents = [] }: ReadSessionOptions = {}): SessionView {
  const { header, events } = parseLog(readFileSync(file), file, (type) => knownEvents.includes(type));
  const { id, createdAt } = header ?? { id: '', createdAt: 0 };
  return new LoggedSession({ id, createdAt, events: [...events], sink: new NoFile(), logger: console });
}

/** Ends the last line, and writes the first where there is none. */
function makeWhole(fd: number, { header, lacksNewline }: ParsedLog, id: string): LogHeader {
  if (lacksNewline) writeSync(fd, '\n');
  if (header !== undefined) return header;
  const fresh: LogHeader = { log: 'sluice/session', version: VERSION, id, createdAt: Date.now() };
  writeSync(fd, headerLine(fresh));
  fsyncSync(fd);
  return fresh;
}

/** So that a new file survives a power cut too. */
function syncDirectory(path: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    fsyncSync(fd);
  } catch {
    // Windows opens no directories, and some filesystems sync none; they keep names by their own means.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
