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
