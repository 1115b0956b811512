import { SluiceError, type JsonValue } from '@sluice/core-schema';
import { codes } from './errors.ts';
import type { AnySessionEvent } from './index.ts';

/** Grows when an older version of this package could no longer read what a newer one writes. */
export const VERSION = 1;

const NEWLINE = 0x0a;

/** First line of a file. */
export interface LogHeader {
  readonly log: 'sluice/session';
  readonly version: number;
  readonly id: string;
  readonly createdAt: number;
}

export interface ParsedLog {
  /** Absent when the file is empty, or torn within its first line. */
  readonly header: LogHeader | undefined;
  readonly events: readonly AnySessionEvent[];
  /** Length of what is whole. What follows is the rest of a write that was cut off. */
  readonly wholeBytes: number;
  /** The last line is whole but for its newline. */
  readonly lacksNewline: boolean;
}

/**
 * Reads a log. A damaged last line is what a crash leaves, and dropped; damage before it is not.
 *
 * @throws SluiceError `SESSION_NOT_A_LOG`, `SESSION_VERSION`, `SESSION_CORRUPT`, `SESSION_UNKNOWN_EVENT`
 */
export function parseLog(bytes: Uint8Array, name: string, isKnown: (type: string) => boolean): ParsedLog {
  const events: AnySessionEvent[] = [];
  let header: LogHeader | undefined;
  let wholeBytes = 0;
  let lacksNewline = false;
  for (let line = 1; wholeBytes < bytes.length; line += 1) {
    const newline = bytes.indexOf(NEWLINE, wholeBytes);
    const end = newline < 0 ? bytes.length : newline;
    const value = parseLine(bytes.subarray(wholeBytes, end));
    const isLast = newline < 0 || newline === bytes.length - 1;
    if (value === undefined) {
      // A file that begins with something else is not ours to cut.
      if (isLast && (line > 1 || isTornHeader(bytes))) break;
      throw line === 1 ? notALog(name) : corrupt(name, line, 'it is not whole, and it is not the last');
    }
    if (line === 1) header = headerOf(value, name);
    else events.push(eventOf(value, { name, line, seq: events.length + 1, isKnown }));
    lacksNewline = newline < 0;
    wholeBytes = lacksNewline ? end : end + 1;
  }
  return { header, events, wholeBytes, lacksNewline };
}

export function headerLine(header: LogHeader): string {
  return `${JSON.stringify(header)}\n`;
}

export function eventLine(event: AnySessionEvent): string {
  return `${JSON.stringify(event)}\n`;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Undefined for what is no JSON object. */
function parseLine(bytes: Uint8Array): Readonly<Record<string, JsonValue | undefined>> | undefined {
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, JsonValue>) : undefined;
  } catch {
    return undefined;
  }
}

/** How every first line of ours begins. */
const OPENING = '{"log":"sluice/session"';

function isTornHeader(bytes: Uint8Array): boolean {
  const begin = Buffer.from(bytes.subarray(0, OPENING.length)).toString('latin1');
  // A file that was given its length but not its content is all zeros.
  return OPENING.startsWith(begin) || bytes.every((byte) => byte === 0);
}

function headerOf(value: Readonly<Record<string, JsonValue | undefined>>, name: string): LogHeader {
  const { log, version, id, createdAt } = value;
  if (log !== 'sluice/session' || typeof version !== 'number' || typeof id !== 'string' || typeof createdAt !== 'number') throw notALog(name);
  if (version > VERSION) {
    throw new SluiceError(
      codes.SESSION_VERSION,
      `core-session: ${name} is of version ${version}; this package reads up to ${VERSION}. Update @sluice/core-session`,
    );
  }
  return { log, version, id, createdAt };
}

interface At {
  readonly name: string;
  readonly line: number;
  readonly seq: number;
  readonly isKnown: (type: string) => boolean;
}

function eventOf(value: Readonly<Record<string, JsonValue | undefined>>, { name, line, seq, isKnown }: At): AnySessionEvent {
  const { type, at, data } = value;
  if (typeof type !== 'string' || typeof at !== 'number' || typeof data !== 'object' || data === null) {
    throw corrupt(name, line, 'it is no event { seq, at, type, data }');
  }
  if (value['seq'] !== seq) throw corrupt(name, line, `event ${seq} should be there, and event ${JSON.stringify(value['seq'])} is`);
  if (value['required'] === true && !isKnown(type)) {
    throw new SluiceError(
      codes.SESSION_UNKNOWN_EVENT,
      `core-session: ${name}, line ${line}: an event of type ${JSON.stringify(type)} must be understood to go on from here; ` +
        'use the package that wrote it, and name the type in `knownEvents`',
    );
  }
  return deepFrozen(value) as unknown as AnySessionEvent;
}

function notALog(name: string): SluiceError {
  return new SluiceError(codes.SESSION_NOT_A_LOG, `core-session: ${name} is no session log; nothing was changed. Choose another file`);
}

function corrupt(name: string, line: number, what: string): SluiceError {
  return new SluiceError(codes.SESSION_CORRUPT, `core-session: ${name}, line ${line} is damaged: ${what}; nothing was changed`);
}

/** What JSON.parse made has no cycles. */
function deepFrozen(value: object): object {
  const rest: object[] = [value];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    for (const member of Object.values(next) as unknown[]) if (typeof member === 'object' && member !== null) rest.push(member);
    Object.freeze(next);
  }
  return value;
}
