import type { SchemaIssue } from './issue.ts';
import type { JsonValue } from './json.ts';

/** Bounds of one snapshot. */
export interface SnapshotLimits {
  /** Levels of objects and arrays, the outermost included. Default 512. */
  maxDepth: number;
  /** Values in the copy, containers included; a shared reference counts each time. Default 1_000_000. */
  maxNodes: number;
}

/** A frozen copy, or the first thing that keeps a value from being JSON. */
export type Snapshot = { ok: true; value: JsonValue } | { ok: false; issue: SchemaIssue };

export const DEFAULT_LIMITS: Readonly<SnapshotLimits> = Object.freeze({ maxDepth: 512, maxNodes: 1_000_000 });
