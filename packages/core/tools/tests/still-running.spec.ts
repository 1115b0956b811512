import { aGate, aTool, recordHooks, type Gate } from '@sluice/testing';
import { describe, expect, it } from 'vitest';
import type { Context, ToolCallInput, ToolExecution, ToolExecutionResult, ToolLate, ToolRun } from '../src/index.ts';
import { codeOf, linesOf, setup, textOf } from './support.ts';
import { flush, pass, settle, sleep, useVirtualTime } from './virtual-time.ts';

/** What a deadline says that does not wait for the body: any failure will do. */
const TOO_LATE = { isError: true, error: { message: 'it took too long', info: { name: 'Late', code: 'TOOL_TIMEOUT' } } } as unknown as ToolExecutionResult;

type Next = (patch?: { signal?: AbortSignal }) => Promise<ToolExecutionResult>;

/** A wrapper that starts the body of the calls named and answers before it ends. Their `next` is handed out. */
function settleEarly(ctx: Context, answer: (exec: ToolExecution) => ToolExecutionResult = () => TOO_LATE): { late: ToolLate[]; next: Map<string, Next> } {
  const late: ToolLate[] = [];
  const nexts = new Map<string, Next>();
  ctx.on('tools/late', (event) => { late.push(event); });
  ctx.on('tools/execute', (exec, next) => {
    if (!exec.callId.startsWith('slow')) return next();
    nexts.set(exec.callId, next);
    void next();
    return answer(exec);
  });
  return { late, next: nexts };
}

interface Slow {
  readonly gate: Gate;
  readonly runs: ToolRun[];
}

/** `slow` runs until its gate opens, whatever its signal says. Every call of it with an id in `slow…` is settled early. */
function mountSlow(ctx: Context, overrides: Parameters<typeof aTool>[0] = {}): Slow {
  const gate = aGate();
  const runs: ToolRun[] = [];
  ctx.tools.register(
    aTool({
      name: 'slow',
      async execute(_args, exec) {
        runs.push(exec);
        await gate.opened;
        return 'done after all';
      },
      ...overrides,
    }),
  );
  return { gate, runs };
}

const slow = (callId = 'slow-1'): ToolCallInput => ({ name: 'slow', callId });

describe('a body that outlives its call', () => {
  it('leaves a failure that says stillRunning, in the result and in tools/result', async () => {
    const { ctx } = setup();
    const { gate } = mountSlow(ctx);
    settleEarly(ctx);
    const recorder = recordHooks(ctx);
    const result = await ctx.tools.execute(slow());
    expect(result).toEqual({
      isError: true,
      callId: 'slow-1',
      name: 'slow',
      error: { message: 'it took too long', info: { name: 'Late', code: 'TOOL_TIMEOUT', started: true } },
      content: [{ type: 'text', text: 'Error: it took too long' }],
      stillRunning: true,
    });
    expect(recorder.results()).toEqual([result]);
    expect(Object.isFrozen(result)).toBe(true);
    gate.open();
    await flush();
    // Told once; nothing is taken back.
    expect(recorder.results()).toHaveLength(1);
    expect(result).toMatchObject({ stillRunning: true });
  });

  it.each<[string, (ctx: Context) => void, string]>([
    ['a wrapper that throws meanwhile', (ctx) => ctx.on('tools/execute', (_exec, next) => { void next(); throw new Error('x'); }), 'PIPELINE_FAILED'],
    ['a wrapper that answers nonsense meanwhile', (ctx) => ctx.on('tools/execute', (_exec, next) => { void next(); return 'ok' as never; }), 'PIPELINE_FAILED'],
    [
      'a success that post-execute blocks',
      (ctx) => {
        settleEarly(ctx, () => ({ isError: false, value: 'made up' }) as never);
        ctx.on('tools/post-execute', () => ({ kind: 'block', feedback: [] }));
      },
      'BLOCKED',
    ],
    [
      'a success that post-execute breaks',
      (ctx) => {
        settleEarly(ctx, () => ({ isError: false, value: 'made up' }) as never);
        ctx.on('tools/post-execute', () => { throw new Error('x'); });
      },
      'PIPELINE_FAILED',
    ],
    [
      'a failure that post-execute breaks',
      (ctx) => {
        settleEarly(ctx);
        ctx.on('tools/post-execute', () => { throw new Error('x'); });
      },
      'PIPELINE_FAILED',
    ],
  ])('is told of by %s, too', async (_what, mount, expected) => {
    const { ctx } = setup();
    const { gate } = mountSlow(ctx);
    mount(ctx);
    const result = await ctx.tools.execute(slow());
    expect(codeOf(result)).toBe(expected);
    expect(result).toMatchObject({ stillRunning: true, error: { info: { started: true } } });
    gate.open();
    await flush();
  });

  it('is told of when the caller aborts a success that a wrapper made', async () => {
    const { ctx } = setup();
    const { gate } = mountSlow(ctx);
    const controller = new AbortController();
    settleEarly(ctx, () => {
      controller.abort();
      return { isError: false, value: 'made up' } as never;
    });
    expect(await ctx.tools.execute({ ...slow(), signal: controller.signal })).toMatchObject({ error: { info: { code: 'ABORTED' } }, stillRunning: true });
    gate.open();
    await flush();
  });

  it('is not told of when it has ended by the time of the answer', async () => {
    const { ctx } = setup();
    mountSlow(ctx, { execute: () => 'at once' });
    ctx.on('tools/execute', async (_exec, next) => {
      await next();
      return TOO_LATE;
    });
    expect(await ctx.tools.execute(slow())).not.toHaveProperty('stillRunning');
  });

  it('is announced once as tools/late with what it gave and how long it took, and changes nothing else', async () => {
    useVirtualTime();
    const { ctx } = setup();
    mountSlow(ctx, { execute: async () => { await sleep(250); return 'done after all'; } });
    const { late } = settleEarly(ctx);
    const recorder = recordHooks(ctx);
    const result = await ctx.tools.execute(slow());
    expect(late).toEqual([]);
    await pass(1_000);
    expect(late).toHaveLength(1);
    expect(late[0]).toEqual({
      callId: 'slow-1',
      name: 'slow',
      elapsedMs: 250,
      result: { isError: false, callId: 'slow-1', name: 'slow', value: 'done after all', content: [{ type: 'text', text: '"done after all"' }] },
    });
    expect(Object.isFrozen(late[0]) && Object.isFrozen(late[0]!.result)).toBe(true);
    expect(recorder.results()).toEqual([result]);
    expect(recorder.trace('slow-1').filter((event) => event === 'tools/late')).toHaveLength(1);
  });

  it('harms nobody when it rejects in the end', async () => {
    const { ctx, log } = setup();
    const { gate } = mountSlow(ctx, {
      execute: async (_args, exec) => {
        await gate.opened;
        exec.deferContext({ source: 'late', content: [] });
        throw new Error('too late to matter');
      },
    });
    const { late } = settleEarly(ctx);
    await ctx.tools.execute(slow());
    gate.open();
    await flush();
    expect(late).toMatchObject([{ result: { isError: true, error: { message: 'too late to matter', info: { code: 'TOOL_FAILED', started: true } } } }]);
    expect(late[0]!.result).not.toHaveProperty('stillRunning');
    expect(late[0]!.result).not.toHaveProperty('additionalContexts');
    expect(linesOf(log, 'error')).toEqual([]);
  });

  it('harms nobody when whoever hears of its end throws', async () => {
    const { ctx, log } = setup();
    const { gate } = mountSlow(ctx, { locks: () => ({ write: ['k'] }) });
    ctx.on('tools/late', () => { throw new Error('listener'); });
    const { late } = settleEarly(ctx);
    await ctx.tools.execute(slow());
    gate.open();
    await flush();
    expect(late).toHaveLength(1);
    expect(linesOf(log, 'error')).toHaveLength(1);
    // And the locks came back.
    expect(codeOf(await ctx.tools.execute({ name: 'slow', callId: 'again' }))).toBe('ok');
  });

  it('gets nothing done through its run context any more, and only a debug line says so', async () => {
    const { ctx, log } = setup();
    const { gate, runs } = mountSlow(ctx);
    const recorder = recordHooks(ctx);
    settleEarly(ctx);
    ctx.tools.register(aTool());
    await ctx.tools.execute(slow());
    const [exec] = runs as [ToolRun];
    exec.deferContext({ source: 'late', content: [] });
    exec.concludeTurn();
    exec.content([{ type: 'text', text: 'late' }]);
    exec.progress({ message: 'late' });
    const nested = await exec.execute({ name: 'echo', callId: 'n' });
    const batch = await exec.executeAll([{ name: 'echo', callId: 'n1' }, { name: 'echo', callId: 'n2' }]);
    for (const result of [nested, ...batch]) {
      expect(result).toMatchObject({ isError: true, error: { info: { code: 'ABORTED_BEFORE_DISPATCH', started: false } } });
    }
    expect(batch.map((result) => result.callId)).toEqual(['n1', 'n2']);
    expect(recorder.events.filter(({ callId }) => callId?.startsWith('n') === true)).toEqual([]);
    expect(recorder.events.filter(({ hook }) => hook === 'tools/progress')).toEqual([]);
    expect(linesOf(log, 'debug')).toHaveLength(4);
    expect(linesOf(log, 'warn')).toEqual([]);
    gate.open();
    await flush();
    expect(recorder.events.find(({ hook }) => hook === 'tools/late')?.detail).toMatchObject({ result: { content: [{ text: '"done after all"' }] } });
  });

  it('is waited for by nobody: its scope can be disposed, and the warning names what is left', async () => {
    const { ctx } = setup();
    const { gate } = mountSlow(ctx);
    const { late } = settleEarly(ctx);
    const agent = ctx.scope('agent');
    await agent.tools.execute(slow());
    await agent.dispose();
    gate.open();
    await flush();
    // Heard where the scope was heard; the call was made there.
    expect(late.length).toBeLessThanOrEqual(1);
  });
});

describe('next()', () => {
  it('is refused once the call has settled: no second body starts', async () => {
    const { ctx } = setup();
    const { gate, runs } = mountSlow(ctx);
    const { next } = settleEarly(ctx);
    await ctx.tools.execute(slow());
    const again = await next.get('slow-1')!();
    expect(again).toMatchObject({ isError: true, error: { info: { started: true } } });
    gate.open();
    await flush();
    await next.get('slow-1')!();
    expect(runs).toHaveLength(1);
  });

  it('gives that failure while the attempt that it is about still runs, and starts no second body', async () => {
    const { ctx } = setup();
    const { gate, runs } = mountSlow(ctx);
    const answers: ToolExecutionResult[] = [];
    ctx.on('tools/execute', async (_exec, next) => {
      for (let attempt = 0; attempt < 3; attempt += 1) answers.push(await next());
      return answers[2]!;
    });
    settleEarly(ctx);
    const result = await ctx.tools.execute(slow());
    expect(answers.map(codeOf)).toEqual(['TOOL_TIMEOUT', 'TOOL_TIMEOUT', 'TOOL_TIMEOUT']);
    expect(new Set(answers).size).toBe(1);
    expect(runs).toHaveLength(1);
    expect(result).toMatchObject({ stillRunning: true, error: { info: { code: 'TOOL_TIMEOUT' } } });
    gate.open();
    await flush();
  });

  it('starts a fresh attempt when the earlier one has ended after all', async () => {
    const { ctx } = setup();
    const { gate, runs } = mountSlow(ctx);
    ctx.on('tools/execute', async (_exec, next) => {
      await next();
      gate.open();
      await flush();
      return next();
    });
    let isFirst = true;
    ctx.on('tools/execute', (_exec, next) => {
      const inner = next();
      if (!isFirst) return inner;
      isFirst = false;
      return TOO_LATE;
    });
    expect(await ctx.tools.execute(slow())).toMatchObject({ isError: false, value: 'done after all' });
    expect(runs).toHaveLength(2);
  });

  it('never runs two bodies of one call side by side, however it is called', async () => {
    const { ctx } = setup();
    const { gate, runs } = mountSlow(ctx);
    ctx.on('tools/execute', async (_exec, next) => {
      const [first, second] = [next(), next()];
      expect(codeOf(await second)).toBe('TOOL_BUSY');
      gate.open();
      return first;
    });
    expect(await ctx.tools.execute(slow())).toMatchObject({ isError: false, value: 'done after all' });
    expect(runs).toHaveLength(1);
  });
});

describe('the locks of a body that outlives its call', () => {
  const withLocks = { locks: ({ keys }: { keys?: string[] }) => ({ write: keys ?? ['k'] }) };

  it('stay until it ends: who needs them hears TOOL_BUSY at once, naming the holder', async () => {
    const { ctx } = setup();
    const { gate } = mountSlow(ctx, withLocks);
    settleEarly(ctx);
    await ctx.tools.execute(slow());
    const refused = await ctx.tools.execute({ name: 'slow', callId: 'other' });
    expect(refused).toMatchObject({ isError: true, error: { info: { code: 'TOOL_BUSY', name: 'ToolBusyError', started: false } } });
    expect(textOf(refused)).toContain('call "slow-1" of "slow"');
    expect(refused).not.toHaveProperty('stillRunning');
    expect(codeOf(await ctx.tools.execute({ name: 'slow', callId: 'slow-free', arguments: { keys: ['free'] } }))).toBe('TOOL_TIMEOUT');
    gate.open();
    await flush();
    expect(codeOf(await ctx.tools.execute({ name: 'slow', callId: 'other' }))).toBe('ok');
  });

  it('are announced to those who wait for them already, and those behind them go on', async () => {
    const { ctx } = setup();
    const mayAnswer = aGate();
    const { gate } = mountSlow(ctx, withLocks);
    ctx.on('tools/execute', async (exec, next) => {
      if (exec.callId !== 'slow-1') return next();
      void next();
      await mayAnswer.opened;
      return TOO_LATE;
    });
    const first = ctx.tools.execute(slow());
    await flush();
    const waiting = ctx.tools.execute({ name: 'slow', callId: 'waits', arguments: { keys: ['k', 'j'] } });
    ctx.tools.register(aTool({ name: 'quick', locks: () => ({ write: ['j'] }), execute: () => 'quick' }));
    const behind = ctx.tools.execute({ name: 'quick', callId: 'behind' });
    await flush();
    mayAnswer.open();
    expect(await first).toMatchObject({ stillRunning: true });
    expect(codeOf(await waiting)).toBe('TOOL_BUSY');
    expect(textOf(await waiting)).toContain('call "slow-1" of "slow"');
    expect(codeOf(await behind)).toBe('ok');
    gate.open();
    await flush();
  });

  it('include those of its nested calls, and it is the outlived call that is named', async () => {
    const { ctx } = setup();
    const { gate } = mountSlow(ctx, withLocks);
    ctx.tools.register(aTool({ name: 'outer', execute: async (_args, exec) => { await exec.execute({ name: 'slow', callId: 'inner' }); return null; } }));
    settleEarly(ctx);
    await ctx.tools.execute({ name: 'outer', callId: 'slow-outer' });
    const refused = await ctx.tools.execute({ name: 'slow', callId: 'other' });
    expect(codeOf(refused)).toBe('TOOL_BUSY');
    expect(textOf(refused)).toContain('call "slow-outer" of "outer"');
    gate.open();
    await flush();
    expect(codeOf(await ctx.tools.execute({ name: 'slow', callId: 'other' }))).toBe('ok');
  });

  it('of nested calls are announced to those who wait for them already', async () => {
    const { ctx } = setup();
    const { gate } = mountSlow(ctx, withLocks);
    const mayAnswer = aGate();
    ctx.tools.register(aTool({ name: 'outer', execute: async (_args, exec) => { await exec.execute({ name: 'slow', callId: 'inner' }); return null; } }));
    ctx.on('tools/execute', async (exec, next) => {
      if (exec.name !== 'outer') return next();
      void next();
      await mayAnswer.opened;
      return TOO_LATE;
    });
    const outer = ctx.tools.execute({ name: 'outer' });
    await flush();
    const waiting = ctx.tools.execute({ name: 'slow', callId: 'waits' });
    await flush();
    mayAnswer.open();
    expect(await outer).toMatchObject({ stillRunning: true });
    expect(codeOf(await waiting)).toBe('TOOL_BUSY');
    gate.open();
    await flush();
  });

  it('are waited for as ever if it is only a nested call that nobody awaited', async () => {
    const { ctx } = setup();
    const { gate } = mountSlow(ctx, withLocks);
    ctx.tools.register(aTool({ name: 'outer', execute: async (_args, exec) => { void exec.execute({ name: 'slow', callId: 'inner' }); await flush(); return null; } }));
    expect(codeOf(await ctx.tools.execute({ name: 'outer' }))).toBe('ok');
    const waiting = ctx.tools.execute({ name: 'slow', callId: 'waits' });
    await flush();
    gate.open();
    expect(codeOf(await waiting)).toBe('ok');
  });
});

describe('in a batch', () => {
  const quick = (ctx: Context, isSafe: boolean): void => {
    ctx.tools.register(aTool({ name: isSafe ? 'safe' : 'alone', isConcurrencySafe: () => isSafe, execute: () => 'quick' }));
  };

  it('an exclusive body that outlives its call keeps its barrier: every later call hears TOOL_BUSY, naming it', async () => {
    const { ctx } = setup();
    const { gate } = mountSlow(ctx);
    settleEarly(ctx);
    quick(ctx, true);
    quick(ctx, false);
    const results = await ctx.tools.executeAll([slow(), { name: 'safe' }, { name: 'alone' }, { name: 'nosuch' }]);
    expect(results.map(codeOf)).toEqual(['TOOL_TIMEOUT', 'TOOL_BUSY', 'TOOL_BUSY', 'UNKNOWN_TOOL']);
    expect(textOf(results[1]!)).toContain('call "slow-1" of "slow"');
    // A barrier belongs to its batch.
    expect((await ctx.tools.executeAll([{ name: 'alone' }])).map(codeOf)).toEqual(['ok']);
    gate.open();
    await flush();
  });

  it('a parallel one keeps exclusive calls out, lets parallel ones in, and its place in the pool is free', async () => {
    const { ctx } = setup();
    const { gate } = mountSlow(ctx, { isConcurrencySafe: () => true });
    settleEarly(ctx);
    quick(ctx, true);
    quick(ctx, false);
    const calls = [slow('slow-1'), slow('slow-2'), { name: 'safe' }, { name: 'alone' }, { name: 'safe' }];
    const results = await ctx.tools.executeAll(calls, { maxParallel: 1 });
    expect(results.map(codeOf)).toEqual(['TOOL_TIMEOUT', 'TOOL_TIMEOUT', 'ok', 'TOOL_BUSY', 'ok']);
    gate.open();
    await flush();
  });

  it('the barrier falls when the body ends, and the rest of the batch runs', async () => {
    const { ctx } = setup();
    const { gate } = mountSlow(ctx);
    settleEarly(ctx);
    quick(ctx, true);
    quick(ctx, false);
    ctx.on('tools/result', (exec) => {
      if (exec.callId === 'second') gate.open();
    });
    ctx.on('tools/post-execute', async (exec, _result, next) => {
      if (exec.callId === 'third') await flush();
      return next();
    });
    const calls = [slow(), { name: 'safe', callId: 'second' }, { name: 'safe', callId: 'third' }, { name: 'alone' }];
    const results = await ctx.tools.executeAll(calls);
    expect(results.map(codeOf).slice(0, 2)).toEqual(['TOOL_TIMEOUT', 'TOOL_BUSY']);
    expect(codeOf(results[3]!)).toBe('ok');
  });

  it('ends without waiting for it', async () => {
    useVirtualTime();
    const { ctx } = setup();
    mountSlow(ctx, { execute: async () => { await sleep(60_000); return null; } });
    const { late } = settleEarly(ctx);
    const began = performance.now();
    expect((await ctx.tools.executeAll([slow()])).map(codeOf)).toEqual(['TOOL_TIMEOUT']);
    expect(performance.now() - began).toBe(0);
    await settle(sleep(60_001));
    expect(late).toHaveLength(1);
  });
});
