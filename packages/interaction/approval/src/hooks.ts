import type { Notification, Waterfall } from '@sluice/core-context';
import type { ApprovalOutcome, ApprovalRequest } from '@sluice/core-tools';

declare module '@sluice/core-context' {
  interface Hooks {
    /**
     * Answerers, outermost first: answer an outcome to claim the question, or leave it to those further in with `next()`.
     * Each is asked one question at a time. `request.signal` aborts as soon as the question is decided, by whomever.
     * Contract: a throw or nonsense counts as `unavailable`; `next()` never rejects.
     */
    'approval/request': Waterfall<[request: ApprovalRequest], ApprovalOutcome>;
    /** A question came up. Exactly once per question, also for those that nobody is asked. */
    'approval/asked': Notification<[request: ApprovalRequest]>;
    /** It is decided. Exactly once per question, after `approval/asked` and before the call goes on. */
    'approval/decided': Notification<[request: ApprovalRequest, outcome: ApprovalOutcome]>;
  }
}
