import type { Context, ToolExecutionResult } from '@sluice/core-tools';
import { toolCallTimeoutPolicy } from '@sluice/tool-call-timeout-policy';
import { aGate, aHost, aTool, type Gate, type Host } from '@sluice/testing';
import fc from 'fast-check';
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toolCallLimits, type ToolCallLimitsConfig } from '../src/index.ts';

const opened: Host[] = [];
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(async () => {
  for (const host of opened.splice(0)) await host.dispose();
  expect(vi.getTimerCount()).toBe(0);
});

/** A tool whose bodies run until the test lets them go, and that knows how many run. */
class Worker {
  readonly started: string[] = [];
  readonly gates = new Map<string, Gate>();
  running = 0;
  most = 0;

  constructor(ctx: Context, name = 'work') {
    ctx.tools.register(
      aTool({
        name,
        execute: async (_args, { callId, signal }) => {
          this.started.push(callId);
          this.running += 1;
          this.most = Math.max(this.most, this.running);
          const gate = aGate();
          this.gates.set(callId, gate);
          signal.addEventListener('abort', gate.open, { once: true });
          await gate.opened;
          signal.removeEventListener('abort', gate.open);
          this.running -= 1;
          return callId;
        },
      }),
    );
  }

  finish(callId: string): Promise<void> {
    this.gates.get(callId)?.open();
    return turns();
  }
}

async function turns(): Promise<void> {
  for (let i = 0; i < 30; i += 1) await Promise.resolve();
}

function host(config: Partial<ToolCallLimitsConfig>): Host {
  const made = aHost();
  opened.push(made);
  made.ctx.plugin(toolCallLimits, config);
  return made;
}
const start = (ctx: Context, callId: string, more: object = {}): Promise<ToolExecutionResult> =>
  ctx.tools.execute({ name: 'work', callId, ...more });

describe('the running limit', () => {
  it('runs at most so many, and the rest in the order they came, none denied', async () => {
    const { ctx } = host({ perTool: { work: { maxRunning: 2 } } });
    const worker = new Worker(ctx);
    const all = ['a', 'b', 'c', 'd', 'e'].map((id) => start(ctx, id));
    await turns();
    expect(worker.started).toEqual(['a', 'b']);
    await worker.finish('b');
    expect(worker.started).toEqual(['a', 'b', 'c']);
    await worker.finish('a');
    await worker.finish('c');
    expect(worker.started).toEqual(['a', 'b', 'c', 'd', 'e']);
    await worker.finish('d');
    await worker.finish('e');
    expect((await Promise.all(all)).every(({ isError }) => !isError)).toBe(true);
    expect(worker.most).toBe(2);
  });

  it('an abort while it waits leaves at once, runs nothing, costs nothing and lets the next one move up', async () => {
    const { ctx } = host({ perTool: { work: { maxRunning: 1, perRun: 2 } } });
    const worker = new Worker(ctx);
    const abort = new AbortController();
    const first = start(ctx, 'a');
    const second = start(ctx, 'b', { signal: abort.signal });
    await turns();
    abort.abort();
    expect(await second).toMatchObject({ error: { info: { code: 'ABORTED_BEFORE_DISPATCH', started: false } } });
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
    const third = start(ctx, 'c');
    await worker.finish('a');
    await worker.finish('c');
    expect((await first).isError || (await third).isError).toBe(false);
    expect(worker.started).toEqual(['a', 'c']);
  });

  it('counts a call that waits towards the window from when it begins', async () => {
    const { ctx } = host({ perTool: { work: { maxRunning: 1, perWindow: { calls: 2, ms: 1_000 } } } });
    const worker = new Worker(ctx);
    const first = start(ctx, 'a');
    const second = start(ctx, 'b');
    await vi.advanceTimersByTimeAsync(900);
    await worker.finish('a');
    await worker.finish('b');
    await Promise.all([first, second]);
    await vi.advanceTimersByTimeAsync(100);
    const third = start(ctx, 'c');
    await turns();
    expect(await start(ctx, 'd')).toMatchObject({ error: { message: expect.stringContaining('resets in 900 ms') as string } });
    await worker.finish('c');
    await third;
  });

  it('a tool at its limit holds up no other, however many of its calls wait', async () => {
    const { ctx } = host({ perTool: { work: { maxRunning: 1 } }, together: { '*': { maxRunning: 2 } } });
    const worker = new Worker(ctx);
    const other = new Worker(ctx, 'other');
    const all = [start(ctx, 'a'), start(ctx, 'b'), start(ctx, 'c'), ctx.tools.execute({ name: 'other', callId: 'x' })];
    await turns();
    expect([worker.started, other.started]).toEqual([['a'], ['x']]);
    for (const id of ['a', 'b', 'c']) await worker.finish(id);
    await other.finish('x');
    await Promise.all(all);
  });

  it('a call that needs two places gets them in the end, whoever keeps coming for one of them', async () => {
    const { ctx } = host({ together: { '*_x': { maxRunning: 1 }, 'a_*': { maxRunning: 1 } } });
    const both = new Worker(ctx, 'a_x');
    const [left, right] = [new Worker(ctx, 'a_y'), new Worker(ctx, 'b_x')];
    const all = [ctx.tools.execute({ name: 'a_y', callId: 'l0' }), ctx.tools.execute({ name: 'a_x', callId: 'both' })];
    for (let i = 0; i < 6; i += 1) {
      all.push(ctx.tools.execute({ name: 'b_x', callId: `r${i}` }), ctx.tools.execute({ name: 'a_y', callId: `l${i + 1}` }));
      await turns();
      await left.finish(`l${i}`);
      await right.finish(`r${i}`);
    }
    expect([both.started, left.started, right.started]).toEqual([['both'], ['l0'], ['r0']]);
    await both.finish('both');
    for (let i = 0; i <= 6; i += 1) {
      await left.finish(`l${i}`);
      await right.finish(`r${i}`);
    }
    await Promise.all(all);
  });

  it('limits each scope for itself', async () => {
    const { ctx } = host({ perTool: { work: { maxRunning: 1 } } });
    const worker = new Worker(ctx);
    const all = [start(ctx.scope('one'), 'a'), start(ctx.scope('two'), 'b')];
    await turns();
    expect(worker.started).toEqual(['a', 'b']);
    await worker.finish('a');
    await worker.finish('b');
    await Promise.all(all);
  });

  it('keeps the place of a body that a deadline left behind, until the body ends', async () => {
    const { ctx } = host({ perTool: { deaf: { maxRunning: 1 } } });
    ctx.plugin(toolCallTimeoutPolicy, { defaultMs: 100, graceMs: 0, onIgnored: 'settle' });
    const gate = aGate();
    const started: string[] = [];
    ctx.tools.register(aTool({ name: 'deaf', execute: async (_args, { callId }) => { started.push(callId); await gate.opened; return 1; } }));
    const first = ctx.tools.execute({ name: 'deaf', callId: 'a' });
    await vi.advanceTimersByTimeAsync(200);
    expect(await first).toMatchObject({ stillRunning: true, error: { info: { code: 'TOOL_TIMEOUT' } } });
    const second = ctx.tools.execute({ name: 'deaf', callId: 'b' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(started).toEqual(['a']);
    gate.open();
    await vi.advanceTimersByTimeAsync(0);
    expect(started).toEqual(['a', 'b']);
    expect(await second).toMatchObject({ isError: false });
  });

  it('frees the place of a body that stopped when its deadline told it to', async () => {
    const { ctx } = host({ perTool: { work: { maxRunning: 1 } } });
    ctx.plugin(toolCallTimeoutPolicy, { defaultMs: 100 });
    const worker = new Worker(ctx);
    const all = [start(ctx, 'a'), start(ctx, 'b')];
    await vi.advanceTimersByTimeAsync(500);
    expect((await Promise.all(all)).map((result) => result.isError && result.error.info.code)).toEqual(['TOOL_TIMEOUT', 'TOOL_TIMEOUT']);
    expect(worker.started).toEqual(['a', 'b']);
  });

  it('a deadline outside of it also ends the waiting', async () => {
    const made = aHost();
    opened.push(made);
    made.ctx.plugin(toolCallTimeoutPolicy, { defaultMs: 100 });
    made.ctx.plugin(toolCallLimits, { perTool: { work: { maxRunning: 1 } } });
    const gate = aGate();
    made.ctx.tools.register(aTool({ name: 'work', timeoutMs: 10_000, execute: async () => { await gate.opened; return 1; } }));
    made.ctx.tools.register(aTool({ name: 'other' }));
    const first = start(made.ctx, 'a');
    const controller = new AbortController();
    const second = start(made.ctx, 'b', { signal: controller.signal });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await second).toMatchObject({ error: { info: { code: 'TOOL_TIMEOUT', started: false } } });
    gate.open();
    await first;
  });

  it('survives the end of a scope whose calls wait', async () => {
    const { ctx } = host({ per: 'mount', perTool: { work: { maxRunning: 1 } } });
    const worker = new Worker(ctx);
    const scope = ctx.scope('agent');
    const first = start(ctx, 'a');
    const second = start(scope, 'b');
    await turns();
    const gone = scope.dispose();
    await vi.advanceTimersByTimeAsync(10_000);
    await gone;
    expect(await second).toMatchObject({ isError: true });
    await worker.finish('a');
    const third = start(ctx, 'c');
    await turns();
    expect(worker.started).toEqual(['a', 'c']);
    await worker.finish('c');
    await Promise.all([first, third]);
  });
});

describe('unmounting and updating', () => {
  it('lets everybody who waits go on when it is unmounted', async () => {
    const made = aHost();
    opened.push(made);
    const handle = made.ctx.plugin(toolCallLimits, { perTool: { work: { maxRunning: 1 } } });
    const worker = new Worker(made.ctx);
    const all = ['a', 'b', 'c'].map((id) => start(made.ctx, id));
    await turns();
    const gone = handle.dispose();
    await turns();
    expect(worker.started).toEqual(['a', 'b', 'c']);
    for (const id of ['a', 'b', 'c']) await worker.finish(id);
    await Promise.all(all);
    await gone;
  });

  it('applies a changed limit to those that wait and counts those that run', async () => {
    const made = aHost();
    opened.push(made);
    const handle = made.ctx.plugin(toolCallLimits, { perTool: { work: { maxRunning: 1 } } });
    const worker = new Worker(made.ctx);
    const all = ['a', 'b', 'c'].map((id) => start(made.ctx, id));
    await turns();
    const updated = handle.update({ perTool: { work: { maxRunning: 2 } } });
    await turns();
    expect(worker.started).toEqual(['a', 'b']);
    for (const id of ['a', 'b', 'c']) await worker.finish(id);
    await Promise.all([...all, updated]);
    expect(worker.most).toBe(2);
  });
});

describe('nested calls', () => {
  it('a place that a caller holds is also that of the calls it makes, at any depth', async () => {
    const { ctx } = host({ together: { '*': { maxRunning: 1 } } });
    const nest = (name: string, inner: string): void => {
      ctx.tools.register(aTool({ name, execute: async (_args, exec) => (await exec.executeAll([{ name: inner }, { name: inner }])).map(({ isError }) => isError) }));
    };
    nest('outer', 'middle');
    nest('middle', 'inner');
    ctx.tools.register(aTool({ name: 'inner' }));
    expect(await ctx.tools.execute({ name: 'outer' })).toMatchObject({ isError: false, value: [false, false] });
  });

  it('a place that no caller holds is waited for', async () => {
    const { ctx } = host({ perTool: { work: { maxRunning: 2 } }, together: { '*': { maxRunning: 1 } } });
    const worker = new Worker(ctx);
    ctx.tools.register(
      aTool({
        name: 'program',
        execute: async (_args, exec) => {
          await Promise.all(['a', 'b', 'c'].map((callId) => exec.execute({ name: 'work', callId })));
          return 1;
        },
      }),
    );
    const program = ctx.tools.execute({ name: 'program' });
    await turns();
    expect(worker.started).toEqual(['a', 'b']);
    for (const id of ['a', 'b', 'c']) await worker.finish(id);
    expect(await program).toMatchObject({ isError: false });
    expect(worker.most).toBe(2);
  });

  it('waiting that could never end is refused instead: A holds what B needs, and B what A needs', async () => {
    const { ctx } = host({ perTool: { a: { maxRunning: 1 }, b: { maxRunning: 1 } } });
    const both = aGate();
    const nest = (name: string, inner: string): void => {
      ctx.tools.register(
        aTool({
          name,
          execute: async (_args, exec) => {
            if (exec.parentCallId !== undefined) return 'inner';
            await both.opened;
            const result = await exec.execute({ name: inner });
            return result.isError ? result.error.info.code : 'ok';
          },
        }),
      );
    };
    nest('a', 'b');
    nest('b', 'a');
    const calls = ['a', 'b'].map((name) => ctx.tools.execute({ name }));
    await turns();
    both.open();
    const values = (await Promise.all(calls)).map((result) => (result.isError ? 'failed' : result.value));
    expect(values.sort()).toEqual(['TOOL_BUSY', 'ok']);
  });

  it('a change of limits that shuts calls into a circle turns one of them away', async () => {
    const made = aHost();
    opened.push(made);
    const handle = made.ctx.plugin(toolCallLimits, { perTool: { a: { maxRunning: 1 }, b: { maxRunning: 2 } } });
    const hold = aGate();
    const both = aGate();
    const nest = (name: string, inner: string): void => {
      made.ctx.tools.register(
        aTool({
          name,
          execute: async (args, exec) => {
            if (args['holds'] === true) await hold.opened;
            if (exec.parentCallId !== undefined || args['holds'] === true) return 'done';
            await both.opened;
            const result = await exec.execute({ name: inner });
            return result.isError ? result.error.info.code : 'ok';
          },
        }),
      );
    };
    nest('a', 'b');
    nest('b', 'a');
    const holder = made.ctx.tools.execute({ name: 'b', arguments: { holds: true } });
    const calls = [made.ctx.tools.execute({ name: 'a' }), made.ctx.tools.execute({ name: 'b' })];
    await turns();
    both.open();
    await turns();
    const updated = handle.update({ perTool: { a: { maxRunning: 1 }, b: { maxRunning: 1 } } });
    await turns();
    hold.open();
    const values = (await Promise.all(calls)).map((result) => (result.isError ? 'failed' : result.value));
    await Promise.all([holder, updated]);
    expect(values.sort()).toEqual(['TOOL_BUSY', 'ok']);
  });

  it('equal call ids never make a nested call wait for its own caller', async () => {
    const { ctx } = host({ together: { '*': { maxRunning: 2 } } });
    ctx.tools.register(aTool({ name: 'outer', execute: async (_args, exec) => (await exec.execute({ name: 'inner', callId: 'same' })).isError }));
    ctx.tools.register(aTool({ name: 'inner' }));
    const all = ['same', 'same', 'same', 'same'].map((callId) => ctx.tools.execute({ name: 'outer', callId }));
    expect((await Promise.all(all)).map((result) => !result.isError && result.value)).toEqual([false, false, false, false]);
  });
});

type Step = { kind: 'call'; tool: 0 | 1 } | { kind: 'finish'; nth: number } | { kind: 'abort'; nth: number };

it('a call that waits for a place of its own tool keeps no shared place from others', async () => {
  const made = aHost();
  opened.push(made);
  const { ctx } = made;
  ctx.plugin(toolCallLimits, { perTool: { t0: { maxRunning: 1 }, t1: { maxRunning: 1 } }, together: { '*': { maxRunning: 2 } } });
  const [t0, t1] = [new Worker(ctx, 't0'), new Worker(ctx, 't1')];
  const calls = ['t1', 't0', 't1', 't0'].map((name, index) => ctx.tools.execute({ name, callId: `c${index}` }));
  await turns();
  await t0.finish('c1');
  expect([t0.started, t1.started]).toEqual([['c1', 'c3'], ['c0']]);
  for (const id of ['c0', 'c2', 'c3']) for (const worker of [t0, t1]) await worker.finish(id);
  expect((await Promise.all(calls)).every(({ isError }) => !isError)).toBe(true);
});

describe('whatever happens', () => {
  it('never more than allowed run, each tool in the order its calls came, and everything is free in the end [property]', async () => {
    const step: fc.Arbitrary<Step> = fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('call' as const), tool: fc.constantFrom(0 as const, 1 as const) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('finish' as const), nth: fc.nat(10) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('abort' as const), nth: fc.nat(10) }) },
    );
    const limits = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 4 }));
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 40 }), async ([first, second, all], steps) => {
        const made = aHost();
        made.ctx.plugin(toolCallLimits, { perTool: { t0: { maxRunning: first }, t1: { maxRunning: second } }, together: { '*': { maxRunning: all } } });
        const workers = [new Worker(made.ctx, 't0'), new Worker(made.ctx, 't1')] as const;
        const calls: { id: string; tool: 0 | 1; abort: AbortController; done: Promise<ToolExecutionResult>; isOver: boolean }[] = [];
        const live = (): typeof calls => calls.filter(({ isOver }) => !isOver);
        for (const each of steps) {
          if (each.kind === 'call') {
            const abort = new AbortController();
            const id = `c${calls.length}`;
            const done = made.ctx.tools.execute({ name: `t${each.tool}`, callId: id, signal: abort.signal });
            const call = { id, tool: each.tool, abort, done, isOver: false };
            void done.then(() => { call.isOver = true; });
            calls.push(call);
          } else {
            const target = live()[each.nth];
            if (each.kind === 'abort') target?.abort.abort();
            else if (target !== undefined) workers[target.tool].gates.get(target.id)?.open();
          }
          await turns();
          expect(workers[0].running).toBeLessThanOrEqual(first);
          expect(workers[1].running).toBeLessThanOrEqual(second);
          expect(workers[0].running + workers[1].running).toBeLessThanOrEqual(all);
          const isFull = workers[0].running + workers[1].running === all;
          for (const { id, tool } of live()) {
            // Nobody waits for nothing.
            if (!workers[tool].started.includes(id)) expect(isFull || workers[tool].running === (tool === 0 ? first : second)).toBe(true);
          }
        }
        for (let round = 0; live().length > 0 && round <= calls.length; round += 1) {
          for (const { tool, id } of live()) workers[tool].gates.get(id)?.open();
          await turns();
        }
        expect(live()).toEqual([]);
        for (const { started } of workers) expect(started).toEqual([...started].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1))));
        for (const { abort } of calls) expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
        // As many places as ever.
        const again = Array.from({ length: first }, (_, i) => made.ctx.tools.execute({ name: 't0', callId: `again${i}` }));
        await turns();
        expect(workers[0].running).toBe(Math.min(first, all));
        for (let i = 0; i < first; i += 1) await workers[0].finish(`again${i}`);
        await Promise.all(again);
        await made.dispose();
      }),
      { numRuns: 200 },
    );
  });
});
