import type { Notification, Waterfall } from '@sluice/core-context';
import type { FsCode } from './errors.ts';
import type { FsPrecondition, FsSpan, FsStat, FsTarget, FsVersion } from './types.ts';

/** Who wants to change something: the scope whose `ctx.fs` was called. */
interface Intent extends FsTarget {
  /** One frozen array for as long as the scope lives: a key for state that ends with it. */
  readonly scopePath: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** A change of anything but a part of a file. */
export interface FsWriteIntent extends Intent {
  readonly operation: 'write' | 'remove' | 'move' | 'mkdir';
  /** What is there now; undefined when nothing is. */
  readonly current: FsStat | undefined;
  /** `write`: the new content, as the caller gave it. */
  readonly content?: string | Uint8Array;
  /** `move`: where to. The intent's own target is where from. */
  readonly to?: FsTarget;
  /** `remove`: with all that is in it. `move`: replaces a file at the target. */
  readonly isSweeping?: boolean;
  readonly ifVersion?: FsPrecondition | undefined;
}

export interface FsEditIntent extends Intent {
  readonly spans: readonly FsSpan[];
  /** The version that the spans were made for. Read it with `ifVersion` to see the text that they are about. */
  readonly ifVersion: FsVersion;
}

/**
 * A deny needs a reason: it finishes the sentence `cannot write "<path>": it …`. An allow may narrow what it allows to one
 * version, so that nothing comes between the check and the change; it must not contradict the caller's own.
 */
export type FsDecision =
  | { readonly kind: 'allow'; readonly ifVersion?: FsPrecondition }
  | { readonly kind: 'deny'; readonly reason: string; readonly code?: FsCode; readonly hint?: string };

/** Half-open, in code units of `FsText.text`; bytes for what is no text. */
export interface FsRange {
  readonly start: number;
  readonly end: number;
}

/** What a scope has been shown of a file, or has done to it. Removing or moving a directory is told once, for all that is in it. */
export interface FsObserved extends FsTarget {
  readonly scopePath: readonly string[];
  /** A move is told twice: `remove` of where it was, then `move` of where it is. */
  readonly how: 'read' | 'write' | 'edit' | 'remove' | 'move';
  /** What is there now; undefined: nothing. */
  readonly version: FsVersion | undefined;
  /** `read`: the parts that were shown; `all` is everything. Facts such as a size alone are `[]`. */
  readonly seen?: 'all' | readonly FsRange[];
  /** `write`, and `read` if whoever read it had it at hand: the whole content. Hash it or compare it; do not keep it. */
  readonly content?: string | Uint8Array;
  /** `edit`: what was replaced, in the version before. */
  readonly spans?: readonly FsSpan[];
  /** `edit`: the version before. */
  readonly before?: FsVersion;
  /** `move`: where it was. */
  readonly from?: FsTarget;
}

declare module '@sluice/core-context' {
  interface Hooks {
    /** Before a write, removal, move or new directory. A throw, or an answer that is no decision, denies. */
    'fs/write-intent': Waterfall<[intent: FsWriteIntent], FsDecision>;
    /** Before an edit. A throw, or an answer that is no decision, denies. */
    'fs/edit-intent': Waterfall<[intent: FsEditIntent], FsDecision>;
    /** After a change, and whenever a consumer says what it has shown. What a listener throws changes nothing. */
    'fs/observed': Notification<[observed: FsObserved]>;
  }
}
