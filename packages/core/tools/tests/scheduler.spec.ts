import { getEventListeners } from 'node:events';
import { aGate, aTool } from '@sluice/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Context, JsonValue, ToolCallInput, ToolExecutionResult } from '../src/index.ts';
import { codeOf, linesOf, setup } from './support.ts';
import { flush, settle, sleep, ticks, useVirtualTime } from './virtual-time.ts';

/** What the bodies did, as `+name` and `-name`. */
type Trace = string[];

interface Step {
  readonly tag: string;
  readonly ms?: number;
}

/** `p` may overlap, `x` may not; both take `ms` of virtual time and give their tag back. */
function mountSteps(ctx: Context): Trace {
  const trace: Trace = [];
  const execute = async (args: Readonly<Record<string, JsonValue>>): Promise<JsonValue> => {
    const { tag, ms } = args as unknown as Step;
    trace.push(`+${tag}`);
    await sleep(ms ?? 0);
    trace.push(`-${tag}`);
    return tag;
  };
  ctx.tools.register(aTool({ name: 'p', isConcurrencySafe: () => true, execute }));
  ctx.tools.register(aTool({ name: 'x', execute }));
  return trace;
}

function step(name: 'p' | 'x', tag: string, ms = 0): ToolCallInput {
  return { name, callId: tag, arguments: { tag, ms } };
}

function idsOf(results: readonly ToolExecutionResult[]): string[] {
  return results.map((result) => result.callId);
}

function valuesOf(results: readonly ToolExecutionResult[]): unknown[] {
  return results.map((result) => (result.isError ? result.error.info.code : result.value));
}

describe('executeAll', () => {
  it('gives no results for no calls', async () => {
    const { ctx } = setup();
    expect(await ctx.tools.executeAll([])).toEqual([]);
  });

  it('gives results in call order with their own ids and values, whatever the finishing order, and overlaps the bodies [H089] [F231]', async () => {
    useVirtualTime();
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    const began = performance.now();
    const results = await settle(ctx.tools.executeAll([step('p', 'a', 300), step('p', 'b', 10), step('p', 'c', 150), step('p', 'd', 1)]));
    expect(idsOf(results)).toEqual(['a', 'b', 'c', 'd']);
    expect(valuesOf(results)).toEqual(['a', 'b', 'c', 'd']);
    expect(trace).toEqual(['+a', '+b', '+c', '+d', '-d', '-b', '-c', '-a']);
    expect(performance.now() - began).toBe(300);
  });

  it('lets siblings of a failing call finish with their own values [H091]', async () => {
    useVirtualTime();
    const { ctx } = setup();
    mountSteps(ctx);
    ctx.tools.register(aTool({ name: 'only', isConcurrencySafe: () => true, execute: () => { throw new Error('only-me'); } }));
    const calls = [step('p', 'c1', 80), { name: 'only', callId: 'c2' }, step('p', 'c3', 80), { name: 'nosuch', callId: 'c4' }, step('p', 'c5', 5)];
    const results = await settle(ctx.tools.executeAll(calls));
    expect(idsOf(results)).toEqual(['c1', 'c2', 'c3', 'c4', 'c5']);
    expect(valuesOf(results)).toEqual(['c1', 'TOOL_FAILED', 'c3', 'UNKNOWN_TOOL', 'c5']);
  });

  it('runs an exclusive call alone between the pools before and after it [F228]', async () => {
    useVirtualTime();
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    const calls = [step('p', 'a', 20), step('p', 'b', 10), step('x', 'c', 5), step('p', 'd', 3), step('p', 'e', 1), step('x', 'f'), step('x', 'g')];
    await settle(ctx.tools.executeAll(calls));
    expect(trace).toEqual(['+a', '+b', '-b', '-a', '+c', '-c', '+d', '+e', '-e', '-d', '+f', '-f', '+g', '-g']);
  });

  it('starts the next call as soon as a place is free, and never more than maxParallel [F229]', async () => {
    useVirtualTime();
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    const calls = [step('p', 'a', 50), step('p', 'b', 10), step('p', 'c', 10), step('p', 'd', 10)];
    await settle(ctx.tools.executeAll(calls, { maxParallel: 2 }));
    expect(trace).toEqual(['+a', '+b', '-b', '+c', '-c', '+d', '-d', '-a']);
  });

  it('is serial with maxParallel 1 [F229]', async () => {
    useVirtualTime();
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    await settle(ctx.tools.executeAll([step('p', 'a', 50), step('p', 'b', 10), step('p', 'c')], { maxParallel: 1 }));
    expect(trace).toEqual(['+a', '-a', '+b', '-b', '+c', '-c']);
  });

  it('overlaps ten bodies when nothing is said [F229]', async () => {
    const { ctx } = setup();
    const gate = aGate();
    let running = 0;
    ctx.tools.register(aTool({
      name: 'waits',
      isConcurrencySafe: () => true,
      execute: async () => {
        running += 1;
        await gate.opened;
        return null;
      },
    }));
    const batch = ctx.tools.executeAll(Array.from({ length: 12 }, () => ({ name: 'waits' })));
    await flush();
    expect(running).toBe(10);
    gate.open();
    expect(await batch).toHaveLength(12);
    expect(running).toBe(12);
  });

  it.each([0, -1, 1.5, NaN, Infinity, '2', null])('refuses maxParallel %s before anything starts [F229]', async (maxParallel) => {
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    const options = { maxParallel } as { maxParallel: number };
    await expect(ctx.tools.executeAll([step('p', 'a')], options)).rejects.toThrow(RangeError);
    expect(trace).toEqual([]);
  });

  it.each<[string, unknown, object | undefined]>([
    ['inputs that are no array', { name: 'p' }, undefined],
    ['a call without a name', [step('p', 'a'), { callId: 'b' }], undefined],
    ['a call that is null', [step('p', 'a'), null], undefined],
    ['a hole', [step('p', 'a'), , step('p', 'b')], undefined],
    ['a signal that is no AbortSignal', [step('p', 'a')], { signal: {} }],
    ['an onResult that is no function', [step('p', 'a')], { onResult: 'log' }],
  ])('rejects with a TypeError for %s, before anything starts [F237]', async (_what, inputs, options) => {
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    await expect(ctx.tools.executeAll(inputs as ToolCallInput[], options)).rejects.toThrow(TypeError);
    expect(trace).toEqual([]);
  });

  it('starts a call in the end whose tool is replaced each time it is judged, and runs none of the replacements', async () => {
    const { ctx } = setup();
    let judged = 0;
    let ran = 0;
    let off: (() => void) | undefined;
    const replace = (): void => {
      off?.();
      off = ctx.tools.register(
        aTool({
          isConcurrencySafe() {
            judged += 1;
            if (judged < 10_000) replace();
            return true;
          },
          execute: () => (ran += 1),
        }),
      );
    };
    replace();
    const [result] = await ctx.tools.executeAll([{ name: 'echo' }]);
    expect(result).toMatchObject({ isError: true, error: { info: { code: 'UNKNOWN_TOOL', started: false } } });
    expect(judged).toBeLessThan(1_000);
    expect(ran).toBe(0);
  });

  it('reads every input once, before the first call starts, so that later changes to the list mean nothing [F227]', async () => {
    const { ctx } = setup();
    mountSteps(ctx);
    const inputs = [step('p', 'a'), step('p', 'b')];
    const batch = ctx.tools.executeAll(inputs);
    inputs.length = 0;
    expect(valuesOf(await batch)).toEqual(['a', 'b']);
  });

  it('takes raw argument text per call: empty is {}, broken text fails that call alone [F227]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    const results = await ctx.tools.executeAll([
      { name: 'echo', argumentsText: '' },
      { name: 'echo', argumentsText: '{"a":' },
      { name: 'echo', argumentsText: '{"a":1}' },
    ]);
    expect(valuesOf(results)).toEqual([{}, 'INVALID_ARGS', { a: 1 }]);
  });

  it('tells onResult each result in call order as it becomes final, and survives one that throws [F231] [F237]', async () => {
    useVirtualTime();
    const { ctx, log } = setup();
    mountSteps(ctx);
    const told: [string, number, number][] = [];
    const began = performance.now();
    const results = await settle(
      ctx.tools.executeAll([step('p', 'a', 20), step('p', 'b', 5), step('x', 'c', 5)], {
        onResult(result, index) {
          told.push([result.callId, index, performance.now() - began]);
          throw new Error('observer');
        },
      }),
    );
    expect(told).toEqual([['a', 0, 20], ['b', 1, 20], ['c', 2, 25]]);
    expect(valuesOf(results)).toEqual(['a', 'b', 'c']);
    expect(linesOf(log, 'error')).toHaveLength(3);
  });

  it('contains an onResult that is async and rejects', async () => {
    const { ctx, log } = setup();
    mountSteps(ctx);
    const onResult = (async () => { throw new Error('observer'); }) as () => void;
    expect(valuesOf(await ctx.tools.executeAll([step('p', 'a')], { onResult }))).toEqual(['a']);
    await flush();
    expect(linesOf(log, 'error')).toEqual(['core-tools: onResult of executeAll threw']);
  });

  it('gives every call its own result under its own id, duplicates included, whatever listeners do [F238]', async () => {
    const { ctx } = setup();
    mountSteps(ctx);
    ctx.on('tools/execute', async (_exec, next) => ({ ...(await next()), callId: 'forged', name: 'forged' }));
    const calls = [step('p', 'same'), step('p', 'same'), { name: 'p', arguments: { tag: 'minted' } }];
    const results = await ctx.tools.executeAll(calls);
    expect(idsOf(results).slice(0, 2)).toEqual(['same', 'same']);
    expect(idsOf(results)[2]).toMatch(/^call-/);
    expect(results.map((result) => result.name)).toEqual(['p', 'p', 'p']);
  });

  it('does not make a call wait for the policy of one that was started before it, but asks policy in call order [F231]', async () => {
    useVirtualTime();
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    ctx.on('tools/call', (exec) => { trace.push(`call ${exec.callId}`); });
    ctx.on('tools/pre-execute', async (exec, next) => {
      trace.push(`pre ${exec.callId}`);
      // The first takes longest.
      await sleep(exec.callId === 'a' ? 30 : 1);
      return next();
    });
    ctx.tools.guard((exec) => {
      trace.push(`guard ${exec.callId}`);
      return undefined;
    });
    ctx.on('tools/execute', (exec, next) => {
      trace.push(`execute ${exec.callId}`);
      return next();
    });
    await settle(ctx.tools.executeAll([step('p', 'a', 5), step('p', 'b', 5)]));
    expect(trace).toEqual([
      'call a', 'pre a', 'guard a', 'execute a', '+a',
      'call b', 'pre b', 'guard b', 'execute b', '+b',
      '-a', '-b',
    ]);
  });

  it('announces a call when it starts, before its policy, not when the batch begins [F232]', async () => {
    useVirtualTime();
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    ctx.on('tools/call', (exec) => { trace.push(`call ${exec.callId}`); });
    await settle(ctx.tools.executeAll([step('x', 'a', 5), step('x', 'b', 5)]));
    expect(trace).toEqual(['call a', '+a', '-a', 'call b', '+b', '-b']);
  });

  it('post-executes, finalises and publishes in call order, one at a time, even when a later call ends first [F231]', async () => {
    useVirtualTime();
    const { ctx } = setup();
    const trace: Trace = [];
    ctx.tools.register(aTool({
      name: 'p',
      isConcurrencySafe: () => true,
      execute: async (args) => {
        await sleep(args['ms'] as number);
        return args['tag'] ?? null;
      },
      finalizeContent: (exec) => {
        trace.push(`finalize ${exec.callId}`);
        return undefined;
      },
    }));
    ctx.on('tools/post-execute', async (exec, _result, next) => {
      trace.push(`post> ${exec.callId}`);
      await sleep(exec.callId === 'a' ? 50 : 1);
      trace.push(`<post ${exec.callId}`);
      return next();
    });
    ctx.on('tools/result', (exec) => { trace.push(`result ${exec.callId}`); });
    await settle(ctx.tools.executeAll([step('p', 'a', 20), step('p', 'b', 1)]));
    expect(trace).toEqual(['post> a', '<post a', 'finalize a', 'result a', 'post> b', '<post b', 'finalize b', 'result b']);
  });

  it('gives denied and failed-early calls their slot without a place in the pool [F233]', async () => {
    useVirtualTime();
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    ctx.on('tools/pre-execute', (exec, next) => {
      if (exec.callId === 'denied') return { kind: 'deny', reason: 'no' };
      if (exec.callId === 'broken') throw new Error('policy');
      return next();
    });
    ctx.on('tools/result', (exec) => { trace.push(`result ${exec.callId}`); });
    const calls = [step('p', 'a', 10), step('p', 'denied'), step('p', 'broken'), step('p', 'b', 15)];
    const results = await settle(ctx.tools.executeAll(calls, { maxParallel: 2 }));
    expect(valuesOf(results)).toEqual(['a', 'DENIED', 'PIPELINE_FAILED', 'b']);
    // b started beside a: the two that failed early took no place.
    expect(trace).toEqual(['+a', '+b', '-a', 'result a', 'result denied', 'result broken', '-b', 'result b']);
  });

  it('leaves the contexts of each call on its own result, in call order, for whoever runs the turn [F234] [F236]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({
      name: 'p',
      isConcurrencySafe: () => true,
      execute: async (args, exec) => {
        exec.deferContext({ source: exec.callId, content: [] });
        await ticks(args['ticks'] as number);
        return null;
      },
    }));
    const results = await ctx.tools.executeAll([5, 1, 3].map((count, i) => ({ name: 'p', callId: `c${i}`, arguments: { ticks: count } })));
    expect(results.map((result) => result.additionalContexts)).toEqual([0, 1, 2].map((i) => [{ source: `c${i}`, content: [] }]));
  });

  it('lets a listener or a result callback call executeAll again', async () => {
    const { ctx } = setup();
    mountSteps(ctx);
    const inner: Promise<ToolExecutionResult[]>[] = [];
    await ctx.tools.executeAll([step('x', 'a'), step('x', 'b')], {
      onResult: (result) => {
        inner.push(ctx.tools.executeAll([step('x', `${result.callId}-again`)]));
      },
    });
    expect((await Promise.all(inner)).map(valuesOf)).toEqual([['a-again'], ['b-again']]);
  });

  it('keeps two batches of one runtime apart: a barrier binds its own batch only', async () => {
    useVirtualTime();
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    await settle(Promise.all([ctx.tools.executeAll([step('x', 'a', 10)]), ctx.tools.executeAll([step('x', 'b', 5)])]));
    expect(trace).toEqual(['+a', '+b', '-b', '-a']);
  });
});

describe('classification in a batch', () => {
  it('is repeated right before each start, so that a call that became exclusive waits for the pool and is the next barrier [F230]', async () => {
    useVirtualTime();
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    let isSafe = true;
    ctx.tools.register(aTool({
      name: 'moody',
      isConcurrencySafe: () => isSafe,
      execute: async (args) => {
        trace.push(`+${args['tag'] as string}`);
        await sleep(5);
        trace.push(`-${args['tag'] as string}`);
        return null;
      },
    }));
    const moody = (tag: string): ToolCallInput => ({ name: 'moody', arguments: { tag } });
    ctx.on('tools/result', (exec) => {
      if (exec.callId === 'b') isSafe = false;
    });
    await settle(ctx.tools.executeAll([step('p', 'a', 10), step('p', 'b', 20), moody('c'), moody('d'), step('p', 'e')], { maxParallel: 2 }));
    expect(trace).toEqual(['+a', '+b', '-a', '+c', '-c', '+d', '-b', '-d', '+e', '-e'].filter((event) => trace.includes(event)));
    // d was asked again after b's result had made it exclusive, or had started before; it never ran beside e.
    expect(trace.indexOf('+e')).toBeGreaterThan(trace.indexOf('-d'));
  });

  it('stops filling the pool when a result observer makes the next call exclusive [F230]', async () => {
    useVirtualTime();
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    ctx.on('tools/result', (exec) => {
      if (exec.callId !== 'a') return;
      // The same name, exclusive now.
      off();
      ctx.tools.register(aTool({ name: 'late', execute: () => { trace.push('late alone'); return null; } }));
    });
    const off = ctx.tools.register(aTool({ name: 'late', isConcurrencySafe: () => true, execute: () => { trace.push('late beside'); return null; } }));
    const calls = [step('p', 'a', 5), step('p', 'b', 30), { name: 'late' }, step('p', 'd')];
    const results = await settle(ctx.tools.executeAll(calls, { maxParallel: 2 }));
    expect(trace).toEqual(['+a', '+b', '-a', '-b', 'late alone', '+d', '-d']);
    expect(valuesOf(results)).toEqual(['a', 'b', null, 'd']);
  });

  it.each(['with', 'without'])('runs the definition that took the place of another while its call waited, %s a signal of its own, and leaves nothing of the first on any [F230]', async (how) => {
    useVirtualTime();
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    const version = (name: string, more: object): (() => void) => ctx.tools.register(aTool({ name: 'late', execute: () => name, ...more }));
    let off = version('first', {});
    ctx.on('tools/result', (exec) => {
      if (exec.callId !== 'a') return;
      // It waited as a barrier; now it has locks to ask for, and is replaced once more while it does.
      off();
      off = version('second', {
        locks: async () => {
          await sleep(5);
          off();
          version('third', {});
          return {};
        },
      });
    });
    const batch = new AbortController();
    const own = new AbortController();
    const calls = [step('p', 'a', 5), { name: 'late', ...(how === 'with' ? { signal: own.signal } : {}) }, step('p', 'd')];
    const results = await settle(ctx.tools.executeAll(calls, { signal: batch.signal }));
    expect(valuesOf(results)).toEqual(['a', 'third', 'd']);
    expect(trace).toEqual(['+a', '-a', '+d', '-d']);
    for (const { signal } of [batch, own]) expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('sees a tool that an earlier call of the batch registered', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({
      name: 'install',
      execute: () => {
        ctx.tools.register(aTool({ name: 'fresh', execute: () => 'fresh' }));
        return null;
      },
    }));
    expect(valuesOf(await ctx.tools.executeAll([{ name: 'install' }, { name: 'fresh' }]))).toEqual([null, 'fresh']);
  });

  it('waits, with a barrier, for locks that are still being asked for, and counts a throw as exclusive', async () => {
    useVirtualTime();
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    ctx.tools.register(aTool({
      name: 'asks',
      locks: async () => {
        await sleep(5);
        throw new Error('no idea');
      },
      execute: async () => {
        trace.push('+asks');
        await sleep(5);
        trace.push('-asks');
        return null;
      },
    }));
    await settle(ctx.tools.executeAll([step('p', 'a', 30), { name: 'asks' }, step('p', 'b')]));
    expect(trace).toEqual(['+a', '-a', '+asks', '-asks', '+b', '-b']);
  });
});

describe('an aborted batch', () => {
  it('starts nothing when its signal is aborted already, and says so for every call without telling any hook [F235]', async () => {
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    ctx.on('tools/call', () => { trace.push('call'); });
    ctx.on('tools/result', () => { trace.push('result'); });
    const told: string[] = [];
    const results = await ctx.tools.executeAll([step('p', 'a'), step('x', 'b'), { name: 'nosuch', callId: 'c' }], {
      signal: AbortSignal.abort(),
      onResult: (result) => told.push(result.callId),
    });
    expect(idsOf(results)).toEqual(['a', 'b', 'c']);
    expect(results.map(codeOf)).toEqual(Array(3).fill('ABORTED_BEFORE_DISPATCH'));
    expect(results.every((result) => result.isError && !result.error.info.started)).toBe(true);
    expect(told).toEqual(['a', 'b', 'c']);
    expect(trace).toEqual([]);
  });

  it('drains the started calls in order and gives the others ABORTED_BEFORE_DISPATCH [F235]', async () => {
    useVirtualTime();
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    ctx.on('tools/result', (exec) => { trace.push(`result ${exec.callId}`); });
    const controller = new AbortController();
    setTimeout(() => { controller.abort(); }, 5);
    const calls = [step('p', 'a', 20), step('p', 'b', 10), step('p', 'c', 10), step('x', 'd'), step('p', 'e')];
    const results = await settle(ctx.tools.executeAll(calls, { maxParallel: 2, signal: controller.signal }));
    expect(idsOf(results)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(results.map(codeOf)).toEqual(['ABORTED', 'ABORTED', ...Array<string>(3).fill('ABORTED_BEFORE_DISPATCH')]);
    expect(trace).toEqual(['+a', '+b', '-b', '-a', 'result a', 'result b']);
  });

  it('does not run a barrier after a pool that was aborted [F235]', async () => {
    useVirtualTime();
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    const controller = new AbortController();
    ctx.on('tools/result', (exec) => {
      if (exec.callId === 'a') controller.abort();
    });
    const results = await settle(ctx.tools.executeAll([step('p', 'a', 5), step('x', 'b')], { signal: controller.signal }));
    expect(results.map(codeOf)).toEqual(['ok', 'ABORTED_BEFORE_DISPATCH']);
    expect(trace).toEqual(['+a', '-a']);
  });

  it('ends when it is aborted while a tool is still thinking about its locks', async () => {
    useVirtualTime();
    const { ctx } = setup();
    const trace = mountSteps(ctx);
    ctx.tools.register(aTool({ name: 'undecided', locks: () => new Promise(() => {}), execute: () => { trace.push('undecided'); return null; } }));
    const controller = new AbortController();
    setTimeout(() => { controller.abort(); }, 50);
    const batch = ctx.tools.executeAll([step('p', 'a', 10), { name: 'undecided', callId: 'u' }, step('p', 'b')], { signal: controller.signal });
    const results = await settle(batch);
    expect(idsOf(results)).toEqual(['a', 'u', 'b']);
    expect(results.map(codeOf)).toEqual(['ok', 'ABORTED_BEFORE_DISPATCH', 'ABORTED_BEFORE_DISPATCH']);
    expect(trace).toEqual(['+a', '-a']);
  });

  it("aborts one call by that call's own signal and leaves its siblings alone", async () => {
    useVirtualTime();
    const { ctx } = setup();
    mountSteps(ctx);
    const own = new AbortController();
    setTimeout(() => { own.abort(); }, 5);
    const results = await settle(
      ctx.tools.executeAll([step('p', 'a', 10), { ...step('p', 'b', 10), signal: own.signal }, { ...step('x', 'c', 10), signal: own.signal }, step('p', 'd')]),
    );
    expect(results.map(codeOf)).toEqual(['ok', 'ABORTED', 'ABORTED_BEFORE_DISPATCH', 'ok']);
  });

  it('lets go of every signal when it is done', async () => {
    const { ctx } = setup();
    mountSteps(ctx);
    const batch = new AbortController();
    const own = new AbortController();
    await ctx.tools.executeAll(
      [step('p', 'a'), { ...step('p', 'b'), signal: own.signal }, step('x', 'c'), { ...step('x', 'd'), signal: own.signal }],
      { signal: batch.signal },
    );
    for (const { signal } of [batch, own]) expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends with the context that it was made through', async () => {
    const { ctx } = setup();
    const gate = aGate();
    const agent = ctx.scope('agent');
    agent.tools.register(aTool({
      name: 'waits',
      execute: async (_args, exec) => {
        exec.signal.addEventListener('abort', () => { gate.open(); });
        await gate.opened;
        return null;
      },
    }));
    const batch = agent.tools.executeAll([{ name: 'waits' }, { name: 'waits' }]);
    await flush();
    await agent.dispose();
    expect((await batch).map(codeOf)).toEqual(['ABORTED', 'ABORTED_BEFORE_DISPATCH']);
  });
});

describe('executionMode', () => {
  it.each<[string, unknown, string]>([
    ['no classifier', undefined, 'exclusive'],
    ['true', () => true, 'parallel'],
    ['false', () => false, 'exclusive'],
    ['something truthy', () => 1, 'exclusive'],
    ['the string "true"', () => 'true', 'exclusive'],
    ['a promise of true', async () => true, 'exclusive'],
    ['a promise that rejects', async () => { throw new Error('x'); }, 'exclusive'],
    ['a throw', () => { throw new Error('x'); }, 'exclusive'],
    ['a revoked proxy', () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; }, 'exclusive'],
  ])('reads %s as it should [F224]', async (_what, isConcurrencySafe, expected) => {
    const { ctx } = setup();
    const classifier = isConcurrencySafe === undefined ? {} : { isConcurrencySafe: isConcurrencySafe as () => boolean };
    ctx.tools.register(aTool({ name: 'tool', ...classifier }));
    expect(ctx.tools.executionMode({ name: 'tool', arguments: {} })).toBe(expected);
    await flush();
  });

  it('says exclusive for unknown and hidden tools and for arguments that do not fit [F224]', () => {
    const { ctx } = setup();
    const parameters = { type: 'object', properties: { n: { type: 'integer' } } };
    ctx.tools.register(aTool({ name: 'tool', parameters, isConcurrencySafe: () => true }));
    const agent = ctx.scope('agent');
    agent.tools.restrict({ deny: ['tool'] });
    expect(ctx.tools.executionMode({ name: 'tool', arguments: { n: 1 } })).toBe('parallel');
    expect(ctx.tools.executionMode({ name: 'tool', arguments: { n: 'x' } })).toBe('exclusive');
    expect(ctx.tools.executionMode({ name: 'nosuch' })).toBe('exclusive');
    expect(agent.tools.executionMode({ name: 'tool', arguments: { n: 1 } })).toBe('exclusive');
  });

  it.each<[string, boolean | undefined, string]>([
    ['parallel without a classifier', undefined, 'parallel'],
    ['parallel with one that says true', true, 'parallel'],
    ['exclusive with one that says false', false, 'exclusive'],
  ])('makes a tool with locks %s', (_what, isSafe, expected) => {
    const { ctx } = setup();
    const classifier = isSafe === undefined ? {} : { isConcurrencySafe: () => isSafe };
    ctx.tools.register(aTool({ name: 'tool', locks: () => ({ write: ['k'] }), ...classifier }));
    expect(ctx.tools.executionMode({ name: 'tool', arguments: {} })).toBe(expected);
  });

  it('shows the classifier a frozen snapshot of its own arguments and nothing else, and never shows it to the model [F225] [F226] [W14]', async () => {
    const { ctx } = setup();
    const seen: unknown[][] = [];
    ctx.tools.register(aTool({
      name: 'tool',
      isConcurrencySafe(...args: unknown[]) {
        seen.push(args);
        (args[0] as { n: number }).n = 2;
        return true;
      },
    }));
    const mine = { n: 1, deep: { list: [1] } };
    // Writing to a frozen object throws, and a throw is no "safe".
    expect(ctx.tools.executionMode({ name: 'tool', arguments: mine })).toBe('exclusive');
    const [result] = await ctx.tools.executeAll([{ name: 'tool', arguments: mine }]);
    expect(result).toMatchObject({ isError: false, value: mine });
    for (const args of seen) {
      expect(args).toEqual([mine]);
      expect(args[0]).not.toBe(mine);
      expect(Object.isFrozen((args[0] as typeof mine).deep.list)).toBe(true);
    }
    expect(JSON.stringify(ctx.tools.schemas())).not.toContain('oncurrency');
  });

  it('keeps the definition as the receiver of its classifier', () => {
    const { ctx } = setup();
    ctx.tools.register({
      ...aTool({ name: 'tool' }),
      isConcurrencySafe(this: { name: string }) {
        return this.name === 'tool';
      },
    });
    expect(ctx.tools.executionMode({ name: 'tool', arguments: {} })).toBe('parallel');
  });
});

describe('any batch', () => {
  type Kind = 'safe' | 'alone' | 'locked' | 'denied' | 'unknown' | 'invalid' | 'policy-throws';
  interface Spec {
    readonly kind: Kind;
    readonly fails: boolean;
    readonly ms: number;
    readonly bodyTicks: number;
    readonly policyTicks: number;
    readonly lockTicks: number;
    readonly read: readonly string[];
    readonly write: readonly string[];
  }
  interface Observed {
    readonly results: ToolExecutionResult[];
    readonly told: string[];
    readonly policy: string[];
    readonly posted: string[];
    readonly published: string[];
    readonly mostAtOnce: number;
    /** Bodies that ran side by side and may not. */
    readonly faults: string[];
  }
  const few = fc.integer({ min: 0, max: 6 });
  const keys = fc.subarray(['a', 'b', 'c']);
  const specs = fc.array(
    fc.record<Spec>({
      kind: fc.constantFrom<Kind>('safe', 'safe', 'safe', 'locked', 'locked', 'alone', 'denied', 'unknown', 'invalid', 'policy-throws'),
      fails: fc.boolean(),
      ms: fc.constantFrom(0, 0, 1, 2, 5),
      bodyTicks: few,
      policyTicks: few,
      lockTicks: few,
      read: keys,
      write: keys,
    }),
    { maxLength: 14 },
  );

  const nothing: Spec = { kind: 'safe', fails: false, ms: 0, bodyTicks: 0, policyTicks: 0, lockTicks: 0, read: [], write: [] };

  /** Runs batch after batch in one context, and says what every observer saw of each. */
  function observer(): (batch: readonly Spec[], options: { maxParallel: number; signal?: AbortSignal }) => Promise<Observed> {
    useVirtualTime();
    const { ctx } = setup();
    const running = new Set<string>();
    let batch: readonly Spec[] = [];
    let seen: { told: string[]; policy: string[]; posted: string[]; published: string[]; faults: string[]; mostAtOnce: number };
    const specOf = (id: string): Spec => batch[Number(id)] ?? nothing;
    const clash = (a: Spec, b: Spec): boolean =>
      a.kind === 'alone' || b.kind === 'alone' ||
      (a.kind === 'locked' && b.kind === 'locked' &&
        (a.write.some((key) => b.write.includes(key) || b.read.includes(key)) || b.write.some((key) => a.read.includes(key))));
    const execute = async (_args: unknown, exec: { callId: string }): Promise<JsonValue> => {
      const spec = specOf(exec.callId);
      for (const other of running) if (clash(spec, specOf(other))) seen.faults.push(`${exec.callId} beside ${other}`);
      running.add(exec.callId);
      seen.mostAtOnce = Math.max(seen.mostAtOnce, running.size);
      try {
        await ticks(spec.bodyTicks);
        await sleep(spec.ms);
        await ticks(spec.bodyTicks);
        if (spec.fails) throw new Error('told to');
        return exec.callId;
      } finally {
        running.delete(exec.callId);
      }
    };
    const parameters = { type: 'object', properties: { i: { type: 'integer' } }, required: ['i'] };
    for (const name of ['safe', 'denied', 'policy-throws', 'invalid']) {
      ctx.tools.register(aTool({ name, parameters, execute, isConcurrencySafe: () => true }));
    }
    ctx.tools.register(aTool({ name: 'alone', parameters, execute }));
    ctx.tools.register(
      aTool({
        name: 'locked',
        parameters,
        execute,
        locks: async ({ i }: { i: number }) => {
          const { lockTicks, read, write } = batch[i]!;
          await ticks(lockTicks);
          return { read, write };
        },
      }),
    );
    ctx.on('tools/pre-execute', async (exec, next) => {
      seen.policy.push(exec.callId);
      await ticks(specOf(exec.callId).policyTicks);
      if (exec.name === 'denied') return { kind: 'deny', reason: 'no' };
      if (exec.name === 'policy-throws') throw new Error('policy');
      return next();
    });
    ctx.on('tools/post-execute', async (exec, _result, next) => {
      seen.posted.push(exec.callId);
      await ticks(specOf(exec.callId).policyTicks);
      return next();
    });
    ctx.on('tools/result', (exec) => { seen.published.push(exec.callId); });
    ctx.tools.register(aTool({ name: 'all', locks: () => { throw new Error('everything'); }, execute: () => 'free' }));

    return async (specs, options) => {
      batch = specs;
      seen = { told: [], policy: [], posted: [], published: [], faults: [], mostAtOnce: 0 };
      const inputs = batch.map((spec, i) => ({ name: spec.kind, callId: String(i), arguments: { i: spec.kind === 'invalid' ? 'x' : i } }));
      const results = await settle(ctx.tools.executeAll(inputs, { ...options, onResult: (result) => seen.told.push(result.callId) }));
      const observed = { ...seen, results };
      expect(running.size).toBe(0);
      // Nothing holds a lock any more: a call that needs everything gets it.
      seen = { told: [], policy: [], posted: [], published: [], faults: [], mostAtOnce: 0 };
      expect(await settle(ctx.tools.execute({ name: 'all', callId: 'probe' }))).toMatchObject({ value: 'free' });
      return observed;
    };
  }

  const expected: Record<Kind, (spec: Spec) => string> = {
    safe: (spec) => (spec.fails ? 'TOOL_FAILED' : 'ok'),
    alone: (spec) => (spec.fails ? 'TOOL_FAILED' : 'ok'),
    locked: (spec) => (spec.fails ? 'TOOL_FAILED' : 'ok'),
    denied: () => 'DENIED',
    unknown: () => 'UNKNOWN_TOOL',
    invalid: () => 'INVALID_ARGS',
    'policy-throws': () => 'PIPELINE_FAILED',
  };

  it('gives one result per call in call order, within its bounds, policy and results in order, and leaves no lock behind', async () => {
    const observe = observer();
    await fc.assert(
      fc.asyncProperty(specs, fc.integer({ min: 1, max: 4 }), async (batch, maxParallel) => {
        const { results, told, policy, posted, published, mostAtOnce, faults } = await observe(batch, { maxParallel });
        const ids = batch.map((_spec, i) => String(i));
        expect(idsOf(results)).toEqual(ids);
        expect(results.map(codeOf)).toEqual(batch.map((spec) => expected[spec.kind](spec)));
        expect(told).toEqual(ids);
        expect(published).toEqual(ids);
        expect(policy).toEqual(ids.filter((_id, i) => !['unknown', 'invalid'].includes(batch[i]!.kind)));
        expect(posted).toEqual(ids.filter((_id, i) => batch[i]!.kind !== 'policy-throws'));
        expect(mostAtOnce).toBeLessThanOrEqual(maxParallel);
        expect(faults).toEqual([]);
      }),
      { numRuns: 150 },
    );
  }, 30_000);

  it('gives one result per call in call order when it is aborted at any moment, and publishes exactly those that entered', async () => {
    const observe = observer();
    await fc.assert(
      fc.asyncProperty(specs, fc.integer({ min: 1, max: 4 }), fc.constantFrom(0, 1, 2, 3, 5, 8), few, async (batch, maxParallel, ms, after) => {
        const controller = new AbortController();
        void sleep(ms).then(() => ticks(after)).then(() => { controller.abort(); });
        const { results, told, published, faults } = await observe(batch, { maxParallel, signal: controller.signal });
        const ids = batch.map((_spec, i) => String(i));
        expect(idsOf(results)).toEqual(ids);
        expect(told).toEqual(ids);
        // Those that entered are the first ones; whatever was not started has no events.
        expect(published).toEqual(ids.slice(0, published.length));
        for (const result of results.slice(published.length)) expect(codeOf(result)).toBe('ABORTED_BEFORE_DISPATCH');
        expect(faults).toEqual([]);
      }),
      { numRuns: 150 },
    );
  }, 30_000);
});
