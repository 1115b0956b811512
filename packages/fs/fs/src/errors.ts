/** Every code a provider or the seam itself fails with. The value equals the name. */
export const fsCodes = Object.freeze({
  FS_NOT_FOUND: 'FS_NOT_FOUND',
  FS_OUTSIDE_WORKSPACE: 'FS_OUTSIDE_WORKSPACE',
  FS_BAD_PATH: 'FS_BAD_PATH',
  FS_EXISTS: 'FS_EXISTS',
  FS_STALE: 'FS_STALE',
  FS_IS_DIRECTORY: 'FS_IS_DIRECTORY',
  FS_NOT_DIRECTORY: 'FS_NOT_DIRECTORY',
  FS_NOT_EMPTY: 'FS_NOT_EMPTY',
  FS_NOT_REGULAR: 'FS_NOT_REGULAR',
  FS_LINK_LOOP: 'FS_LINK_LOOP',
  FS_TOO_LARGE: 'FS_TOO_LARGE',
  FS_BINARY: 'FS_BINARY',
  FS_ENCODING: 'FS_ENCODING',
  FS_BAD_TEXT: 'FS_BAD_TEXT',
  FS_BAD_EDIT: 'FS_BAD_EDIT',
  FS_BAD_RANGE: 'FS_BAD_RANGE',
  FS_PERMISSION: 'FS_PERMISSION',
  FS_READ_ONLY: 'FS_READ_ONLY',
  FS_PROTECTED: 'FS_PROTECTED',
  FS_DENIED: 'FS_DENIED',
  FS_NOT_OBSERVED: 'FS_NOT_OBSERVED',
  FS_NO_SPACE: 'FS_NO_SPACE',
  FS_BUSY: 'FS_BUSY',
  FS_CANCELLED: 'FS_CANCELLED',
  FS_UNSUPPORTED: 'FS_UNSUPPORTED',
  FS_IO: 'FS_IO',
});

export type FsCode = keyof typeof fsCodes;

/** What a code means, in words that finish a sentence about a path, and what a model can do about it. */
const table: Readonly<Record<FsCode, readonly [meaning: string, hint: string]>> = {
  FS_NOT_FOUND: ['does not exist', 'Check the spelling, or list the directory to see what is there.'],
  FS_OUTSIDE_WORKSPACE: ['is outside the workspace', 'Use a path inside the workspace: relative to its root, without leading "..".'],
  FS_BAD_PATH: ['is no usable path', 'Give a non-empty path without NUL characters.'],
  FS_EXISTS: ['exists already', 'Read it first if you mean to change it, or choose another name.'],
  FS_STALE: ['has changed since it was read', 'Read it again, then repeat the change on what is there now. Nothing was written.'],
  FS_IS_DIRECTORY: ['is a directory', 'Name a file in it; list it to see which there are.'],
  FS_NOT_DIRECTORY: ['is not a directory', 'Name a directory, or use the file itself.'],
  FS_NOT_EMPTY: ['is a directory that is not empty', 'Remove what is in it first, or ask for it to be removed with all that is in it.'],
  FS_NOT_REGULAR: ['is not a regular file', 'Only regular files can be read and written; pipes, sockets and devices cannot.'],
  FS_LINK_LOOP: ['is a link that leads back to itself', 'Use the path of a real file.'],
  FS_TOO_LARGE: ['is too large', 'Read a part of it.'],
  FS_BINARY: ['is a binary file', 'It cannot be read or edited as text.'],
  FS_ENCODING: ['is in an encoding that is not supported', 'Only UTF-8, and UTF-16 with a byte order mark, can be read and edited as text.'],
  FS_BAD_TEXT: ['cannot be given this text', 'Send text without NUL characters and without halves of surrogate pairs.'],
  FS_BAD_EDIT: ['cannot be edited like this', 'Give spans inside the text, in ascending order, that do not overlap.'],
  FS_BAD_RANGE: ['has no such range', 'Give an offset and a length that are whole numbers, 0 or more.'],
  FS_PERMISSION: ['may not be accessed', 'The operating system refuses it. Work with other files, or ask for access.'],
  FS_READ_ONLY: ['is read-only', 'It was not changed. Ask whether it may be made writable.'],
  FS_PROTECTED: ['is protected from changes', 'It was not changed. Leave it alone, or ask a person to change it.'],
  FS_DENIED: ['may not be changed', 'It was not changed. Choose another way.'],
  FS_NOT_OBSERVED: ['has not been read', 'Read it first, then repeat the change.'],
  FS_NO_SPACE: ['could not be written: there is no space left', 'Nothing was changed. Free some space first.'],
  FS_BUSY: ['is in use', 'Try again in a moment.'],
  FS_CANCELLED: ['was not finished: the operation was cancelled', 'Check what is there before trying again.'],
  FS_UNSUPPORTED: ['does not support this operation here', 'Choose another way.'],
  FS_IO: ['could not be accessed', 'Try again; if it fails again, work with other files.'],
};

export interface FsErrorOptions {
  /** What was being done, as an infinitive such as `read`. Default `access`. */
  readonly operation?: string;
  /** More precise than the code's own words; finishes the sentence `cannot <operation> "<path>": it …`. */
  readonly detail?: string;
  /** In place of the code's own hint. */
  readonly hint?: string;
  /** For the logger only. */
  readonly cause?: unknown;
}

const fsBrand = Symbol.for('sluice.fs-error');
/** What `@sluice/core-tools` recognises as a failure that speaks to the model: `code` and `hint` go into the result as they are. */
const toolBrand = Symbol.for('sluice.tool-error');

/** A failure of a file operation. Message and hint are for a model, and name paths as the caller named them. */
export class FsError extends Error {
  /** Branch on this, never on the message. */
  readonly code: FsCode;
  readonly hint: string;
  /** As the caller gave it. */
  readonly path: string;
  /** Another attempt with the same arguments may succeed. */
  readonly retryable: boolean;

  constructor(code: FsCode, path: string, { operation = 'access', detail, hint, cause }: FsErrorOptions = {}) {
    const [meaning, advice] = table[code];
    super(`cannot ${operation} ${shown(path)}: it ${detail ?? meaning}`, cause === undefined ? undefined : { cause });
    // A body that stops because it was told to has not failed; core tells by the name.
    this.name = code === 'FS_CANCELLED' ? 'AbortError' : 'FsError';
    this.code = code;
    this.hint = hint ?? advice;
    this.path = path;
    this.retryable = code === 'FS_BUSY';
  }

  static {
    for (const brand of [fsBrand, toolBrand]) Object.defineProperty(this.prototype, brand, { value: true });
  }
}

/** Also true for an error of another copy of this package. Never throws. */
export function isFsError(value: unknown): value is FsError {
  try {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[fsBrand] === true;
  } catch {
    return false;
  }
}

/** @throws FsError `FS_CANCELLED` */
export function throwIfCancelled(signal: AbortSignal | undefined, path: string, operation: string): void {
  if (signal?.aborted === true) throw new FsError('FS_CANCELLED', path, { operation, cause: signal.reason });
}

const MAX_SHOWN_CHARS = 300;

/** Quoted, with control characters as escapes, and cut in the middle when it is very long. */
function shown(path: string): string {
  const text = path.length <= MAX_SHOWN_CHARS ? path : `${path.slice(0, 200)}…${path.slice(-90)}`;
  return JSON.stringify(text).replace(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
