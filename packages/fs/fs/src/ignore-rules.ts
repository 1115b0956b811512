import ignore, { type Ignore } from 'ignore';
import { isWithin } from './paths.ts';

/** One `.gitignore`, as far as it reaches. */
export interface IgnoreFile {
  /** Normal path of the directory that it is in. */
  readonly directory: string;
  readonly rules: Ignore;
}

export function parseIgnoreFile(directory: string, text: string): IgnoreFile {
  return { directory, rules: ignore({ ignorecase: false }).add(text) };
}

/**
 * Whether the ignore files, outermost first, exclude an entry. The innermost that has an opinion decides, as git has it. The
 * directories above the entry are the caller's to ask about first.
 */
export function isIgnored(path: string, isDirectory: boolean, files: readonly IgnoreFile[]): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === '.git') return true;
  for (let i = files.length - 1; i >= 0; i -= 1) {
    const { directory, rules } = files[i] as IgnoreFile;
    if (!isWithin(path, directory)) continue;
    const relative = directory === '.' ? path : path.slice(directory.length + 1);
    if (relative === '') continue;
    const { ignored, unignored } = rules.checkIgnore(isDirectory ? `${relative}/` : relative);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}
