import { definePlugin, type Context } from '@sluice/core-tools';
import type { Notification } from '@sluice/core-context';
import type { AccountKey, Ledger } from './ledger.ts';
import { rulesOf, type RulesConfig } from './rules.ts';
import { handOver, takeOver } from './succession.ts';
import { NAME } from './words.ts';

export type { Limit, RulesConfig } from './rules.ts';

export interface ToolCallLimitsConfig extends RulesConfig {
  /**
   * Whose calls are counted together: those of one `scope` (default), so that every agent has budgets of its own, or all that
   * are made under the context of the `mount`, so that an agent does not get more by starting others.
   */
  readonly per: 'scope' | 'mount';
}

const count = { type: 'integer', minimum: 0 } as const;
const limits = {
  type: 'object',
  // Names that no tool can have would be limits that nobody notices are missing.
  propertyNames: { pattern: '^[A-Za-z0-9_*-]+$' },
  additionalProperties: {
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    properties: {
      perTurn: count,
      perRun: count,
      perWindow: {
        type: 'object',
        additionalProperties: false,
        required: ['calls', 'ms'],
        properties: { calls: { type: 'integer', minimum: 1 }, ms: { type: 'number', exclusiveMinimum: 0 } },
      },
      maxRunning: { type: 'integer', minimum: 1 },
    },
  },
  default: {},
} as const;
const config = {
  type: 'object',
  additionalProperties: false,
  properties: { perTool: limits, together: limits, per: { enum: ['scope', 'mount'], default: 'scope' } },
} as const;

/** A harness without `agent/pre-step` says what begins in a scope. A new run is also a new turn. */
export interface LimitsReset {
  readonly scopePath: Context['scopePath'];
  readonly begins: 'turn' | 'run';
}

declare module '@sluice/core-context' {
  interface Hooks {
    'tool-call-limits/reset': Notification<[reset: LimitsReset]>;
  }
}

/**
 * Budgets for calls (per turn, per run, per time window) and a bound on how many run at once. Over budget is denied, over the
 * bound waits. Only calls that reach a body count. A gate: while it is mounted and not active, nothing runs in its scope.
 */
export const toolCallLimits = definePlugin<ToolCallLimitsConfig>({
  name: NAME,
  inject: ['tools'],
  gate: true,
  config,
  apply(ctx, { per, ...given }) {
    const rulesFor = rulesOf(given);
    const keyOf: AccountKey = per === 'mount' ? () => ctx.scopePath : (scopePath) => scopePath;
    let ledger!: Ledger;
    // Counts outlive a change of config, or changing it would be a way to a fresh budget.
    ctx.contribute({
      label: 'counts',
      attach() {
        ledger = takeOver(ctx.scopeRef);
        ledger.adopt(rulesFor, keyOf);
      },
      detach() {
        handOver(ctx.scopeRef, ledger);
      },
    });
    ctx.tools.guard((exec) => ledger.denial(exec));
    ctx.on('tools/execute', (exec, next) => ledger.run(exec, next));
    ctx.on('tools/result', (exec, result) => {
      ledger.settle(exec, result);
    });
    ctx.on('tools/late', (late) => {
      ledger.late(late);
    });
    ctx.on('agent/pre-step', ({ scopePath, step, incoming }, next) => {
      // A person who speaks in the middle of a turn begins a new one, as far as budgets are concerned.
      if (step === 1 || incoming.some(({ role, source }) => role === 'user' && source === undefined)) ledger.reset('turn', scopePath);
      return next();
    });
    ctx.on('tool-call-limits/reset', ({ scopePath, begins }) => {
      ledger.reset(begins, scopePath);
    });
  },
});
export default toolCallLimits;
