import type { ApprovalOutcome, ApprovalRequest } from '@sluice/core-tools';

/**
 * An answerer for whoever answers through `approval.answer()`, such as a web page or a chat bot: it keeps the question open
 * and lets the answer come from there. `ctx.on('approval/request', answeredElsewhere)`.
 */
export function answeredElsewhere({ signal }: Pick<ApprovalRequest, 'signal'>): Promise<ApprovalOutcome> {
  return new Promise((resolve) => {
    const end = (): void => resolve({ kind: 'cancelled' });
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
