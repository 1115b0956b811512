import { definePlugin, type Context, type Plugin } from '@sluice/core-tools';
import { aGate, aTool } from '@sluice/testing';
import { describe, expect, it } from 'vitest';
import { toolCallTimeoutPolicy } from '../src/index.ts';
import { aSlowTool, call, code, pass, setup, text } from './support.ts';

/** Runs the rest again after a timeout, up to so many attempts, with a pause between them. */
function retry(attempts: number, pauseMs = 0): Plugin {
  return definePlugin({
    name: 'retry',
    apply(ctx) {
      ctx.on('tools/execute', async (_exec, next) => {
        let result = await next();
        for (let i = 1; i < attempts && code(result) === 'TOOL_TIMEOUT'; i += 1) {
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
          result = await next();
        }
        return result;
      });
    },
  });
}

/** A tool that is told to stop twice and quick the third time. */
function slowTwice(ctx: Context): { starts: number[] } {
  const starts: number[] = [];
  const began = performance.now();
  ctx.tools.register(
    aTool({
      name: 'slow',
      timeoutMs: 50,
      execute: (_args, { signal }) => {
        starts.push(performance.now() - began);
        if (starts.length > 2) return 'done';
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => { reject(signal.reason as Error); });
        });
      },
    }),
  );
  return { starts };
}

describe('next to a retry wrapper', () => {
  it('mounted after it, it gives every attempt its own deadline [T2]', async () => {
    await using bed = setup();
    const { ctx, policy } = bed;
    await policy.dispose();
    ctx.plugin(retry(3, 200));
    ctx.plugin(toolCallTimeoutPolicy);
    const { starts } = slowTwice(ctx);
    const result = call(ctx);
    await pass(500);
    expect(await result).toMatchObject({ isError: false, value: 'done' });
    expect(starts).toEqual([0, 250, 500]);
  });

  it('mounted before it, it bounds all attempts and the pauses between them [T2]', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.plugin(retry(3, 200));
    ctx.tools.register(
      aTool({
        name: 'slow',
        timeoutMs: 300,
        execute: async () => {
          await new Promise((resolve) => setTimeout(resolve, 40));
          throw new Error('again');
        },
      }),
    );
    ctx.on('tools/execute', async (_exec, next) => {
      const result = await next();
      // Makes the retry wrapper go on.
      return result.isError ? { ...result, error: { ...result.error, info: { ...result.error.info, code: 'TOOL_TIMEOUT' } } } : result;
    });
    const result = call(ctx);
    await pass(600);
    expect(await result).toMatchObject({ error: { message: 'tool call timed out after 300ms', info: { limitMs: 300, started: true } } });
  });

  it('mounted on both sides, it bounds each attempt and all of them', async () => {
    await using bed = setup({ perTool: { slow: 120 } });
    const { ctx } = bed;
    ctx.plugin(retry(10));
    ctx.plugin(toolCallTimeoutPolicy);
    let runs = 0;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, listens: true, onStart: () => { runs += 1; } }));
    const result = call(ctx);
    await pass(120);
    expect(text(await result)).toContain('120ms');
    expect(runs).toBe(3);
  });

  it('that goes on while a body was left behind gets no second body', async () => {
    await using bed = setup();
    const { ctx, policy } = bed;
    await policy.dispose();
    ctx.plugin(retry(3));
    ctx.plugin(toolCallTimeoutPolicy, { onIgnored: 'settle', graceMs: 10 });
    const gate = aGate();
    let runs = 0;
    ctx.tools.register(
      aTool({
        name: 'slow',
        timeoutMs: 50,
        execute: () => {
          runs += 1;
          return gate.opened;
        },
      }),
    );
    const result = call(ctx);
    await pass(70);
    expect(await result).toMatchObject({ stillRunning: true, error: { info: { code: 'TOOL_TIMEOUT' } } });
    expect(runs).toBe(1);
    gate.open();
    await pass(0);
  });
});

describe('next to another deadline', () => {
  it('of the same kind, outside and shorter: the failure is the outer one’s', async () => {
    await using bed = setup({ perTool: { slow: 30 } });
    const { ctx } = bed;
    ctx.plugin(toolCallTimeoutPolicy, { perTool: { slow: 80 } });
    ctx.tools.register(aSlowTool({ listens: true }));
    const result = call(ctx);
    await pass(30);
    expect(text(await result)).toContain('30ms');
  });

  it('of the same kind, inside and shorter: the failure is the inner one’s', async () => {
    await using bed = setup({ perTool: { slow: 80 } });
    const { ctx } = bed;
    ctx.plugin(toolCallTimeoutPolicy, { perTool: { slow: 30 } });
    ctx.tools.register(aSlowTool({ listens: true }));
    const result = call(ctx);
    await pass(30);
    expect(text(await result)).toContain('30ms');
  });

  it('of the same kind, outside and shorter, while the body listens to neither: the failure is the outer one’s', async () => {
    await using bed = setup({ perTool: { slow: 30 } });
    const { ctx } = bed;
    ctx.plugin(toolCallTimeoutPolicy, { perTool: { slow: 50 } });
    ctx.tools.register(aSlowTool({ takesMs: 80 }));
    const result = call(ctx);
    await pass(80);
    expect(text(await result)).toContain('30ms');
  });

  it.each([[true, 20], [false, 80]])('of another plugin, outside and first: not reported as ours (body listens: %s) [U6]', async (listens, endsAtMs) => {
    await using bed = setup();
    const { ctx, policy } = bed;
    await policy.dispose();
    ctx.on('tools/execute', (_exec, next) => {
      const controller = new AbortController();
      setTimeout(() => { controller.abort(new Error('theirs')); }, 20);
      return next({ signal: controller.signal });
    });
    ctx.plugin(toolCallTimeoutPolicy);
    ctx.tools.register(aSlowTool({ timeoutMs: 50, takesMs: 80, listens }));
    const result = call(ctx);
    await pass(endsAtMs);
    expect(code(await result)).toBe('ABORTED');
  });

  it('inside: the body hears whichever comes first, with its reason [U3]', async () => {
    await using bed = setup();
    const { ctx } = bed;
    const theirs = new Error('theirs');
    ctx.on('tools/execute', (_exec, next) => {
      const controller = new AbortController();
      setTimeout(() => { controller.abort(theirs); }, 70);
      return next({ signal: controller.signal });
    });
    let reason: unknown;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, listens: true, onStart: ({ signal }) => { signal.addEventListener('abort', () => { reason = signal.reason; }); } }));
    const result = call(ctx);
    await pass(70);
    expect(code(await result)).toBe('TOOL_TIMEOUT');
    expect(reason).toMatchObject({ code: 'TOOL_TIMEOUT' });
  });

  it('around: a nested call that stops for its caller’s deadline is aborted, not timed out', async () => {
    await using bed = setup();
    const { ctx } = bed;
    const nested: string[] = [];
    ctx.tools.register(
      aTool({
        name: 'outer',
        timeoutMs: 30,
        async execute(_args, exec) {
          nested.push(code(await exec.execute({ name: 'slow' })));
          return null;
        },
      }),
    );
    ctx.tools.register(aSlowTool({ timeoutMs: 50, takesMs: 80 }));
    const result = call(ctx, 'outer');
    await pass(80);
    expect(code(await result)).toBe('TOOL_TIMEOUT');
    expect(nested).toEqual(['ABORTED']);
  });
});

describe('next to a wrapper further in', () => {
  it('that throws, its failure is that plugin’s, in time or not', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.plugin({
      name: 'faulty',
      apply(own) {
        own.on('tools/execute', async () => {
          await new Promise((resolve) => setTimeout(resolve, 60));
          throw new Error('a fault');
        });
      },
    });
    ctx.tools.register(aSlowTool({ name: 'in_time', timeoutMs: 100 }));
    ctx.tools.register(aSlowTool({ name: 'too_late', timeoutMs: 50 }));
    for (const name of ['in_time', 'too_late']) {
      const result = call(ctx, name);
      await pass(60);
      expect(await result).toMatchObject({ error: { info: { code: 'PIPELINE_FAILED', listener: 'faulty' } } });
    }
  });

  it('that takes all the time, nothing ran, and the model hears so', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.on('tools/execute', async (_exec, next) => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return next();
    });
    let runs = 0;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, onStart: () => { runs += 1; } }));
    const result = call(ctx);
    await pass(60);
    expect(await result).toMatchObject({ error: { info: { code: 'TOOL_TIMEOUT', started: false } } });
    expect(text(await result)).toContain('nothing ran');
    expect(runs).toBe(0);
  });

  it('that answers by itself, in time, is left alone', async () => {
    await using bed = setup();
    const { ctx } = bed;
    ctx.on('tools/execute', ({ callId, name }) => ({ isError: false, callId, name, value: 'from a cache', content: [] }));
    ctx.tools.register(aSlowTool({ timeoutMs: 50 }));
    expect(await call(ctx)).toMatchObject({ isError: false, value: 'from a cache' });
  });
});
