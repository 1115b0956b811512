import { issueAt } from './issue.ts';
import { DEFAULT_LIMITS, snapshotJson, type Snapshot, type SnapshotLimits } from './snapshot.ts';

const BLANK = /^[ \t\n\r]*$/;

/** Reads JSON text as a model sent it; the strict checks follow. */
export function parseJsonText(text: string, limits: SnapshotLimits = DEFAULT_LIMITS): Snapshot {
  if (BLANK.test(text)) return { ok: true, value: Object.freeze({}) };
  try {
    return snapshotJson(JSON.parse(text), limits);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'malformed';
    return { ok: false, issue: issueAt([], `is not valid JSON: ${reason}`, 'JSON text', 'malformed text') };
  }
}
