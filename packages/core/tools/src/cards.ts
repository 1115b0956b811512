import type { JsonValue } from '@sluice/core-schema';
import type { ContentBlock } from './blocks.ts';

/** Icon of a generic card; `other` is the default. */
export type CardKind = 'read' | 'edit' | 'delete' | 'move' | 'search' | 'execute' | 'fetch' | 'other';

/** `line` is 1-based. */
export interface CardLocation {
  readonly path: string;
  readonly line?: number;
}
/** `oldText` is null for a new file. */
export interface FileDiff {
  readonly path: string;
  readonly oldText: string | null;
  readonly newText: string;
}

/**
 * Cards while a call is pending, by tag. Open: a package adds a tag by declaration merging, and a renderer that does not
 * know a tag draws the generic card from `title`.
 *
 * Source: dsh core/tools presentation vocabulary. Differs: open, and `locations` is a card of its own.
 */
export interface PendingCards {
  generic: { title: string; kind?: CardKind; rawInput?: JsonValue; content?: readonly ContentBlock[]; locations?: readonly CardLocation[] };
  /** `title` is the command; `cwd` absolute or relative to the workspace. */
  terminal: { title: string; description?: string; cwd?: string };
  diff: { title: string; diffs: readonly FileDiff[]; locations?: readonly CardLocation[] };
  locations: { title: string; locations: readonly CardLocation[] };
}

export interface SearchMatch {
  readonly path: string;
  /** `lineNumber` is 1-based. */
  readonly matches: readonly { readonly lineNumber: number; readonly line: string }[];
}

/** Cards once a call completed; each replaces the pending card. */
export interface CompletedCards {
  generic: { title?: string; content?: readonly ContentBlock[] };
  /** `exitCode` or `signal`, never both. */
  terminal: { title?: string; output?: string; exitCode?: number; signal?: string };
  diff: { title?: string; diffs: readonly FileDiff[] };
  locations: { title?: string; locations: readonly CardLocation[] };
  search:
    | { title?: string; shape: 'matches'; files: readonly SearchMatch[]; truncated: boolean; total: number }
    | { title?: string; shape: 'paths'; paths: readonly string[]; truncated: boolean; total: number };
  /** `offset` and line numbers are 1-based. */
  read: {
    title?: string;
    path: string;
    offset: number;
    lines: readonly { readonly number: number; readonly text: string }[];
    totalLines: number;
    lang?: string;
    content?: readonly ContentBlock[];
  };
}

export type ToolCallView = { [K in keyof PendingCards]: { readonly card: K } & Readonly<PendingCards[K]> }[keyof PendingCards];
export type ToolResultView = { [K in keyof CompletedCards]: { readonly card: K } & Readonly<CompletedCards[K]> }[keyof CompletedCards];
