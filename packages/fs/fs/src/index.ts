import type { FileSystem } from './file-system.ts';

export { fileSystemOf, type FileSystem, type FsObservation } from './file-system.ts';
export { fileSystemFor } from './scope.ts';
export { FsError, fsCodes, isFsError, throwIfCancelled, type FsCode, type FsErrorOptions } from './errors.ts';
export type { FsDecision, FsEditIntent, FsObserved, FsRange, FsWriteIntent } from './events.ts';
export type * from './types.ts';

// For providers.
export { isWithin, joined, normalPath, parentOf, segmentsOf, type PathRules } from './paths.ts';
export { DEFAULT_MAX_TEXT_BYTES, decodeText, encodeText, FORMAT_BYTES, formatOf, formatToKeep, lineEndingsOf, UTF8, withLineEndings, type Decoded } from './text.ts';
export { editedBytes, editedPieces, replaceSpans, type EditedPieces } from './spans.ts';
export { areLinesAlike, replacedText, wholeLines, type ReplacedBytes } from './replaced.ts';
export { commonHead, commonTail } from './bytes.ts';
export { walkTree, type Walked } from './walk.ts';
export { isIgnored, parseIgnoreFile, type IgnoreFile } from './ignore-rules.ts';
export { assertPrecondition } from './precondition.ts';
export { DEFAULT_PROTECTED, protectedPaths } from './protected-paths.ts';
export { Turns } from './turns.ts';

declare module '@sluice/core-context' {
  interface Services {
    fs: FileSystem;
  }
}
