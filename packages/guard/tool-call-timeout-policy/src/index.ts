import { definePlugin } from '@sluice/core-tools';
import { budgetOf, type BudgetConfig } from './budget.ts';
import { DeadlinesByCall } from './deadlines-by-call.ts';
import { underDeadline } from './under-deadline.ts';

export { ToolTimeoutError } from './tool-timeout-error.ts';

export interface ToolCallTimeoutPolicyConfig extends BudgetConfig {
  /** Milliseconds per attempt by tool name or glob (`*`). Exact names win over globs, longer globs over shorter. */
  readonly perTool?: Readonly<Record<string, number>>;
  /** Milliseconds per attempt for tools that declare none. Default: no deadline. */
  readonly defaultMs?: number;
  /** Caps every deadline, and is one for tools that have none. */
  readonly maxMs?: number;
  /** Milliseconds between the deadline and giving up on a body that ignores its signal (`settle` only). Default 1,000. */
  readonly graceMs: number;
  /** A body that ignores its signal: `wait` for it (default), or `settle` the call with `stillRunning`. */
  readonly onIgnored: 'wait' | 'settle';
  /** Deadlines count idle time: progress starts them over, but an attempt never lasts longer than `hardMaxMs`. */
  readonly idle?: { readonly hardMaxMs: number };
}

const ms = { type: 'number', exclusiveMinimum: 0 } as const;
const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    perTool: { type: 'object', additionalProperties: ms },
    defaultMs: ms,
    maxMs: ms,
    graceMs: { type: 'number', minimum: 0, default: 1_000 },
    onIgnored: { enum: ['wait', 'settle'], default: 'wait' },
    idle: { type: 'object', additionalProperties: false, required: ['hardMaxMs'], properties: { hardMaxMs: ms } },
  },
} as const;

/**
 * Enforces deadlines around the body, one per attempt: register it before a retry wrapper to bound all attempts together,
 * after it to bound each. Time that a person takes to answer a question does not count.
 */
export const toolCallTimeoutPolicy = definePlugin<ToolCallTimeoutPolicyConfig>({
  name: 'tool-call-timeout-policy',
  config,
  apply(ctx, { graceMs, onIgnored, idle, ...budgets }) {
    const budgetFor = budgetOf(budgets);
    const deadlines = new DeadlinesByCall();

    ctx.on('tools/hold', ({ callId, held }) => {
      deadlines.hold(callId, held);
    });
    if (idle !== undefined) {
      ctx.on('tools/progress', (exec) => {
        deadlines.restart(exec);
      });
    }
    ctx.on('tools/execute', (exec, next) => {
      const budgetMs = budgetFor(exec.name, exec.tool?.timeoutMs);
      if (budgetMs === undefined) return next();
      const limits = idle === undefined ? [{ ms: budgetMs }] : [{ ms: budgetMs, restarts: true }, { ms: idle.hardMaxMs }];
      return underDeadline(exec, next, limits, deadlines, onIgnored === 'settle' ? graceMs : undefined);
    });
  },
});
export default toolCallTimeoutPolicy;
