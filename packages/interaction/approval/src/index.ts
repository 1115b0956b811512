import './hooks.ts';
import { definePlugin, type Context } from '@sluice/core-context';
import { SluiceError } from '@sluice/core-schema';
import { OpenQuestions, type ApprovalConfig } from './open-questions.ts';
import type { Approvals } from './types.ts';

export type { ApprovalOutcome, ApprovalRequest, ApprovalService } from '@sluice/core-tools';
export type { ApprovalConfig } from './open-questions.ts';
export type { ApprovalRule, Approvals, PendingApproval, Remember } from './types.ts';
export { answeredElsewhere } from './answered-elsewhere.ts';

const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    policy: { enum: ['ask', 'never'], default: 'ask' },
    timeoutMs: { type: 'number', exclusiveMinimum: 0, maximum: 2_147_483_647 },
  },
} as const;

/**
 * The service `approval`: where a call that policy wants a person to see waits for one. It puts the question to answerers
 * (listeners on `approval/request`), keeps their turns, and gives every question exactly one decision. In doubt that is no.
 *
 * Source: dsh interaction/user-approval. Differs: stands alone, arguments are part of the question, turns, time limit, rules,
 * answers from outside, and a rejection that says why.
 */
export const approval = definePlugin<ApprovalConfig>({
  name: 'approval',
  config,
  apply(ctx, given) {
    const questions = new OpenQuestions(given);
    ctx.provide('approval', {
      bind: (caller): Approvals => ({
        request: (request) => questions.ask(caller, request),
        pending: () => questions.pending(),
        answer: (id, outcome) => questions.answer(id, outcome),
      }),
    });
    // Not a cleanup: those wait for answerers in flight, which in turn wait for this.
    ctx.signal.addEventListener('abort', () => questions.close(), { once: true });
  },
});
export default approval;

/**
 * `ctx.approval` with all that this package gives it, typed.
 *
 * @throws SluiceError `SERVICE_MISSING` when there is none in view, or another package's
 */
export function approvals(ctx: Context): Approvals {
  const service = ctx.get('approval') as Partial<Approvals> | undefined;
  if (typeof service?.pending === 'function' && typeof service.answer === 'function') return service as Approvals;
  throw new SluiceError('SERVICE_MISSING', 'approval: no service of @sluice/approval is in view here; mount its plugin first');
}
