import { deepStrictEqual } from 'node:assert/strict';
import { createContext, tools, type Context } from '@sluice/core-tools';
import { aLogger, type RecordingLogger } from './logger.ts';

export interface Host extends AsyncDisposable {
  readonly ctx: Context;
  readonly log: RecordingLogger;
  /** Ends the context. Rejects when anything is left in it. Twice is harmless. */
  readonly dispose: () => Promise<void>;
}

/** A context with `tools` mounted and a silent logger. Put `dispose` into an `afterEach`, or write `await using host = aHost()`. */
export function aHost(): Host {
  const log = aLogger();
  const ctx = createContext({ logger: log });
  ctx.plugin(tools);
  const dispose = async (): Promise<void> => {
    await ctx.dispose();
    const { counts } = ctx.inspect();
    const left = Object.entries(counts).filter(([, count]) => count !== 0);
    deepStrictEqual(left, [], 'the context still holds something after its disposal');
  };
  return { ctx, log, dispose, [Symbol.asyncDispose]: dispose };
}
