import type { FsCode } from './errors.ts';

/**
 * A freshness token, opaque. Two equal tokens of one file mean equal content; two different ones need not mean that it
 * differs (a `touch` may change a token).
 */
export type FsVersion = string;

/**
 * What must be true for a change to happen: this version is there (`FS_STALE` otherwise, also if nothing is), or, for `null`, nothing is there
 * (`FS_EXISTS` otherwise; the creation itself never replaces anything). Left out: whatever is there.
 */
export type FsPrecondition = FsVersion | null;

/** `other` is a pipe, socket or device, or a link that leads nowhere or out of the workspace. */
export type FsType = 'file' | 'directory' | 'other';

export interface FsRoot {
  /** First segment of the paths under it; `''` when it is the only one. */
  readonly name: string;
  /** Absolute; what an absolute path must begin with to be inside. */
  readonly path: string;
  readonly isReadOnly: boolean;
}

export interface FsInfo {
  /** Of a provider, such as `fs-local`. */
  readonly provider: string;
  /** One root named `''`, or several named ones, which then look like the directories of a read-only root. */
  readonly roots: readonly FsRoot[];
  readonly isCaseSensitive: boolean;
}

/**
 * Where a path leads. `path` is the normal form: relative to the workspace, `/` between segments, no `.` or `..`, `.` for the
 * root. `key` names the file itself: all paths of one file (through links, in another letter case) have the same, and a file
 * that is yet to be made has the key that it will have. Use it for locks, and compare it; do not open it.
 */
export interface FsTarget {
  readonly path: string;
  readonly key: string;
}

export interface FsStat extends FsTarget {
  /** Of what a link leads to. */
  readonly type: FsType;
  /** The last segment of the path is a symbolic link. */
  readonly isLink: boolean;
  /** Bytes; 0 for what is not a file. */
  readonly size: number;
  /** Milliseconds since 1970, perhaps with a fraction. */
  readonly mtimeMs: number;
  readonly version: FsVersion;
  /** A change would fail with `FS_READ_ONLY` or `FS_PERMISSION`, as far as can be told. */
  readonly isReadOnly: boolean;
}

export interface FsEntry {
  /** Last segment. Not usable as a path when `problem` is `FS_BAD_PATH`: then it is a name that is no valid text. */
  readonly name: string;
  readonly path: string;
  readonly type: FsType;
  readonly isLink: boolean;
  readonly size: number;
  readonly mtimeMs: number;
  /** Why nothing more is known of it; type is then `other`. One bad entry never fails the listing. */
  readonly problem?: FsCode;
}

export interface FsBytes extends FsTarget {
  readonly version: FsVersion;
  /** Of the whole file; bytes. */
  readonly size: number;
  /** Where `bytes` begins in the file. */
  readonly offset: number;
  /** The caller's own copy. Shorter than asked for only at the end of the file; empty past it. */
  readonly bytes: Uint8Array;
}

export type FsEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

export interface FsTextFormat {
  readonly encoding: FsEncoding;
  /** Begins with a byte order mark. UTF-16 always does: without one it is not recognised. */
  readonly hasBom: boolean;
}

/** `mixed` is more than one kind; `none` a text without any. */
export type FsLineEndings = 'none' | 'lf' | 'crlf' | 'cr' | 'mixed';

export interface FsText extends FsTarget, FsTextFormat {
  readonly version: FsVersion;
  /** Of the file; bytes. */
  readonly size: number;
  /** Every character of the file but the byte order mark; line endings as they are. Never has a NUL or half a surrogate pair. */
  readonly text: string;
  /** Computed when first read. */
  readonly lineEndings: FsLineEndings;
}

/** Replaces the code units from `start` to before `end` of `FsText.text` by `text`, literally. */
export interface FsSpan {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What a change leaves. */
export interface FsWritten extends FsTarget {
  readonly version: FsVersion;
  /** Bytes. */
  readonly size: number;
  readonly isNew: boolean;
  /** How text was encoded; absent for bytes. */
  readonly format?: FsTextFormat;
  /** What text replaced, if that was asked for with `compareUpTo`. */
  readonly replaced?: FsReplaced;
}

/** In what the new text of a file differs from what was there. */
export interface FsReplaced {
  /** Of what was there. */
  readonly format: FsTextFormat;
  /** Code units of the new text, without its byte order mark, that are as they were: at its beginning, whole lines. */
  readonly head: number;
  /** The same at its end. */
  readonly tail: number;
  /** What was between the two; undefined when it was no text. */
  readonly text: string | undefined;
}

export interface FsOptions {
  /** Checked before and after every step that waits; then `FS_CANCELLED`. A change that has become visible is never undone. */
  readonly signal?: AbortSignal | undefined;
}
export interface FsLookOptions extends FsOptions {
  /** False: at the link itself, if the last segment is one. Its type is `other`. Default true: at what it leads to. */
  readonly followLink?: boolean;
}
export interface FsReadRangeOptions extends FsOptions {
  /** Bytes, 0 or more. Default 0. */
  readonly offset?: number;
  /** Bytes, 0 or more. Default: to the end. */
  readonly length?: number;
  /** The range must be of this version. */
  readonly ifVersion?: FsVersion;
}
export interface FsReadTextOptions extends FsOptions {
  /** Bytes. A larger file is `FS_TOO_LARGE`, before any of it is read. Default `DEFAULT_MAX_TEXT_BYTES`. */
  readonly maxBytes?: number;
  readonly ifVersion?: FsVersion;
}
export interface FsWriteOptions extends FsOptions {
  readonly ifVersion?: FsPrecondition;
  /**
   * How text is encoded. Default: as the file that it replaces, byte order mark included, and UTF-8 without one for a new file
   * or in place of one that is no text. A text that begins with U+FEFF has asked for the mark itself.
   */
  readonly format?: FsTextFormat;
  /** Bytes. Text that replaces a file of at most so many is compared with it, for `FsWritten.replaced`. Default 0: it is not. */
  readonly compareUpTo?: number;
}
export interface FsEditOptions extends FsOptions {
  /** The version that the spans were made for. */
  readonly ifVersion: FsVersion;
}
export interface FsRemoveOptions extends FsOptions {
  /** A directory with all that is in it. Links are removed, never followed. Default false: a directory must be empty. */
  readonly recursive?: boolean;
  readonly ifVersion?: FsVersion;
}
export interface FsMoveOptions extends FsOptions {
  /** Replaces a file that is at the target. Default false: then `FS_EXISTS`. A directory is never replaced. */
  readonly overwrite?: boolean;
  readonly ifVersion?: FsVersion;
}
export interface FsWalkOptions extends FsOptions {
  /**
   * Leaves out what `.gitignore` files of the workspace exclude, and `.git`. What is named as the start is walked all the same.
   * Default false.
   */
  readonly honourIgnoreFiles?: boolean;
  /** Told of each entry that is left out for that reason; of a directory once, not of what is in it. */
  readonly onIgnored?: (entry: FsEntry) => void;
  /** Told of each directory that cannot be listed, and each entry with a problem; the walk goes on. */
  readonly onProblem?: (problem: FsProblem) => void;
  /** Asked before a directory is entered. Default: all are, to any depth. */
  readonly enter?: (directory: FsEntry) => boolean;
}
export interface FsProblem {
  readonly path: string;
  readonly code: FsCode;
  readonly message: string;
}

export interface FsChange {
  readonly path: string;
  readonly kind: 'changed' | 'removed';
}

/**
 * What a provider implements: files under one or several roots, which no operation leaves, whatever paths, links and other
 * processes do. Paths are relative to the workspace or absolute inside it. Every failure is an `FsError`. The conformance suite
 * in `@sluice/testing` says in tests what is meant.
 */
export interface FsProvider {
  readonly info: FsInfo;
  /** Works for what does not exist. Fails for what no operation may touch: `FS_OUTSIDE_WORKSPACE`, `FS_BAD_PATH`, `FS_LINK_LOOP`. */
  resolve(path: string, options?: FsLookOptions): Promise<FsTarget>;
  /** Undefined when nothing is there. A link that leads nowhere, out of the workspace or to itself is there: type `other`. */
  stat(path: string, options?: FsLookOptions): Promise<FsStat | undefined>;
  /** Version and bytes belong together. Regular files only. */
  readRange(path: string, options?: FsReadRangeOptions): Promise<FsBytes>;
  /** The whole file as text. Fails with `FS_BINARY` or `FS_ENCODING` for what is none. */
  readText(path: string, options?: FsReadTextOptions): Promise<FsText>;
  /**
   * Creates or replaces a regular file as a whole: readers see the old content or the new. Makes missing directories. What the
   * file had besides its content (permissions, owner, links to it) stays, or the change is refused. A link stays a link: what it
   * leads to is written; one that leads nowhere is `FS_NOT_REGULAR`.
   */
  write(path: string, content: string | Uint8Array, options?: FsWriteOptions): Promise<FsWritten>;
  /** Bytes outside the spans stay as they are. Spans ascend and do not overlap; several at one place are in their order. */
  edit(path: string, spans: readonly FsSpan[], options: FsEditOptions): Promise<FsWritten>;
  /** One level, by name in code-unit order. */
  list(path: string, options?: FsOptions): Promise<readonly FsEntry[]>;
  /**
   * All below a directory, depth first, each directory before what is in it, by name; the start itself is not among them. Links
   * are told and not entered, so everything is told once. A file as the start is the only entry.
   */
  walk(path: string, options?: FsWalkOptions): AsyncIterable<FsEntry>;
  /** A link is removed, not what it leads to. Never the workspace's root. */
  remove(path: string, options?: FsRemoveOptions): Promise<void>;
  /** Moves a file, link or directory. Makes missing directories. */
  move(from: string, to: string, options?: FsMoveOptions): Promise<FsTarget>;
  /** With all missing ones above. Nothing happens when it is there. */
  mkdir(path: string, options?: FsOptions): Promise<FsTarget & { readonly isNew: boolean }>;
  /** Tells of changes by anybody, below a directory or of a file. May merge and repeat, never misses the last. Optional. */
  watch?(path: string, onChange: (change: FsChange) => void, options?: FsOptions): Promise<() => void>;
  /** Absolute path for other programs on this machine. Only of providers whose files they can open. Optional. */
  localPath?(path: string, options?: FsOptions): Promise<string>;
}
