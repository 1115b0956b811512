export interface ToolFsSearchConfig {
  /** Paths that one `glob` gives; also its default `limit`. Default 100. */
  readonly maxPaths: number;
  /** Matching lines (or files) that one `grep` gives; also its default `limit`. Default 250. */
  readonly maxMatches: number;
  /** UTF-16 code units of a line that are shown, around the match. Default 500. */
  readonly maxLineChars: number;
  /** Code units of all lines that one `grep` gives. Default 60,000. */
  readonly maxTextChars: number;
  /** Larger files are left out, and named. Default 16 MiB. */
  readonly maxFileBytes: number;
  /** Milliseconds; then what has been found is given, and that it is not all. Default 30,000. */
  readonly budgetMs: number;
  /** Entries of the tree that one search looks at; then the same. Default 1,000,000. */
  readonly maxEntries: number;
  /** Code units of what a card and its log hold. Default 65,536. */
  readonly maxCardChars: number;
  /** Uses `@vscode/ripgrep` for `grep` where it is installed, the files are on this machine, and it finds the same. Default true. */
  readonly ripgrep: boolean;
}

const count = { type: 'integer', minimum: 1 } as const;

export const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    maxPaths: { ...count, default: 100 },
    maxMatches: { ...count, default: 250 },
    maxLineChars: { ...count, minimum: 20, default: 500 },
    maxTextChars: { ...count, default: 60_000 },
    maxFileBytes: { ...count, default: 16_777_216 },
    budgetMs: { ...count, maximum: 2_147_483_647, default: 30_000 },
    maxEntries: { ...count, default: 1_000_000 },
    maxCardChars: { ...count, default: 65_536 },
    ripgrep: { type: 'boolean', default: true },
  },
} as const;
