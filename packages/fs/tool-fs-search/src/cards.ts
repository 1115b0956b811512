import type { SearchMatch, ToolResultView } from '@sluice/core-tools';

/** What a replayed card needs: as much as fits. */
export function pathsMeta(paths: readonly string[], total: number, maxChars: number): object {
  let chars = 0;
  const kept = paths.filter((path) => (chars += path.length) <= maxChars);
  return { shape: 'paths', paths: kept, total, truncated: kept.length < total };
}

export function matchesMeta(files: readonly SearchMatch[], total: number, maxChars: number): object {
  let chars = 0;
  let left = 0;
  const kept: SearchMatch[] = [];
  for (const { path, matches } of files) {
    chars += path.length;
    const fitting = matches.filter(({ line }) => (chars += line.length + 8) <= maxChars);
    left += matches.length - fitting.length;
    if (fitting.length > 0) kept.push({ path, matches: fitting.map(({ lineNumber, line }) => ({ lineNumber, line })) });
  }
  const shown = kept.reduce((sum, { matches }) => sum + matches.length, 0);
  return { shape: 'matches', files: kept, total, truncated: left > 0 || shown < total };
}

/** The card, if the meta is one of ours; whatever comes from a log is looked at first. */
export function pathsCard(title: string, meta: unknown): ToolResultView | undefined {
  const { shape, paths, total, truncated } = (meta ?? {}) as Readonly<Record<string, unknown>>;
  if (shape !== 'paths' || !Array.isArray(paths) || typeof total !== 'number') return undefined;
  return { card: 'search', title, shape, paths: paths.filter((path): path is string => typeof path === 'string'), total, truncated: truncated === true };
}

export function matchesCard(title: string, meta: unknown): ToolResultView | undefined {
  const { shape, files, total, truncated } = (meta ?? {}) as Readonly<Record<string, unknown>>;
  if (shape !== 'matches' || !Array.isArray(files) || typeof total !== 'number') return undefined;
  const isFile = (file: unknown): file is SearchMatch => {
    const { path, matches } = (file ?? {}) as { path?: unknown; matches?: unknown };
    return typeof path === 'string' && Array.isArray(matches);
  };
  return { card: 'search', title, shape, files: files.filter(isFile), total, truncated: truncated === true };
}
