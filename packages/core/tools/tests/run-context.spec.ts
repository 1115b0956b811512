import { getEventListeners } from 'node:events';
import { aGate, aTool, recordHooks } from '@sluice/testing';
import { describe, expect, it } from 'vitest';
import type { AdditionalContext, Context, ToolCallInput, ToolExecution, ToolExecutionResult, ToolProgress, ToolRun } from '../src/index.ts';
import { throwingProxy } from './hostile.ts';
import { codeOf, linesOf, setup, textOf } from './support.ts';
import { flush, settle, sleep, useVirtualTime } from './virtual-time.ts';

const context = (source: string): AdditionalContext => ({ source, content: [{ type: 'text', text: `from ${source}` }] });

type Body = (args: unknown, exec: ToolRun) => unknown;

/** Calls a tool with this body once. */
function run(ctx: Context, execute: Body, call: Partial<ToolCallInput> = {}): Promise<ToolExecutionResult> {
  ctx.tools.register(aTool({ name: 'tool', execute }));
  return ctx.tools.execute({ name: 'tool', callId: 'c1', ...call });
}

function sourcesOf(result: ToolExecutionResult): string[] {
  return (result.additionalContexts ?? []).map(({ source }) => source);
}

describe('deferContext', () => {
  it('adds contexts to the result of its own call, each with what it came with, in order [F215] [F216]', async () => {
    const { ctx } = setup();
    const mine = { ...context('second'), meta: { ttl: 1 } };
    const result = await run(ctx, (_args, exec) => {
      exec.deferContext(context('first'));
      exec.deferContext(mine);
      exec.deferContext(context('first'));
      return null;
    });
    expect(result.additionalContexts).toEqual([context('first'), mine, context('first')]);
    expect(result.additionalContexts![1]).not.toBe(mine);
    for (const part of [result.additionalContexts, result.additionalContexts![1], result.additionalContexts![1]!.meta]) expect(Object.isFrozen(part)).toBe(true);
    // Never what the model reads as the result.
    expect(textOf(result)).toBe('null');
  });

  it.each<[string, string, Body, ((ctx: Context, controller: AbortController) => void) | undefined]>([
    ['a body that throws', 'TOOL_FAILED', () => { throw new Error('x'); }, undefined],
    ['an invalid value', 'INVALID_TOOL_OUTPUT', () => undefined, undefined],
    ['a wrapper that throws', 'PIPELINE_FAILED', () => null, (ctx) => ctx.on('tools/execute', async (_exec, next) => { await next(); throw new Error('x'); })],
    ['a post-execute listener that throws', 'PIPELINE_FAILED', () => null, (ctx) => ctx.on('tools/post-execute', () => { throw new Error('x'); })],
    ['a cancellation while the body runs', 'ABORTED', () => null, (ctx, controller) => ctx.on('tools/execute', (_exec, next) => { const running = next(); controller.abort(); return running; })],
    ['a cancellation after it', 'ABORTED', () => null, (ctx, controller) => ctx.on('tools/post-execute', (_exec, _result, next) => { controller.abort(); return next(); })],
  ])('survives %s [F215] [W24]', async (_what, code, body, mount) => {
    const { ctx } = setup();
    const controller = new AbortController();
    mount?.(ctx, controller);
    const result = await run(ctx, (args, exec) => {
      exec.deferContext(context('body'));
      return body(args, exec);
    }, { signal: controller.signal });
    expect(codeOf(result)).toBe(code);
    expect(sourcesOf(result)).toEqual(['body']);
  });

  it('does not survive a block [F215]', async () => {
    const { ctx } = setup();
    ctx.on('tools/post-execute', () => ({ kind: 'block', feedback: [] }));
    expect(sourcesOf(await run(ctx, (_args, exec) => { exec.deferContext(context('body')); return null; }))).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined], ['text', 'remember this'], ['no source', { content: [] }], ['an empty source', { source: '', content: [] }],
    ['no content', { source: 's' }], ['content that is no blocks', { source: 's', content: 'text' }], ['meta that is no JSON', { source: 's', content: [], meta: new Date() }],
    ['something unreadable', throwingProxy()],
  ])('throws a TypeError into the body for %s, which fails only if the body lets it', async (_what, malformed) => {
    const { ctx } = setup();
    const caught = await run(ctx, (_args, exec) => {
      expect(() => { exec.deferContext(malformed as AdditionalContext); }).toThrow(TypeError);
      exec.deferContext(context('good'));
      return null;
    });
    expect(codeOf(caught)).toBe('ok');
    expect(sourcesOf(caught)).toEqual(['good']);
    ctx.tools.register(aTool({ name: 'careless', execute: (_args, exec) => { exec.deferContext(malformed as AdditionalContext); return null; } }));
    expect(await ctx.tools.execute({ name: 'careless' })).toMatchObject({ error: { info: { name: 'TypeError', code: 'TOOL_FAILED' } } });
  });

  it('does nothing but a debug line once the body has ended [F217]', async () => {
    const { ctx, log } = setup();
    let kept!: ToolRun;
    const late = aGate();
    ctx.on('tools/post-execute', async (_exec, _result, next) => {
      kept.deferContext(context('late'));
      kept.concludeTurn();
      late.open();
      return next();
    });
    const result = await run(ctx, (_args, exec) => {
      kept = exec;
      return null;
    });
    await late.opened;
    expect(sourcesOf(result)).toEqual([]);
    expect(result).not.toHaveProperty('concludesTurn');
    expect(() => { kept.deferContext('malformed' as never); }).not.toThrow();
    expect(linesOf(log, 'debug').filter((line) => line.includes('"c1"'))).toHaveLength(3);
  });
});

describe('concludeTurn', () => {
  it('marks a success, and survives new content and a new value [F219]', async () => {
    for (const decision of [{ kind: 'accept' }, { kind: 'accept', content: [] }, { kind: 'accept', value: 2 }] as const) {
      const { ctx } = setup();
      ctx.on('tools/post-execute', () => decision);
      expect(await run(ctx, (_args, exec) => { exec.concludeTurn(); return 1; })).toHaveProperty('concludesTurn', true);
    }
  });

  it.each<[string, Body, ((ctx: Context) => void) | undefined]>([
    ['a body that throws', () => { throw new Error('x'); }, undefined],
    ['an invalid value', () => undefined, undefined],
    ['a block', () => null, (ctx) => ctx.on('tools/post-execute', () => ({ kind: 'block', feedback: [] }))],
    ['a value of policy that is wrong', () => null, (ctx) => ctx.on('tools/post-execute', () => ({ kind: 'accept', value: undefined }))],
    ['a policy that fails', () => null, (ctx) => ctx.on('tools/post-execute', () => { throw new Error('x'); })],
  ])('goes with the success: not with %s [F219]', async (_what, body, mount) => {
    const { ctx } = setup();
    mount?.(ctx);
    const result = await run(ctx, (args, exec) => {
      exec.concludeTurn();
      return body(args, exec);
    });
    expect(result.isError).toBe(true);
    expect(result).not.toHaveProperty('concludesTurn');
  });

  it('and a deferred context do not get in each other’s way: the result says both, and whoever runs the turn decides [F223] [W7]', async () => {
    const { ctx } = setup();
    const result = await run(ctx, (_args, exec) => {
      exec.concludeTurn();
      exec.deferContext(context('body'));
      return null;
    });
    expect(result).toMatchObject({ concludesTurn: true, additionalContexts: [context('body')] });
  });

  it('ends no batch: siblings still run, and each result says for itself [F222]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ name: 'last', execute: (_args, exec) => { exec.concludeTurn(); return null; } }));
    ctx.tools.register(aTool());
    const results = await ctx.tools.executeAll([{ name: 'last' }, { name: 'echo' }]);
    expect(results.map(codeOf)).toEqual(['ok', 'ok']);
    expect(results.map((result) => 'concludesTurn' in result)).toEqual([true, false]);
  });

  it('is not a wrapper’s to say', async () => {
    const { ctx } = setup();
    ctx.on('tools/execute', async (_exec, next) => ({ ...(await next()), concludesTurn: true }) as ToolExecutionResult);
    expect(await run(ctx, () => 1)).not.toHaveProperty('concludesTurn');
  });
});

describe('what a body says', () => {
  it('works detached, through a copy, and under another receiver [F221] [W6]', async () => {
    const { ctx } = setup();
    const recorder = recordHooks(ctx);
    ctx.tools.register(aTool());
    const result = await run(ctx, async (_args, exec) => {
      const { deferContext, concludeTurn, progress, content, execute, executeAll } = exec;
      deferContext(context('detached'));
      const copy = { ...exec };
      copy.deferContext(context('copy'));
      concludeTurn.call(undefined);
      progress.call({} as never, { message: 'p' });
      content.apply(null, [[{ type: 'text', text: 'c' }]]);
      return [await execute({ name: 'echo' }), ...(await executeAll.call(null, [{ name: 'echo' }]))].map(codeOf);
    });
    expect(result).toMatchObject({ isError: false, value: ['ok', 'ok'], content: [{ text: 'c' }], concludesTurn: true });
    expect(sourcesOf(result)).toEqual(['detached', 'copy']);
    expect(recorder.events.filter(({ hook }) => hook === 'tools/progress')).toHaveLength(1);
  });

  it('belongs to its attempt: only that of the attempt whose result is returned counts [F218] [F221] [W4]', async () => {
    for (const [pick, expected] of [[0, 'attempt 0'], [1, 'attempt 1']] as const) {
      const { ctx } = setup();
      ctx.on('tools/execute', async (_exec, next) => {
        const results = [await next(), await next()];
        return results[pick]!;
      });
      let attempts = 0;
      const result = await run(ctx, (_args, exec) => {
        const attempt = attempts;
        attempts += 1;
        exec.deferContext(context(`attempt ${attempt}`));
        if (attempt === 0) exec.concludeTurn();
        exec.content([{ type: 'text', text: `attempt ${attempt}` }]);
        return attempt;
      });
      expect(result).toMatchObject({ value: pick, content: [{ text: expected }] });
      expect(sourcesOf(result)).toEqual([expected]);
      expect('concludesTurn' in result).toBe(pick === 0);
    }
  });

  it('in a failed attempt does not leak into the one that succeeds [F218] [F221] [W4]', async () => {
    const { ctx } = setup();
    ctx.on('tools/execute', async (_exec, next) => {
      const first = await next();
      return first.isError ? next() : first;
    });
    let attempts = 0;
    const result = await run(ctx, (_args, exec) => {
      attempts += 1;
      if (attempts === 1) {
        exec.deferContext(context('failed'));
        exec.concludeTurn();
        exec.content([{ type: 'text', text: 'failed' }]);
        throw new Error('try again');
      }
      return 'second';
    });
    expect(result).toEqual({ isError: false, callId: 'c1', name: 'tool', value: 'second', content: [{ type: 'text', text: '"second"' }] });
  });

  it('has no part in a result that a wrapper makes itself', async () => {
    const { ctx } = setup();
    ctx.on('tools/execute', async (_exec, next) => {
      await next();
      return { isError: false, value: 'cached' } as never;
    });
    const result = await run(ctx, (_args, exec) => {
      exec.deferContext(context('body'));
      exec.concludeTurn();
      exec.content([{ type: 'text', text: 'body' }]);
      return 'fresh';
    });
    expect(result).toEqual({ isError: false, callId: 'c1', name: 'tool', value: 'cached', content: [{ type: 'text', text: '"cached"' }] });
  });
});

describe('progress', () => {
  it('is told as tools/progress, frozen, with its call, while the body runs, and never changes the result [W31]', async () => {
    const { ctx } = setup();
    const plain = await (ctx.tools.register(aTool()), ctx.tools.execute({ name: 'echo', callId: 'c1' }));
    const seen: [ToolExecution, ToolProgress][] = [];
    ctx.on('tools/progress', (exec, progress) => { seen.push([exec, progress]); });
    const steps: ToolProgress[] = [{ message: 'reading' }, { completed: 1, total: 2 }, { partial: { rows: [1] } }, { message: 'done', completed: 2, total: 2, partial: 'x' }, {}];
    const result = await run(ctx, (args, exec) => {
      for (const step of steps) exec.progress(step);
      expect(seen).toHaveLength(steps.length);
      return args;
    });
    expect(result).toEqual({ ...plain, name: 'tool' });
    expect(seen.map(([, progress]) => progress)).toEqual(steps);
    expect(seen[0]![0].callId).toBe('c1');
    expect(Object.isFrozen((seen[2]![1].partial as { rows: unknown }).rows)).toBe(true);
  });

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined], ['text', () => 'half way'], ['a list', () => [1]], ['a message that is no text', () => ({ message: 5 })],
    ['a count that is no number', () => ({ completed: '1' })], ['a count that is NaN', () => ({ completed: NaN })], ['a total that is null', () => ({ total: null })],
    ['a part that is no JSON', () => ({ partial: new Map() })], ['something unreadable', throwingProxy], ['a promise', async () => { throw new Error('forgotten'); }],
  ])('that is %s is dropped with a warning, and the body goes on', async (_what, make) => {
    const { ctx, log } = setup();
    const seen: unknown[] = [];
    ctx.on('tools/progress', (_exec, event) => { seen.push(event); });
    expect(codeOf(await run(ctx, (_args, exec) => { exec.progress(make() as ToolProgress); return null; }))).toBe('ok');
    await flush();
    expect(seen).toEqual([]);
    expect(linesOf(log, 'warn')).toHaveLength(1);
  });

  it('harms nobody when an observer throws', async () => {
    const { ctx } = setup();
    ctx.on('tools/progress', () => { throw new Error('observer'); });
    expect(codeOf(await run(ctx, (_args, exec) => { exec.progress({ message: 'm' }); return null; }))).toBe('ok');
  });
});

describe('a nested call', () => {
  it('goes through the whole pipeline, in the same scope, under the same root call [F220]', async () => {
    const { ctx } = setup();
    const recorder = recordHooks(ctx);
    const execs: ToolExecution[] = [];
    ctx.on('tools/call', (exec) => { execs.push(exec); });
    ctx.tools.register(aTool({ name: 'inner', execute: async (_args, exec) => codeOf(await exec.execute({ name: 'echo', callId: 'innermost' })) }));
    ctx.tools.register(aTool());
    const agent = ctx.scope('agent');
    agent.tools.register(aTool({ name: 'tool', execute: async (_args, exec) => codeOf(await exec.execute({ name: 'inner', callId: 'inner' })) }));
    await agent.tools.execute({ name: 'tool', callId: 'outer' });
    expect(execs.map(({ callId, parentCallId, rootCallId, scopePath }) => [callId, parentCallId, rootCallId, scopePath])).toEqual([
      ['outer', undefined, 'outer', ['agent']], ['inner', 'outer', 'outer', ['agent']], ['innermost', 'inner', 'outer', ['agent']],
    ]);
    expect(recorder.trace('innermost')).toEqual([
      'tools/call', 'tools/pre-execute:enter', 'tools/pre-execute:leave', 'tools/execute:enter', 'tools/execute:leave',
      'tools/post-execute:enter', 'tools/post-execute:leave', 'tools/result',
    ]);
  });

  it('meets policy like any other, and its denial is a result for the body', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    ctx.tools.guard((exec) => (exec.parentCallId === undefined ? undefined : 'not from inside'));
    expect(await run(ctx, async (_args, exec) => codeOf(await exec.execute({ name: 'echo' })))).toMatchObject({ value: 'DENIED' });
  });

  it('sees the restrictions and tools of the scope that the outer call was made in, not those of where the tool was registered', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    ctx.tools.register(aTool({ name: 'tool', execute: async (_args, exec) => [await exec.execute({ name: 'echo' }), await exec.execute({ name: 'own' })].map(codeOf) }));
    const agent = ctx.scope('agent');
    agent.tools.restrict({ deny: ['echo'] });
    agent.tools.register(aTool({ name: 'own' }));
    expect(await agent.tools.execute({ name: 'tool' })).toMatchObject({ value: ['UNKNOWN_TOOL', 'ok'] });
    expect(await ctx.tools.execute({ name: 'tool' })).toMatchObject({ value: ['ok', 'UNKNOWN_TOOL'] });
  });

  it('keeps its contexts and its conclusion for the body to pass on [F220]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ name: 'inner', execute: (_args, exec) => { exec.deferContext(context('inner')); exec.concludeTurn(); return null; } }));
    let nested!: ToolExecutionResult;
    const silent = await run(ctx, async (_args, exec) => {
      nested = await exec.execute({ name: 'inner' });
      return null;
    });
    expect(nested).toMatchObject({ concludesTurn: true, additionalContexts: [context('inner')] });
    expect(silent).not.toHaveProperty('concludesTurn');
    expect(silent).not.toHaveProperty('additionalContexts');
    ctx.tools.register(aTool({
      name: 'forwards',
      execute: async (_args, exec) => {
        const result = await exec.execute({ name: 'inner' });
        for (const each of result.additionalContexts ?? []) exec.deferContext(each);
        if (!result.isError && result.concludesTurn === true) exec.concludeTurn();
        return null;
      },
    }));
    expect(await ctx.tools.execute({ name: 'forwards' })).toMatchObject({ concludesTurn: true, additionalContexts: [context('inner')] });
  });

  it('is aborted with the outer one, and by a signal of its own alone', async () => {
    const { ctx } = setup();
    const controller = new AbortController();
    const own = new AbortController();
    const values: unknown[] = [];
    ctx.on('tools/result', (exec, result) => { values.push([exec.name, codeOf(result)]); });
    ctx.tools.register(aTool({
      name: 'inner',
      execute: async (_args, exec) => {
        await new Promise((resolve) => { exec.signal.addEventListener('abort', resolve); });
        return null;
      },
    }));
    const outer = run(ctx, async (_args, exec) => {
      const alone = exec.execute({ name: 'inner', signal: own.signal });
      await flush();
      own.abort();
      const results = [codeOf(await alone), exec.signal.aborted];
      const together = exec.execute({ name: 'inner', signal: new AbortController().signal });
      await flush();
      controller.abort();
      return [...results, codeOf(await together)];
    }, { signal: controller.signal });
    expect(codeOf(await outer)).toBe('ABORTED');
    expect(values).toEqual([['inner', 'ABORTED'], ['inner', 'ABORTED'], ['tool', 'ABORTED']]);
    for (const { signal } of [controller, own]) expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('is under the signal that a wrapper added to the outer one', async () => {
    const { ctx } = setup();
    const added = new AbortController();
    ctx.on('tools/execute', (exec, next) => (exec.parentCallId === undefined ? next({ signal: added.signal }) : next()));
    ctx.tools.register(aTool());
    let nested!: ToolExecutionResult;
    await run(ctx, async (_args, exec) => {
      added.abort();
      nested = await exec.execute({ name: 'echo' });
      return null;
    });
    expect(codeOf(nested)).toBe('ABORTED_BEFORE_DISPATCH');
  });

  it('is refused after the body has ended, and no hook hears of it', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    let kept!: ToolRun;
    await run(ctx, (_args, exec) => {
      kept = exec;
      return null;
    });
    const recorder = recordHooks(ctx);
    const refused = await kept.execute({ name: 'echo', callId: 'late' });
    expect(refused).toMatchObject({ isError: true, callId: 'late', name: 'echo', error: { message: expect.stringContaining('"c1"'), info: { name: 'AbortError', code: 'ABORTED_BEFORE_DISPATCH', started: false } } });
    expect(textOf(refused)).toMatch(/^Error: /);
    expect((await kept.executeAll([{ name: 'echo', callId: 'a' }, { name: 'nosuch', callId: 'b' }])).map((result) => [result.callId, codeOf(result)])).toEqual([
      ['a', 'ABORTED_BEFORE_DISPATCH'], ['b', 'ABORTED_BEFORE_DISPATCH'],
    ]);
    expect(await kept.executeAll([])).toEqual([]);
    expect(recorder.events).toEqual([]);
  });

  it('is refused to an attempt that has ended while the next one runs', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    ctx.on('tools/execute', async (exec, next) => {
      const first = await next();
      return exec.name === 'tool' ? next() : first;
    });
    const runs: ToolRun[] = [];
    const result = await run(ctx, async (_args, exec) => {
      runs.push(exec);
      return codeOf(await runs[0]!.execute({ name: 'echo' }));
    });
    expect(result).toMatchObject({ value: 'ABORTED_BEFORE_DISPATCH' });
  });

  it('that nobody awaited goes on to its end and is published once', async () => {
    useVirtualTime();
    const { ctx } = setup();
    ctx.tools.register(aTool({ name: 'inner', execute: async () => { await sleep(50); return 'done'; } }));
    const recorder = recordHooks(ctx);
    await settle(run(ctx, (_args, exec) => {
      void exec.execute({ name: 'inner', callId: 'inner' });
      return null;
    }));
    await settle(sleep(60));
    expect(recorder.trace('inner').filter((event) => event === 'tools/result')).toHaveLength(1);
  });

  it('rejects into the body for misuse, as execute does for a host', async () => {
    const { ctx } = setup();
    const result = await run(ctx, async (_args, exec) => {
      await expect(exec.execute({} as ToolCallInput)).rejects.toThrow(TypeError);
      await expect(exec.executeAll([{ name: 'tool' }], { maxParallel: 0 })).rejects.toThrow(RangeError);
      await expect(exec.executeAll([], { signal: {} as AbortSignal })).rejects.toThrow(TypeError);
      await expect(exec.executeAll({} as never)).rejects.toThrow(TypeError);
      return null;
    });
    expect(codeOf(result)).toBe('ok');
  });
});

describe('a nested batch', () => {
  it('is scheduled like any other: order, pool, barriers, onResult, and an aborted signal of its own', async () => {
    useVirtualTime();
    const { ctx } = setup();
    const trace: string[] = [];
    const execute: Body = async (args) => {
      const { tag, ms } = args as { tag: string; ms: number };
      trace.push(`+${tag}`);
      await sleep(ms);
      trace.push(`-${tag}`);
      return tag;
    };
    ctx.tools.register(aTool({ name: 'p', isConcurrencySafe: () => true, execute }));
    ctx.tools.register(aTool({ name: 'x', execute }));
    const step = (name: string, tag: string, ms: number): ToolCallInput => ({ name, callId: tag, arguments: { tag, ms } });
    const told: string[] = [];
    const result = await settle(run(ctx, async (_args, exec) => {
      const first = await exec.executeAll([step('p', 'a', 5), step('p', 'b', 2), step('x', 'c', 1)], { maxParallel: 2, onResult: ({ callId }) => told.push(callId) });
      const second = await exec.executeAll([step('p', 'd', 1)], { signal: AbortSignal.abort() });
      return [...first, ...second].map((each) => [each.callId, codeOf(each)]);
    }));
    expect(result).toMatchObject({ value: [['a', 'ok'], ['b', 'ok'], ['c', 'ok'], ['d', 'ABORTED_BEFORE_DISPATCH']] });
    expect(trace).toEqual(['+a', '+b', '-b', '-a', '+c', '-c']);
    expect(told).toEqual(['a', 'b', 'c']);
  });

  it('inherits root call and parent', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ name: 'inner', execute: (_args, exec) => [exec.rootCallId, exec.parentCallId ?? null] }));
    const result = await run(ctx, async (_args, exec) => (await exec.executeAll([{ name: 'inner' }])).map((each) => (each.isError ? null : each.value)));
    expect(result).toMatchObject({ value: [['c1', 'c1']] });
  });
});
