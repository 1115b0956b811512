import type { InferInput, JsonObject, JsonValue, SchemaSource } from '@sluice/core-schema';
import type { ContentBlock } from './blocks.ts';
import type { ToolCallView, ToolResultView } from './cards.ts';

/** MCP's annotation hints. Policies read them, the model never sees them, and nobody should trust them from a stranger. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A message that joins the conversation after the results of its batch; never part of a result's content. */
export interface AdditionalContext {
  /** Who says it, such as a plugin's name. */
  readonly source: string;
  readonly content: readonly ContentBlock[];
  readonly meta?: JsonValue;
}

/** Exactly what a model is told about a tool. Deep-frozen. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

export interface ToolCallInput {
  readonly name: string;
  /** Any JSON value. Left out together with `argumentsText`, it is `{}`. */
  readonly arguments?: unknown;
  /** The raw JSON text a model sent; empty text is `{}`. Give this or `arguments`, not both. */
  readonly argumentsText?: string;
  /** Minted when absent; need not be unique. */
  readonly callId?: string;
  readonly signal?: AbortSignal;
}

/** Identity of one call, frozen on entry. What every hook and guard sees. */
export interface ToolExecution {
  /** Unique within the process, unlike `callId`. */
  readonly id: string;
  readonly callId: string;
  /** `callId` of the outermost call; a call that is not nested is its own root. */
  readonly rootCallId: string;
  readonly parentCallId?: string;
  readonly name: string;
  /** Deep-frozen and valid for the tool; `undefined` when the call failed before there was a JSON value. */
  readonly arguments: JsonValue | undefined;
  readonly argumentsText?: string;
  readonly scopePath: readonly string[];
  /** Absent for an unknown tool. */
  readonly tool?: {
    readonly timeoutMs?: number;
    readonly annotations?: ToolAnnotations;
    /** The tool's own idea of what makes two calls the same. May throw. */
    readonly repeatKey?: (args: JsonValue) => string | undefined;
  };
  /** The caller's signal. A wrapper's and a body's also carry what outer wrappers added. */
  readonly signal: AbortSignal;
}

export interface ToolProgress {
  readonly message?: string;
  readonly completed?: number;
  readonly total?: number;
  readonly partial?: JsonValue;
}

/** What a body gets. Every function works detached; after the call settled they do nothing but a debug line. */
export interface ToolRun extends ToolExecution {
  /** A nested call: same scope, signal and root call. Refused with `ABORTED_BEFORE_DISPATCH` after this call settled. */
  execute(input: ToolCallInput): Promise<ToolExecutionResult>;
  executeAll(inputs: readonly ToolCallInput[], options?: ExecuteAllOptions): Promise<ToolExecutionResult[]>;
  /** Adds a context to this attempt's result. Survives every outcome but a block. @throws TypeError on a malformed context */
  deferContext(context: AdditionalContext): void;
  /** Asks the loop to end the turn after this batch. Counts only if the call succeeds. */
  concludeTurn(): void;
  /** Emits `tools/progress`. Malformed progress is logged and dropped: it never changes the result. */
  progress(progress: ToolProgress): void;
  /** Content for this attempt in place of `output.render`. The last call counts. */
  content(blocks: readonly ContentBlock[]): void;
}

export interface LockKeys {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
}

/** What a finished call looked like, for a result presenter; all of it survives in a session log. */
export interface PresentableResult {
  readonly content: readonly ContentBlock[];
  readonly isError: boolean;
  readonly meta?: JsonValue;
}

/**
 * A tool as it is registered. `defineTool` gives the same with inferred types.
 *
 * Source: dsh core/tools ToolDefinition. Differs: annotations, locks and repeatKey are new; everything is checked and captured at registration.
 */
// The `any`s: a registry holds tools of every argument and value type, and parameters vary both ways.
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
export interface ToolDefinition<A = any, V = any, P = SchemaSource | object, O = SchemaSource | object> {
  /** 1 to 64 of `[A-Za-z0-9_-]`, starting with a letter or underscore (what every provider accepts). `run_code` is reserved. */
  readonly name: string;
  readonly description: string;
  /** Also `object`, because a foreign schema comes typed as loosely as its sender does; what it is, is checked at registration. */
  readonly parameters: P;
  readonly output: {
    readonly schema: O;
    /** Synchronous; once per accepted value. A throw or a malformed block is `INVALID_TOOL_OUTPUT`. */
    render(args: A, value: V): readonly ContentBlock[];
    /** Kept with the result for replayed cards; root calls only. */
    presentationMeta?(args: A, value: V): unknown;
  };
  execute(args: A, exec: ToolRun): V | Promise<V>;
  /** Milliseconds per attempt, greater than 0. Declared here; enforced by `@sluice/tool-call-timeout-policy`. */
  readonly timeoutMs?: number;
  /** Exactly `true` lets a call overlap its neighbours in a batch. Pure; gets the frozen arguments. A throw means false. */
  isConcurrencySafe?(args: A): boolean;
  /** Resource keys: readers of a key overlap, a writer has it alone. A throw makes the call exclusive. */
  locks?(args: A): LockKeys | Promise<LockKeys>;
  readonly annotations?: ToolAnnotations;
  /** What makes two calls "the same" for loop detection; `undefined` exempts the call (polling). */
  repeatKey?(args: A): string | undefined;
  /** The tool's last word on content, exactly once for every outcome; `undefined` keeps it. Synchronous. */
  finalizeContent?(exec: ToolExecution, result: ToolExecutionResult): readonly ContentBlock[] | undefined;
  /** Pure and synchronous; also runs on replay. */
  presentCall?(args: A): ToolCallView | undefined;
  presentResult?(args: A, result: PresentableResult): ToolResultView | undefined;
}

/** The type of a value by its schema; `{}` takes any. */
export type InferValue<O> = [keyof O] extends [never] ? JsonValue : InferInput<O>;

export interface ToolErrorInfo {
  /** Class of the error, such as `ToolArgsError`. */
  readonly name: string;
  /** Stable; branch on this. One of `codes`, or a tool's own. */
  readonly code: string;
  /** True once any attempt entered the body: effects are possible. */
  readonly started: boolean;
  /** The foreign or earlier code behind this one. */
  readonly causeCode?: string;
  readonly attempts?: number;
  /** The deadline that passed, in milliseconds (`TOOL_TIMEOUT`). */
  readonly limitMs?: number;
  /** Plugin whose listener or guard denied or blocked, or whose listener, guard or wrapper failed. */
  readonly listener?: string;
  /** The thrown error said that another attempt may help. */
  readonly retryable?: true;
}

export interface ToolSuccess {
  readonly isError: false;
  readonly callId: string;
  readonly name: string;
  readonly value: JsonValue;
  readonly content: readonly ContentBlock[];
  readonly meta?: JsonValue;
  readonly additionalContexts?: readonly AdditionalContext[];
  readonly concludesTurn?: true;
}
export interface ToolFailure {
  readonly isError: true;
  readonly callId: string;
  readonly name: string;
  readonly error: { readonly message: string; readonly hint?: string; readonly info: ToolErrorInfo };
  readonly content: readonly ContentBlock[];
  readonly meta?: JsonValue;
  readonly additionalContexts?: readonly AdditionalContext[];
  /** A wrapper settled the call while its body was still running. */
  readonly stillRunning?: true;
}
/** Deep-frozen plain JSON. */
export type ToolExecutionResult = ToolSuccess | ToolFailure;

export type PreToolDecision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly reason: string; readonly code?: string }
  | { readonly kind: 'ask'; readonly reason?: string };

export type PostToolDecision =
  | {
      readonly kind: 'accept';
      readonly content?: readonly ContentBlock[];
      readonly value?: unknown;
      readonly additionalContexts?: readonly AdditionalContext[];
    }
  | {
      readonly kind: 'block';
      readonly feedback: readonly ContentBlock[];
      readonly additionalContexts?: readonly AdditionalContext[];
    };

export type GuardVerdict = undefined | string | { readonly deny: string; readonly code?: string } | { readonly ask: string };
/** Can only tighten: deny (a string is a reason) or ask. There is no way to allow. */
export type Guard = (exec: ToolExecution) => GuardVerdict | Promise<GuardVerdict>;

export interface Restriction {
  /** Only these inherited tools stay visible. An empty list hides every inherited tool. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

export type ExecutionMode = 'parallel' | 'exclusive';

export interface ExecuteAllOptions {
  /** Bodies that may overlap. Positive integer, default 10; 1 is serial. */
  readonly maxParallel?: number;
  /** For the whole batch: no new starts after it aborts. A call's own signal is fused with it. */
  readonly signal?: AbortSignal;
  /** Called in call order as each result is final. A throw is logged and contained. */
  readonly onResult?: (result: ToolExecutionResult, index: number) => void;
}

/** How tools reach a model: each by its name, as functions of programs that `run_code` runs, or both. */
export type PresentationMode = 'native' | 'code' | 'both';

/** What a harness shows a model. Deep-frozen. */
export interface Presentation {
  readonly mode: PresentationMode;
  readonly tools: readonly ToolSchema[];
  /** Parts of the system prompt, by `order`. Their text is final: nothing in it may be interpolated. */
  readonly sections: readonly PresentationSection[];
}

export interface PresentationSection {
  readonly name: string;
  readonly order: number;
  readonly text: string;
}

export interface ToolChange {
  readonly kind: 'register' | 'unregister' | 'restrict' | 'present';
  readonly name?: string;
  readonly scopePath: readonly string[];
}
export interface ToolHold {
  readonly callId: string;
  readonly held: boolean;
}
export interface ToolLate {
  readonly callId: string;
  readonly name: string;
  readonly result: ToolExecutionResult;
  readonly elapsedMs: number;
}

export type * from './tool-runtime.ts';
