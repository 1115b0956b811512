import { definePlugin, type Context } from '@sluice/core-context';
import type { Engine } from './call.ts';
import { LockTable } from './locks.ts';
import { runCall } from './pipeline.ts';
import { Registry } from './registry/registry.ts';
import { toolsFor } from './runtime.ts';
import { runBatch } from './scheduler.ts';

export interface ToolsConfig {
  /** How tools reach a model. Only `native` for now: each tool under its own name. */
  readonly mode: 'native';
  /** Bounds of one snapshot of arguments or a value: container depth (default 512) and JSON nodes (default 1,000,000). */
  readonly limits: { readonly maxDepth: number; readonly maxNodes: number };
}

const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    mode: { enum: ['native'], default: 'native' },
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

/** Provides `ctx.tools`. Registry, locks and limits live and die with this instance. */
export const tools = definePlugin<ToolsConfig>({
  name: 'core-tools',
  config,
  apply(ctx, { limits }) {
    // Random, so that ids of a resumed session and of a second instance do not meet.
    const prefix = `call-${Math.random().toString(36).slice(2, 10)}-`;
    let minted = 0;
    const engine: Engine = {
      registry: new Registry(),
      locks: new LockTable(),
      limits,
      run: runCall,
      runAll: runBatch,
      mintId() {
        minted += 1;
        return prefix + minted.toString(36);
      },
    };
    ctx.provide('tools', { bind: (caller: Context) => toolsFor(engine, caller) });
  },
});
