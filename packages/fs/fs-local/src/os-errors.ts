import { FsError, isFsError, type FsCode } from '@sluice/fs';
import { codeOf } from './os.ts';

const table: Readonly<Record<string, readonly [code: FsCode, detail?: string]>> = {
  ENOENT: ['FS_NOT_FOUND'],
  ENOTDIR: ['FS_NOT_DIRECTORY'],
  EISDIR: ['FS_IS_DIRECTORY'],
  EEXIST: ['FS_EXISTS'],
  ENOTEMPTY: ['FS_NOT_EMPTY'],
  ELOOP: ['FS_LINK_LOOP'],
  EACCES: ['FS_PERMISSION'],
  EPERM: ['FS_PERMISSION'],
  EROFS: ['FS_READ_ONLY', 'is on a filesystem that is read-only'],
  ENAMETOOLONG: ['FS_BAD_PATH', 'has a name that is too long'],
  EILSEQ: ['FS_BAD_PATH', 'has a name that this filesystem cannot hold'],
  EINVAL: ['FS_BAD_PATH', 'has a name that this filesystem cannot hold'],
  ENOSPC: ['FS_NO_SPACE'],
  EDQUOT: ['FS_NO_SPACE', 'could not be written: the disk quota is used up'],
  EFBIG: ['FS_NO_SPACE', 'could not be written: it would be larger than a file may be'],
  ENXIO: ['FS_NOT_REGULAR'],
  ENODEV: ['FS_NOT_REGULAR'],
  EBUSY: ['FS_BUSY'],
  ETXTBSY: ['FS_BUSY', 'is a program that is running'],
  EAGAIN: ['FS_BUSY'],
  EMFILE: ['FS_BUSY', 'could not be accessed: too many files are open'],
  ENFILE: ['FS_BUSY', 'could not be accessed: too many files are open'],
  EXDEV: ['FS_UNSUPPORTED', 'is on another filesystem than its target'],
  ENOSYS: ['FS_UNSUPPORTED'],
  ENOTSUP: ['FS_UNSUPPORTED'],
  EOPNOTSUPP: ['FS_UNSUPPORTED'],
  EMLINK: ['FS_UNSUPPORTED', 'is in a directory that is full'],
};

/**
 * The seam's error for whatever went wrong. Only the caller's own path is in its message: those of the machine, and of files that are
 * being staged, stay in the cause.
 */
export function asFsError(error: unknown, path: string, operation: string): unknown {
  if (isFsError(error) || error instanceof TypeError) return error;
  const [code, detail] = table[codeOf(error) ?? ''] ?? ['FS_IO'];
  return new FsError(code, path, { operation, cause: error, ...(detail === undefined ? {} : { detail }) });
}
