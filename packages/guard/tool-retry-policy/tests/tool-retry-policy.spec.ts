import { getEventListeners } from 'node:events';
import { createContext, ToolError, tools, type Context, type ToolDefinition, type ToolExecutionResult } from '@sluice/core-tools';
import { toolCallTimeoutPolicy } from '@sluice/tool-call-timeout-policy';
import { aCall, aTool, recordHooks } from '@sluice/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toolRetryPolicy, type ToolRetryPolicyConfig } from '../src/index.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const opened: Context[] = [];
let bodies = 0;

beforeEach(() => {
  bodies = 0;
  vi.useFakeTimers();
});
afterEach(async () => {
  for (const ctx of opened.splice(0)) {
    await ctx.dispose();
    expect(ctx.inspect().counts).toMatchObject({ plugins: 0, listeners: 0, contributions: 0 });
  }
  expect(vi.getTimerCount()).toBe(0);
});

function mounted(config?: Partial<ToolRetryPolicyConfig>): Context {
  const ctx = createContext({ logger: silent });
  opened.push(ctx);
  ctx.plugin(tools);
  ctx.plugin(toolRetryPolicy, config);
  return ctx;
}

/** Fails as told, then succeeds. */
function flaky(failures: number, thrown: () => unknown, more: Partial<ToolDefinition> = {}): ToolDefinition {
  return aTool({
    name: 'flaky',
    annotations: { idempotentHint: true },
    ...more,
    execute() {
      bodies += 1;
      if (bodies <= failures) throw thrown();
      return 'done';
    },
  });
}

const lost = (): ToolError => new ToolError('connection lost', { retryable: true });

async function outcome(call: Promise<ToolExecutionResult>): Promise<ToolExecutionResult> {
  await vi.runAllTimersAsync();
  return call;
}

describe('behaviour', () => {
  it('tries again until the body succeeds', async () => {
    const ctx = mounted();
    ctx.tools.register(flaky(2, lost));
    expect(await outcome(ctx.tools.execute(aCall({ name: 'flaky' })))).toMatchObject({ isError: false, value: 'done' });
    expect(bodies).toBe(3);
  });

  it('keeps one listener on a signal that many calls pause under, and none when they are over', async () => {
    const ctx = mounted();
    ctx.tools.register(flaky(20, lost));
    const controller = new AbortController();
    const listening = (): number => getEventListeners(controller.signal, 'abort').length;
    const calls = Array.from({ length: 20 }, () => ctx.tools.execute(aCall({ name: 'flaky', signal: controller.signal })));
    await vi.advanceTimersByTimeAsync(1);
    expect(bodies).toBe(20);
    // One of the pipeline's, one of the pauses'.
    expect(listening()).toBeLessThanOrEqual(2);
    expect((await outcome(Promise.all(calls).then((all) => all[0]!))).isError).toBe(false);
    expect(listening()).toBe(0);
    bodies = 0;
    const given = Array.from({ length: 20 }, () => ctx.tools.execute(aCall({ name: 'flaky', signal: controller.signal })));
    await vi.advanceTimersByTimeAsync(1);
    controller.abort();
    expect((await Promise.all(given)).every(({ isError }) => isError)).toBe(true);
    expect(bodies).toBe(20);
  });

  it('gives the last failure with the number of attempts when none succeeds', async () => {
    const ctx = mounted({ maxAttempts: 4 });
    ctx.tools.register(flaky(9, lost));
    const result = await outcome(ctx.tools.execute(aCall({ name: 'flaky' })));
    expect(result).toMatchObject({ isError: true, error: { message: 'connection lost', info: { attempts: 4, started: true } } });
    expect(bodies).toBe(4);
  });

  it('waits longer each time, never longer than told', async () => {
    const ctx = mounted({ maxAttempts: 6, initialDelayMs: 100, maxDelayMs: 400 });
    ctx.tools.register(flaky(9, lost));
    const began = performance.now();
    await outcome(ctx.tools.execute(aCall({ name: 'flaky' })));
    const waited = performance.now() - began;
    expect(waited).toBeGreaterThan(0);
    expect(waited).toBeLessThanOrEqual(5 * 400);
  });

  it('tells of each failed attempt through tools/progress', async () => {
    const ctx = mounted();
    const recorder = recordHooks(ctx);
    ctx.tools.register(flaky(2, lost));
    await outcome(ctx.tools.execute(aCall({ name: 'flaky' })));
    const told = recorder.events.filter(({ hook }) => hook === 'tools/progress').map(({ detail }) => detail);
    expect(told).toMatchObject([{ completed: 1, total: 3 }, { completed: 2, total: 3 }]);
    recorder.dispose();
  });

  it('keeps only the accepted attempt\'s contexts', async () => {
    const ctx = mounted();
    ctx.tools.register(
      aTool({
        name: 'flaky',
        annotations: { readOnlyHint: true },
        execute(_args, exec) {
          bodies += 1;
          exec.deferContext({ source: `attempt ${bodies}`, content: [] });
          if (bodies === 1) throw lost();
          return 'done';
        },
      }),
    );
    const result = await outcome(ctx.tools.execute(aCall({ name: 'flaky' })));
    expect(result.additionalContexts?.map(({ source }) => source)).toEqual(['attempt 2']);
  });
});

describe('which calls and which failures', () => {
  it.each<[string, Partial<ToolDefinition>, Partial<ToolRetryPolicyConfig>, number]>([
    ['idempotent', { annotations: { idempotentHint: true } }, {}, 3],
    ['read-only', { annotations: { readOnlyHint: true } }, {}, 3],
    ['named', { annotations: {} }, { tools: ['fla*'] }, 3],
    ['silent about it', { annotations: {} }, {}, 1],
    ['destructive', { annotations: { destructiveHint: true } }, {}, 1],
  ])('a tool that is %s', async (_what, more, config, expected) => {
    const ctx = mounted(config);
    ctx.tools.register(flaky(9, lost, more));
    await outcome(ctx.tools.execute(aCall({ name: 'flaky' })));
    expect(bodies).toBe(expected);
  });

  it.each<[string, () => unknown, Partial<ToolRetryPolicyConfig>, number]>([
    ['marked retryable', lost, {}, 3],
    ['a reset connection', () => Object.assign(new Error('reset'), { code: 'ECONNRESET' }), {}, 3],
    ['a code of the tool\'s own, in config', () => new ToolError('busy', { code: 'QUOTA' }), { codes: ['QUOTA'] }, 3],
    ['a code that is not in config', () => new ToolError('busy', { code: 'QUOTA' }), {}, 1],
    ['a plain error', () => new Error('a bug'), {}, 1],
  ])('a failure that is %s', async (_what, thrown, config, expected) => {
    const ctx = mounted(config);
    ctx.tools.register(flaky(9, thrown));
    await outcome(ctx.tools.execute(aCall({ name: 'flaky' })));
    expect(bodies).toBe(expected);
  });

  it.each(['INVALID_ARGS', 'DENIED', 'ABORTED', 'BLOCKED', 'UNKNOWN_TOOL', 'PIPELINE_FAILED'])(
    'never repeats %s, even when config names it',
    async (code) => {
      const ctx = mounted({ codes: [code] });
      let times = 0;
      ctx.on('tools/execute', (exec) => {
        times += 1;
        return {
          isError: true,
          callId: exec.callId,
          name: exec.name,
          error: { message: 'no', info: { name: 'E', code, started: false } },
          content: [],
        };
      });
      ctx.tools.register(flaky(0, lost));
      await outcome(ctx.tools.execute(aCall({ name: 'flaky' })));
      expect(times).toBe(1);
    },
  );

  it.each<[string, Partial<ToolDefinition>, Partial<ToolRetryPolicyConfig>, number]>([
    ['again when the tool is harmless', { annotations: { idempotentHint: true } }, {}, 3],
    ['not again when it is only named', { annotations: {} }, { tools: ['*'], codes: ['TOOL_TIMEOUT'] }, 1],
  ])('runs a timed-out body %s', async (_what, more, config, expected) => {
    const ctx = mounted(config);
    ctx.plugin(toolCallTimeoutPolicy);
    ctx.tools.register(
      aTool({
        name: 'slow',
        timeoutMs: 50,
        ...more,
        execute: (_args, exec) => {
          bodies += 1;
          return new Promise((_resolve, reject) => {
            exec.signal.addEventListener('abort', () => { reject(exec.signal.reason as Error); });
          });
        },
      }),
    );
    expect(await outcome(ctx.tools.execute(aCall({ name: 'slow' })))).toMatchObject({ error: { info: { code: 'TOOL_TIMEOUT' } } });
    expect(bodies).toBe(expected);
  });
});

describe('cancellation', () => {
  it('stops at once when the caller aborts during a pause, with the last failure', async () => {
    const ctx = mounted({ initialDelayMs: 60_000, maxDelayMs: 60_000 });
    ctx.tools.register(flaky(9, lost));
    const controller = new AbortController();
    const call = ctx.tools.execute(aCall({ name: 'flaky', signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(1);
    controller.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(await call).toMatchObject({ error: { message: 'connection lost' } });
    expect(bodies).toBe(1);
  });

  it('stops at once when a deadline around it passes during a pause', async () => {
    const ctx = createContext({ logger: silent });
    opened.push(ctx);
    ctx.plugin(tools);
    ctx.plugin(toolCallTimeoutPolicy, { defaultMs: 1_000 });
    ctx.plugin(toolRetryPolicy, { initialDelayMs: 3_600_000, maxDelayMs: 3_600_000 });
    ctx.tools.register(flaky(9, lost));
    const call = ctx.tools.execute(aCall({ name: 'flaky' }));
    await vi.advanceTimersByTimeAsync(1_100);
    expect(await call).toMatchObject({ error: { info: { code: 'TOOL_TIMEOUT', started: true } } });
    expect(bodies).toBe(1);
  });

  it('never starts a second body beside one that outlived its deadline', async () => {
    const ctx = mounted();
    ctx.plugin(toolCallTimeoutPolicy, { defaultMs: 10, onIgnored: 'settle', graceMs: 10 });
    let end!: () => void;
    ctx.tools.register(
      aTool({
        name: 'deaf',
        annotations: { idempotentHint: true },
        execute: () => {
          bodies += 1;
          return new Promise<void>((resolve) => { end = resolve; });
        },
      }),
    );
    const result = await outcome(ctx.tools.execute(aCall({ name: 'deaf' })));
    expect(result).toMatchObject({ stillRunning: true, error: { info: { code: 'TOOL_TIMEOUT' } } });
    expect(bodies).toBe(1);
    end();
  });
});

describe('options', () => {
  it.each<[string, object]>([
    ['no attempt', { maxAttempts: 0 }],
    ['half an attempt', { maxAttempts: 1.5 }],
    ['a negative pause', { initialDelayMs: -1 }],
    ['a pause that no timer counts', { maxDelayMs: 2 ** 31 }],
    ['an unknown key', { attempts: 3 }],
  ])('refuses %s at once', (_what, config) => {
    const ctx = createContext({ logger: silent });
    opened.push(ctx);
    expect(() => ctx.plugin(toolRetryPolicy, config)).toThrow(/tool-retry-policy/);
  });

  it('is no retry at all with one attempt', async () => {
    const ctx = mounted({ maxAttempts: 1 });
    ctx.tools.register(flaky(1, lost));
    const result = await outcome(ctx.tools.execute(aCall({ name: 'flaky' })));
    expect(result).toMatchObject({ isError: true });
    expect(result.isError && result.error.info.attempts).toBeUndefined();
  });
});
