import { getEventListeners } from 'node:events';
import type { Context, PluginHandle, ToolExecutionResult, ToolRun } from '@sluice/core-tools';
import { aCall, aHost, aTool, type Host } from '@sluice/testing';
import { expect, vi } from 'vitest';
import { toolCallTimeoutPolicy } from '../src/index.ts';

export interface Bed extends Host {
  readonly policy: PluginHandle;
}

/** A context with the policy mounted, under fake time. `await using` ends it; that fails if a timer or anything else is left. */
export function setup(config: object = {}): Bed {
  vi.useFakeTimers();
  const host = aHost();
  const policy = host.ctx.plugin(toolCallTimeoutPolicy, config);
  const dispose = async (): Promise<void> => {
    expect(vi.getTimerCount()).toBe(0);
    await host.dispose();
    vi.useRealTimers();
  };
  return { ...host, policy, dispose, [Symbol.asyncDispose]: dispose };
}

/** What a body does, and how it takes being told to stop. */
export interface BodyOptions {
  readonly name?: string;
  readonly timeoutMs?: number;
  readonly takesMs?: number;
  /** Rejects with the reason when its signal aborts. Default false: it does not listen. */
  readonly listens?: boolean;
  readonly onStart?: (exec: ToolRun) => void;
}

/** A tool whose body takes some (fake) time and then gives `done`. */
export function aSlowTool({ name = 'slow', timeoutMs, takesMs = Infinity, listens = false, onStart }: BodyOptions = {}): ReturnType<typeof aTool> {
  return aTool({
    name,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    execute: (_args, exec) => {
      onStart?.(exec);
      return new Promise((resolve, reject) => {
        const timer = takesMs === Infinity ? undefined : setTimeout(() => { resolve('done'); }, takesMs);
        if (!listens) return;
        exec.signal.addEventListener('abort', () => {
          clearTimeout(timer);
          reject(exec.signal.reason as Error);
        });
      });
    },
  });
}

export function call(ctx: Context, name = 'slow', options: { signal?: AbortSignal; callId?: string } = {}): Promise<ToolExecutionResult> {
  return ctx.tools.execute(aCall({ name, callId: name, ...options }));
}

/** Lets `ms` of fake time pass, with everything that is due in it. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

/** The result if there is one by now. */
export async function peek<T>(work: Promise<T>): Promise<T | 'pending'> {
  await vi.advanceTimersByTimeAsync(0);
  return Promise.race([work, Promise.resolve('pending' as const)]);
}

export function code(result: ToolExecutionResult | 'pending'): string {
  if (result === 'pending') return result;
  return result.isError ? result.error.info.code : 'ok';
}

export function text(result: ToolExecutionResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');
}

export function listenersOn(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length;
}
