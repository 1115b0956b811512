import type { ContentBlock, JsonValue, PresentableResult, ToolProgress } from '@sluice/core-tools';

/** A call enters. `id` is unique within its story; `callId` need not be. */
export interface CallBeat {
  readonly kind: 'call';
  readonly id: string;
  readonly callId: string;
  /** `callId` of the call whose body or program makes this one. */
  readonly parentCallId?: string | undefined;
  readonly name: string;
  /** Undefined when the model sent no JSON. */
  readonly arguments?: JsonValue | undefined;
  readonly argumentsText?: string | undefined;
}

export interface ResultBeat extends PresentableResult {
  readonly kind: 'result';
  readonly id: string;
  readonly name: string;
  readonly code?: string | undefined;
  readonly stillRunning?: boolean;
}

/**
 * What a story is made of, wherever it comes from: hooks, as things happen, or the events of a log. Both become these, so
 * that both look the same.
 */
export type Beat =
  | { readonly kind: 'turn'; readonly turn: number }
  | { readonly kind: 'turn-end'; readonly turn: number; readonly reason: string; readonly message?: string | undefined }
  | { readonly kind: 'person'; readonly content: readonly ContentBlock[] }
  | { readonly kind: 'reply' | 'reasoning'; readonly text: string }
  | { readonly kind: 'cut-off' }
  | { readonly kind: 'context'; readonly source: string; readonly content: readonly ContentBlock[] }
  | CallBeat
  | ResultBeat
  | { readonly kind: 'progress'; readonly id: string; readonly progress: ToolProgress }
  | { readonly kind: 'asked'; readonly id: string; readonly callId: string; readonly toolName: string; readonly reason?: string | undefined }
  | { readonly kind: 'decided'; readonly id: string; readonly callId: string; readonly outcome: Readonly<Record<string, unknown>> };
