import { definePlugin } from '@sluice/core-tools';
import { Attempts } from './attempts.ts';
import { budgetOf, type BudgetConfig } from './budget.ts';
import { underDeadline, type Budget } from './under-deadline.ts';

export { ToolTimeoutError } from './tool-timeout-error.ts';

export interface ToolCallTimeoutPolicyConfig extends BudgetConfig {
  /** Milliseconds per attempt by tool name or glob (`*`). Exact names win over globs, longer globs over shorter. */
  readonly perTool?: Readonly<Record<string, number>>;
  /** Milliseconds per attempt for tools that declare none. Default: no deadline. */
  readonly defaultMs?: number;
  /** Milliseconds. Caps every deadline, and is one for tools that have none. */
  readonly maxMs?: number;
  /** Milliseconds, 0 or more, between the deadline and giving up on a body that ignores its signal (`settle` only). Default 1,000. */
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
    // Names that no tool can have would be limits that nobody notices are missing.
    perTool: { type: 'object', propertyNames: { pattern: '^[A-Za-z0-9_*-]+$' }, additionalProperties: ms },
    defaultMs: ms,
    maxMs: ms,
    graceMs: { type: 'number', minimum: 0, default: 1_000 },
    onIgnored: { enum: ['wait', 'settle'], default: 'wait' },
    idle: { type: 'object', additionalProperties: false, required: ['hardMaxMs'], properties: { hardMaxMs: ms } },
  },
} as const;

/**
 * Enforces deadlines around the body, one per attempt: mount it before a retry wrapper to bound all attempts together, after
 * it to bound each. Time that a person takes to answer a question does not count.
 */
export const toolCallTimeoutPolicy = definePlugin<ToolCallTimeoutPolicyConfig>({
  name: 'tool-call-timeout-policy',
  config,
  apply(ctx, { graceMs, onIgnored, idle, ...budgets }) {
    const budgetFor = budgetOf(budgets);
    const attempts = new Attempts();

    ctx.on('tools/hold', ({ callId, held }) => {
      attempts.hold(callId, held);
    });
    if (idle !== undefined) {
      ctx.on('tools/progress', (exec) => {
        attempts.progress(exec);
      });
    }
    ctx.on('tools/execute', (exec, next) => {
      const budgetMs = budgetFor(exec.name, exec.tool?.timeoutMs);
      if (budgetMs === undefined) return next();
      const limits: Budget[] = [{ ms: budgetMs, restarts: idle !== undefined }];
      if (idle !== undefined) limits.push({ ms: idle.hardMaxMs, restarts: false });
      return underDeadline(exec, next, limits, attempts, onIgnored === 'settle' ? graceMs : undefined);
    });
    // Attempts in flight outlive their plugin, whose listeners are gone at once.
    ctx.signal.addEventListener('abort', () => { attempts.deafen(); }, { once: true });
  },
});
export default toolCallTimeoutPolicy;
