import { definePlugin, type Context, type ScopeRef } from '@sluice/core-context';
import type { Engine } from './call.ts';
import { Presentations, sdkTools } from './code-mode/presentation.ts';
import { runCodeTool } from './code-mode/run-code.ts';
import { LiveCalls } from './live-calls.ts';
import { LockTable } from './locks.ts';
import { runCall } from './pipeline.ts';
import { Registry } from './registry/registry.ts';
import { toolsFor } from './runtime.ts';
import { DEFAULT_MAX_PARALLEL, runBatch } from './scheduler.ts';
import type { PresentationMode } from './types.ts';

export interface ToolsConfig {
  /** How tools reach a model, unless its scope says otherwise with `presentAs`. Default `native`: each tool under its own name. */
  readonly mode: PresentationMode;
  /** Calls of one program whose bodies may overlap. Default 10. */
  readonly maxParallelSubCalls: number;
  /** Calls that one program may make. Default 10,000. */
  readonly maxSubCalls: number;
  /** Characters of a full description of all tools for programs; above it, names and summaries are shown. Default 40,000. */
  readonly sdkBudgetChars: number;
  /** Bounds of one snapshot of arguments or a value: container depth (default 512) and JSON nodes (default 1,000,000). */
  readonly limits: { readonly maxDepth: number; readonly maxNodes: number };
}

const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    mode: { enum: ['native', 'code', 'both'], default: 'native' },
    maxParallelSubCalls: { type: 'integer', minimum: 1, default: DEFAULT_MAX_PARALLEL },
    maxSubCalls: { type: 'integer', minimum: 1, default: 10_000 },
    sdkBudgetChars: { type: 'integer', minimum: 0, default: 40_000 },
    limits: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        maxDepth: { type: 'integer', minimum: 1, maximum: 10_000, default: 512 },
        maxNodes: { type: 'integer', minimum: 1, default: 1_000_000 },
      },
    },
  },
} as const;

interface Kept {
  readonly registry: Registry;
  readonly locks: LockTable;
  readonly live: LiveCalls;
}

/**
 * What others registered and what running bodies hold, by the scope that the plugin is mounted in. It outlives an instance:
 * a changed config must not cost an application its tools, and much less its guards, which nobody restarts.
 */
const kept = new WeakMap<ScopeRef, Kept>();

function keptIn(scope: ScopeRef): Kept {
  let state = kept.get(scope);
  if (state === undefined) {
    state = { registry: new Registry(), locks: new LockTable(), live: new LiveCalls() };
    kept.set(scope, state);
  }
  return state;
}

/** Provides `ctx.tools`. Limits are those of this instance; registry and locks stay with the scope when it is updated. */
export const tools = definePlugin<ToolsConfig>({
  name: 'core-tools',
  config,
  apply(ctx, { limits, mode, maxParallelSubCalls, maxSubCalls, sdkBudgetChars }) {
    // Random, so that ids of a resumed session and of a second instance do not meet.
    const prefix = `call-${Math.random().toString(36).slice(2, 10)}-`;
    let minted = 0;
    const { registry, locks, live } = keptIn(ctx.scopeRef);
    const engine: Engine = {
      registry,
      locks,
      limits,
      live,
      run: runCall,
      runAll: runBatch,
      mintId() {
        minted += 1;
        return prefix + minted.toString(36);
      },
    };
    const presentations = new Presentations(registry, sdkBudgetChars);
    const transport = runCodeTool({ maxParallelSubCalls, maxSubCalls }, ({ ctx: caller }) => ({
      tools: sdkTools(registry, caller.scopeRef),
      renderer: presentations.renderer(caller),
    }));
    // Over an update the calls go on under the next instance; nobody waits for them.
    ctx.effect(() => () => (registry.isOpen ? undefined : live.drained(ctx.logger)), 'live calls');
    ctx.contribute({ label: 'registry', attach: () => registry.open(mode, transport), detach: () => registry.close() });
    ctx.provide('tools', { bind: (caller: Context) => toolsFor(engine, presentations, caller) });
  },
});
