import { FsError } from './errors.ts';

export interface PathRules {
  /** Absolute paths of the roots, without a trailing separator, by the name that stands for each. */
  readonly roots: readonly { readonly name: string; readonly path: string }[];
  /** Also takes `\` for a separator, and compares drive letters and roots without case. Default false. */
  readonly isWindows?: boolean;
}

/**
 * The normal form of a path as a model or a person writes it: relative to the workspace, or absolute inside a root. `..` is
 * taken away with the segment before it, whatever that is; what would leave the workspace is refused.
 *
 * @throws FsError `FS_BAD_PATH`, `FS_OUTSIDE_WORKSPACE`
 */
export function normalPath(path: string, rules: PathRules, operation: string): string {
  if (typeof path !== 'string') throw new TypeError('fs: a path must be a string');
  const problem = problemOf(path);
  if (problem !== undefined) throw new FsError('FS_BAD_PATH', path, { operation, detail: problem });
  const slashed = rules.isWindows === true ? path.replaceAll('\\', '/') : path;
  const relative = isAbsolute(slashed, rules) ? insideRoot(slashed, rules) : slashed;
  const segments = relative === undefined ? undefined : collapse(relative);
  if (segments === undefined) throw new FsError('FS_OUTSIDE_WORKSPACE', path, { operation });
  return segments.length === 0 ? '.' : segments.join('/');
}

/** Segments of a normal path; none for the root. */
export function segmentsOf(normal: string): string[] {
  return normal === '.' ? [] : normal.split('/');
}

/** A normal path and one more segment. */
export function joined(directory: string, name: string): string {
  return directory === '.' ? name : `${directory}/${name}`;
}

/** The normal path that a normal path is directly in; `.` for those at the top, and for the root itself. */
export function parentOf(normal: string): string {
  const at = normal.lastIndexOf('/');
  return at < 0 ? '.' : normal.slice(0, at);
}

/** Whether a normal path is another one or below it. */
export function isWithin(normal: string, directory: string): boolean {
  return directory === '.' || normal === directory || normal.startsWith(`${directory}/`);
}

function problemOf(path: string): string | undefined {
  if (path.trim() === '') return 'is empty';
  if (path.includes('\0')) return 'contains a NUL character';
  if (!isWellFormed(path)) return 'contains half of a surrogate pair';
  return undefined;
}

/** Node 20 has it; the library types of the compile target do not. */
export function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

function isAbsolute(path: string, { isWindows }: PathRules): boolean {
  // `C:name` is relative to a drive's own directory: never inside, so it is compared like an absolute one.
  return path.startsWith('/') || (isWindows === true && /^[A-Za-z]:/.test(path));
}

/** What follows the root that the path is in, under the root's name. */
function insideRoot(path: string, { roots, isWindows }: PathRules): string | undefined {
  const folded = (text: string): string => (isWindows === true ? text.toLowerCase() : text);
  // The collapsed form, or `/root/../other` would pass for inside.
  const segments = collapse(path.replace(/^\/+/, ''));
  if (segments === undefined) return undefined;
  for (const { name, path: rootPath } of roots) {
    const root = rootPath.replaceAll(isWindows === true ? '\\' : '/', '/').split('/').filter((segment) => segment !== '');
    if (segments.length < root.length || !root.every((segment, i) => folded(segment) === folded(segments[i] as string))) continue;
    const rest = segments.slice(root.length);
    return (name === '' ? rest : [name, ...rest]).join('/');
  }
  return undefined;
}

/** Undefined when `..` goes past the beginning. */
function collapse(path: string): string[] | undefined {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments;
}
