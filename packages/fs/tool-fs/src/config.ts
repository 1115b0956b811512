export interface ToolFsConfig {
  /** Registers only what reads. Default false. */
  readonly readOnly: boolean;
  /** Lines that one `read_file` shows at most; also its default `limit`. Default 2,000. */
  readonly maxLines: number;
  /** UTF-16 code units of one line that are shown. Default 2,000. */
  readonly maxLineChars: number;
  /** UTF-8 bytes of all lines that one `read_file` shows. Default 51,200. */
  readonly maxBytes: number;
  /** Bytes of an image that is shown to the model; 0 shows none. Default 5 MiB. */
  readonly maxImageBytes: number;
  /** Each line is shown with its number. Default true. */
  readonly lineNumbers: boolean;
  /** Entries of one `list_directory`. Default 1,000. */
  readonly maxEntries: number;
  /** Milliseconds that comparing the old content of an overwritten file with the new may take. Default 100. */
  readonly diffTimeoutMs: number;
  /** UTF-16 code units of changed text, old and new, that a card and its log hold. Default 65,536. */
  readonly maxCardChars: number;
}

const count = { type: 'integer', minimum: 1 } as const;

export const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    readOnly: { type: 'boolean', default: false },
    maxLines: { ...count, default: 2_000 },
    maxLineChars: { ...count, default: 2_000 },
    maxBytes: { ...count, default: 51_200 },
    maxImageBytes: { type: 'integer', minimum: 0, default: 5_242_880 },
    lineNumbers: { type: 'boolean', default: true },
    maxEntries: { ...count, default: 1_000 },
    diffTimeoutMs: { ...count, maximum: 10_000, default: 100 },
    maxCardChars: { ...count, default: 65_536 },
  },
} as const;
