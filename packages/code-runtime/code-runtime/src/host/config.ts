import type { ResolvedLimits } from '../types.ts';

/** What can be set of a runtime that lives in worker threads. */
export interface WorkerRuntimeConfig {
  /** Bounds of a run, unless its request says otherwise. */
  readonly limits: ResolvedLimits;
  /** Programs that run at once. Default 8. */
  readonly maxConcurrent: number;
  /** Further programs that wait for a place; beyond that they fail at once. Default 256. */
  readonly maxQueued: number;
  /** Threads kept ready for the next run; 0 saves their memory, and every run pays for its start. Default 1. */
  readonly spares: number;
  /** Longest argument or result of one call, in UTF-16 code units of JSON. Default 16_777_216. */
  readonly maxValueChars: number;
  /** Whether `undefined`, dates and infinite numbers become what `JSON.stringify` makes of them, instead of a failure. Default false. */
  readonly isLenient: boolean;
}

const milliseconds = { type: 'number', exclusiveMinimum: 0, maximum: 2_147_483_647 } as const;

/** JSON Schema of WorkerRuntimeConfig. */
export const workerRuntimeConfig = {
  type: 'object',
  additionalProperties: false,
  properties: {
    limits: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        computeMs: { ...milliseconds, default: 60_000 },
        wallMs: { ...milliseconds, default: 600_000 },
        heapMb: { type: 'integer', minimum: 16, maximum: 65_536, default: 256 },
        outputBytes: { type: 'integer', minimum: 4, maximum: 1_073_741_824, default: 16_777_216 },
      },
    },
    maxConcurrent: { type: 'integer', minimum: 1, default: 8 },
    maxQueued: { type: 'integer', minimum: 0, default: 256 },
    spares: { type: 'integer', minimum: 0, maximum: 64, default: 1 },
    maxValueChars: { type: 'integer', minimum: 1, maximum: 268_435_456, default: 16_777_216 },
    isLenient: { type: 'boolean', default: false },
  },
} as const;
