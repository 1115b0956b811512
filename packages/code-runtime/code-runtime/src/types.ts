import type { CodeLimits, CodeRuntime } from '@sluice/core-tools';

export type {
  CodeErrorKind,
  CodeLimits,
  CodeNamespace,
  CodeRunOutcome,
  CodeRunRequest,
  CodeRuntime,
} from '@sluice/core-tools';

/**
 * How far something is kept in bounds.
 * - `contained`: a program cannot exceed it, as far as anybody knows.
 * - `approximate`: it is watched, and ended some time after it exceeded its bound.
 * - `open`: nothing keeps it.
 */
export type Containment = 'contained' | 'approximate' | 'open';

/** One line of the report: the level, and in a sentence what it rests on. */
export interface ContainmentReport {
  readonly level: Containment;
  readonly how: string;
}

/** What the substrate can and cannot contain. A report, so it says the weakest thing that is true. */
export interface CodeCapabilities {
  /** Processor time, busy loops included. */
  readonly time: ContainmentReport;
  /** Objects and strings of the program. */
  readonly heap: ContainmentReport;
  /** Memory outside the heap, such as array buffers. */
  readonly externalMemory: ContainmentReport;
  /** Environment variables of the host. */
  readonly env: ContainmentReport;
  readonly fs: ContainmentReport;
  readonly network: ContainmentReport;
  /** Starting processes and threads, and signals to them. */
  readonly processes: ContainmentReport;
  /** What the whole is fit for: `mistakes` of a program that means no harm, or `hostile` programs. */
  readonly fitFor: 'mistakes' | 'hostile';
}

/** What a provider of service `codeRuntime` offers: core's contract, and an honest report. */
export interface CodeRuntimeProvider extends CodeRuntime {
  readonly capabilities: CodeCapabilities;
}

/** Limits with nothing left out. */
export type ResolvedLimits = Required<CodeLimits>;
