import { FsError } from '@sluice/fs';

const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;

/**
 * Refuses names that Windows takes for something else: devices, streams of another file, and names that lose their end, and so
 * would be another way to write a protected one.
 *
 * @throws FsError `FS_BAD_PATH`
 */
export function assertWindowsNames(normal: string, path: string, operation: string): void {
  for (const name of normal === '.' ? [] : normal.split('/')) {
    const problem = problemOf(name);
    if (problem !== undefined) throw new FsError('FS_BAD_PATH', path, { operation, detail: `has the part ${JSON.stringify(name)}, which ${problem} on Windows` });
  }
}

function problemOf(name: string): string | undefined {
  if (RESERVED.test(name)) return 'is the name of a device';
  if (/[<>:"|?*]|\p{Cc}/u.test(name)) return 'has a character that names may not have';
  return /[. ]$/.test(name) ? 'ends in a dot or a space' : undefined;
}
