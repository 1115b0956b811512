import { definePlugin, type ToolExecution, type ToolExecutionResult, type ToolFailure } from '@sluice/core-tools';
import { ExponentialBackoff } from 'cockatiel';
import { Eligibility, type EligibilityConfig } from './eligibility.ts';
import { pause } from './pause.ts';

export interface ToolRetryPolicyConfig extends EligibilityConfig {
  /** Attempts in all, the first included. Default 3. */
  readonly maxAttempts: number;
  /** Milliseconds before the second attempt, about; it grows from there, with jitter. Default 250. */
  readonly initialDelayMs: number;
  /** No pause is longer; milliseconds. Default 10,000. */
  readonly maxDelayMs: number;
  /** Names or patterns of tools that may be repeated, besides those whose annotations say so. Default: none. */
  readonly tools: readonly string[];
  /** Default: what Node's sockets and name resolution fail with when the network is to blame. */
  readonly codes: readonly string[];
}

/** Source: Node.js documentation, common system errors; undici, errors. */
const NETWORK_CODES = [
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
] as const;

const strings = { type: 'array', items: { type: 'string', minLength: 1 } } as const;
const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    maxAttempts: { type: 'integer', minimum: 1, maximum: 100, default: 3 },
    initialDelayMs: { type: 'number', minimum: 0, maximum: 2_147_483_647, default: 250 },
    maxDelayMs: { type: 'number', minimum: 0, maximum: 2_147_483_647, default: 10_000 },
    tools: { ...strings, default: [] },
    codes: { ...strings, default: [...NETWORK_CODES] },
  },
} as const;

/**
 * Runs a body again when its failure may pass and repeating it does no harm. Everything mounted after it, a deadline for
 * example, applies to each attempt; everything before it to all of them together.
 */
export const toolRetryPolicy = definePlugin<ToolRetryPolicyConfig>({
  name: 'tool-retry-policy',
  inject: ['tools'],
  config,
  apply(ctx, { maxAttempts, initialDelayMs, maxDelayMs, ...eligible }) {
    const eligibility = new Eligibility(eligible);
    const backoff = new ExponentialBackoff({ initialDelay: initialDelayMs, maxDelay: maxDelayMs });

    ctx.on('tools/execute', (exec, next) => (maxAttempts > 1 && eligibility.mayRepeat(exec) ? attempts(exec, next) : next()));

    async function attempts(exec: ToolExecution, next: () => Promise<ToolExecutionResult>): Promise<ToolExecutionResult> {
      let result = await next();
      let delay = backoff.next();
      for (let attempt = 1; ; attempt += 1, delay = delay.next(undefined)) {
        if (!result.isError) return result;
        const goesOn = attempt < maxAttempts && eligibility.isWorthwhile(exec, result);
        if (goesOn) tell(exec, attempt, delay.duration, result);
        // The pause ends early when the call is aborted, by its caller or by a deadline around this plugin.
        if (!goesOn || !(await pause(delay.duration, exec.signal))) return attempt === 1 ? result : counted(result, attempt);
        result = await next();
      }
    }

    function tell(exec: ToolExecution, attempt: number, delayMs: number, { error }: ToolFailure): void {
      const message = `attempt ${attempt} of ${maxAttempts} failed (${error.info.code}); the next in ${Math.round(delayMs)} ms`;
      ctx.emit('tools/progress', exec, Object.freeze({ message, completed: attempt, total: maxAttempts }));
    }
  },
});
export default toolRetryPolicy;

function counted(failure: ToolFailure, attempts: number): ToolFailure {
  return { ...failure, error: { ...failure.error, info: { ...failure.error.info, attempts } } };
}
