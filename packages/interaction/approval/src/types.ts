import type { JsonValue } from '@sluice/core-schema';
import type { ApprovalOutcome, ApprovalRequest, ApprovalService } from '@sluice/core-tools';

/** How long an "always" holds: until the process ends, in this project, or for this person everywhere. */
export type Remember = 'session' | 'project' | 'user';

/**
 * What a person said "always" to; the `rule` of an `allowed-always` outcome. This package only checks and hands it on: whoever
 * remembers rules listens on `approval/decided`. Plain JSON; further members are kept.
 */
export interface ApprovalRule {
  /** Name or pattern of the tools that it covers. */
  readonly tool: string;
  /** Conditions by argument path; every call of the tool when absent. */
  readonly when?: Readonly<Record<string, JsonValue>>;
  readonly decision: 'allow';
  readonly remember: Remember;
}

/** An open question as plain JSON, for whoever is not in the chain of answerers. Times are milliseconds since 1970. */
export interface PendingApproval {
  readonly id: string;
  readonly tool: string;
  readonly callId: string;
  /** Path of the asking scope, joined with `/`; absent at the root. */
  readonly scope?: string;
  readonly reason?: string;
  /** SHA-256 of the canonical JSON of the arguments, in hexadecimal: says whether two questions are about the same thing. */
  readonly argumentsSha256: string;
  readonly askedAt: number;
  /** When it is rejected by itself; absent if it waits for as long as it takes. */
  readonly expiresAt?: number;
}

/** `ctx.approval` as this package provides it. */
export interface Approvals extends ApprovalService {
  /**
   * Asks, and resolves when there is a decision; never with a grant that nobody gave. The arguments are copied and frozen.
   *
   * @throws TypeError (rejects) on a malformed request, or when a question of the same id is still open
   */
  request(request: ApprovalRequest): Promise<ApprovalOutcome>;
  /** The open questions of this plugin instance, whatever scope they come from; oldest first. */
  pending(): PendingApproval[];
  /**
   * Decides an open question, from anywhere in the process. The first answer wins: false when the question is unknown or
   * already decided. What is no outcome denies, as from any answerer.
   */
  answer(id: string, outcome: ApprovalOutcome): boolean;
}
