import ignore from 'ignore';

/** What makes git run programs: hooks, and configuration that names them. */
export const DEFAULT_PROTECTED: readonly string[] = Object.freeze(['**/.git/hooks', '**/.git/config', '**/.git/info/attributes', '**/.git/modules/**/config', '**/.git/modules/**/hooks']);

/**
 * Says of a normal path whether it, or a directory that it is in, matches one of the patterns (as in a `.gitignore`). Letter case
 * does not matter: on some disks it does not either. Ask about the real path of a file, or a link would be a way around.
 */
export function protectedPaths(patterns: readonly string[]): (path: string) => boolean {
  const rules = ignore({ ignorecase: true }).add([...patterns]);
  // A pattern may mean directories only; a protected name is protected whatever would be made there.
  return (path) => path !== '.' && (rules.ignores(path) || rules.ignores(`${path}/`));
}
