import type { Disposer } from '@sluice/core-context';
import type { JsonValue } from '@sluice/core-schema';
import type { ToolCallView } from './cards.ts';

/** One question to a person about one exact call. */
export interface ApprovalRequest {
  /** Unique per question. */
  readonly id: string;
  /** Path of the asking scope, joined with `/`; absent at the root. */
  readonly scope?: string;
  readonly toolName: string;
  readonly callId: string;
  /** The frozen arguments that will run. */
  readonly arguments: JsonValue;
  readonly view: ToolCallView;
  readonly reason?: string;
  readonly signal: AbortSignal;
}

export type ApprovalOutcome =
  | { readonly kind: 'allowed-once' }
  | { readonly kind: 'allowed-always'; readonly rule: unknown }
  | { readonly kind: 'rejected'; readonly feedback?: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'unavailable'; readonly why: string };

/**
 * Service `approval`, looked up for every question, so that unloading it mid-session means denial.
 * Contract: a rejection or an unknown outcome denies the call with `PIPELINE_FAILED`.
 */
export interface ApprovalService {
  request(request: ApprovalRequest): Promise<ApprovalOutcome>;
}

/** Functions that a program finds as properties of one global object. */
export interface CodeNamespace {
  /** Name of the object: ASCII letters, digits and `_`, no reserved word of JavaScript or Python. */
  readonly global: string;
  /** Own properties only; any name. A rejection reaches the program as an error of `errorClass`, message and all. */
  readonly functions: Readonly<Record<string, (args: JsonValue) => Promise<JsonValue>>>;
  /** Property `memberNameProperty` of such an error is the name of the function that failed. */
  readonly errorClass?: {
    readonly name: string;
    readonly memberNameProperty: string;
    /** Further string properties of a rejection that the program may see. */
    readonly properties?: readonly string[];
  };
}

/** Bounds of one run. What is left out is the runtime's own default. */
export interface CodeLimits {
  /** Milliseconds of work, waiting for functions not counted. */
  readonly computeMs?: number;
  /** Milliseconds on the clock, time that a person takes to answer a question not counted. */
  readonly wallMs?: number;
  readonly heapMb?: number;
  /** Bytes of logs and value as JSON. */
  readonly outputBytes?: number;
}

export interface CodeRunRequest {
  /** Body of an async function in the runtime's language: `await` and `return` work at its top level. */
  readonly program: string;
  readonly bindings: readonly CodeNamespace[];
  readonly signal: AbortSignal;
  readonly limits?: CodeLimits;
  /** Calls back when a person begins or ends to be asked on behalf of this run. */
  readonly onHold?: (listener: (held: boolean) => void) => Disposer;
}

export type CodeErrorKind = 'exception' | 'timeout' | 'abort' | 'worker-exit' | 'invalid-output' | 'output-limit';

export interface CodeRunOutcome {
  /** Absent when the program returned nothing. */
  readonly value?: JsonValue;
  readonly logs: readonly string[];
  readonly error?: { readonly kind: CodeErrorKind; readonly message: string };
}

/** Service `codeRuntime`. Whatever a program does is an outcome; a rejection means that the request was wrong. */
export interface CodeRuntime {
  /** Such as `typescript`; decides how tools are described to the model. */
  readonly language: string;
  /** A label such as `worker-thread`, no promise. */
  readonly isolation: string;
  run(request: CodeRunRequest): Promise<CodeRunOutcome>;
}
