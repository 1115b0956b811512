import { createHash } from 'node:crypto';
import type { Disposer } from '@sluice/core-context';
import { canonicalJson } from '@sluice/core-schema';
import type { ApprovalOutcome, ApprovalRequest } from '@sluice/core-tools';
import { onAbort } from './on-abort.ts';
import { askerSignal, ownRequest } from './request.ts';
import type { PendingApproval } from './types.ts';

/** One question, from the asking to the decision. It is decided once; whatever comes later is discarded. */
export class Question {
  readonly request: ApprovalRequest;
  readonly argumentsSha256: string;
  readonly askedAt = Date.now();
  readonly expiresAt: number | undefined;
  /** Equal for questions that a person could not tell apart: same tool, scope, arguments and reason. */
  readonly identity: string;
  /** Resolves with the decision. Never rejects. */
  readonly decision: Promise<ApprovalOutcome>;
  outcome: ApprovalOutcome | undefined;
  readonly #over = new AbortController();
  readonly #asker: AbortSignal | undefined;
  readonly #timeoutMs: number | undefined;
  #resolve!: (outcome: ApprovalOutcome) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unwatch: Disposer | undefined;

  /** @throws TypeError on a malformed request */
  constructor(request: ApprovalRequest, scopePath: readonly string[], timeoutMs: number | undefined) {
    this.#asker = askerSignal(request);
    this.request = ownRequest(request, scopePath, this.#over.signal);
    const { toolName, scope, reason } = this.request;
    this.argumentsSha256 = createHash('sha256').update(canonicalJson(this.request.arguments)).digest('hex');
    this.identity = JSON.stringify([toolName, scope, reason, this.argumentsSha256]);
    this.#timeoutMs = timeoutMs;
    this.expiresAt = timeoutMs === undefined ? undefined : this.askedAt + timeoutMs;
    this.decision = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** The outcome, as soon as there is one. */
  decided(): ApprovalOutcome | undefined {
    return this.outcome;
  }

  get isAborted(): boolean {
    return this.#asker?.aborted === true;
  }

  /** Calls back when the asker gives up, and when time is up. */
  watch(onGivenUp: () => void, onExpiry: () => void): void {
    if (this.#asker !== undefined) this.#unwatch = onAbort(this.#asker, onGivenUp);
    if (this.#timeoutMs !== undefined) this.#timer = setTimeout(onExpiry, this.#timeoutMs);
  }

  /** Ends the question for its answerers; `announce` tells of it before the asker goes on. False when it was over already. */
  settle(outcome: ApprovalOutcome, announce: () => void): boolean {
    if (this.outcome !== undefined) return false;
    this.outcome = outcome;
    clearTimeout(this.#timer);
    this.#unwatch?.();
    this.#over.abort();
    announce();
    this.#resolve(outcome);
    return true;
  }

  toJSON(): PendingApproval {
    const { id, toolName, callId, scope, reason } = this.request;
    return {
      id,
      tool: toolName,
      callId,
      ...(scope === undefined ? {} : { scope }),
      ...(reason === undefined ? {} : { reason }),
      argumentsSha256: this.argumentsSha256,
      askedAt: this.askedAt,
      ...(this.expiresAt === undefined ? {} : { expiresAt: this.expiresAt }),
    };
  }
}
