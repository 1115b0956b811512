/**
 * Codes of the SluiceErrors that a session throws.
 *
 * | code | meaning |
 * | --- | --- |
 * | `SESSION_LOCKED` | another writer has the file |
 * | `SESSION_NOT_A_LOG` | the file is no session log |
 * | `SESSION_VERSION` | written by a newer version of this package |
 * | `SESSION_CORRUPT` | a line in the middle of the file is damaged |
 * | `SESSION_UNKNOWN_EVENT` | the log holds an event that one must understand to go on, and nobody here does |
 * | `SESSION_CLOSED` | nothing can be written any more: it was closed |
 * | `SESSION_WRITE_FAILED` | nothing can be written any more: the disk refused |
 */
export const codes = Object.freeze({
  SESSION_LOCKED: 'SESSION_LOCKED',
  SESSION_NOT_A_LOG: 'SESSION_NOT_A_LOG',
  SESSION_VERSION: 'SESSION_VERSION',
  SESSION_CORRUPT: 'SESSION_CORRUPT',
  SESSION_UNKNOWN_EVENT: 'SESSION_UNKNOWN_EVENT',
  SESSION_CLOSED: 'SESSION_CLOSED',
  SESSION_WRITE_FAILED: 'SESSION_WRITE_FAILED',
});
