import { aCall, aGate, aTool, recordHooks } from '@sluice/testing';
import { describe, expect, it, vi } from 'vitest';
import type { AdditionalContext, Context, ToolDefinition, ToolExecutionResult, ToolRun } from '../src/index.ts';
import { ToolError } from '../src/index.ts';
import { hostileThrows, hostileValues } from './hostile.ts';
import { aWatchedSignal } from './signals.ts';
import { codeOf, linesOf, setup, textOf } from './support.ts';

type Next = (patch?: { signal?: AbortSignal }) => Promise<ToolExecutionResult>;
type Body = (args: Readonly<Record<string, unknown>>, exec: ToolRun) => unknown;

/** A bed with the tool `echo` and a list of what ran. */
function aPipeline(execute: Body = () => 'done', overrides: Partial<Omit<ToolDefinition, 'execute'>> = {}) {
  const bed = setup();
  const ran: string[] = [];
  bed.ctx.tools.register(
    aTool({
      output: { schema: {}, render: (_args, value) => [{ type: 'text', text: `rendered ${JSON.stringify(value)}` }] },
      ...overrides,
      execute: (args, exec) => {
        ran.push('body');
        return execute(args, exec);
      },
    }),
  );
  bed.ctx.on('tools/post-execute', (_exec, _result, next) => {
    ran.push('post');
    return next();
  });
  return { ...bed, ran };
}

function wrap(ctx: Context, wrapper: (next: Next, exec: Parameters<Parameters<typeof ctx.on<'tools/execute'>>[1]>[0]) => unknown): void {
  ctx.plugin({ name: 'wrapper', apply: (own) => { own.on('tools/execute', ((exec: never, next: Next) => wrapper(next, exec)) as never); } });
}

const note = (source: string): AdditionalContext => ({ source, content: [{ type: 'text', text: source }] });
const success = (value: unknown, more: object = {}): ToolExecutionResult => ({ isError: false, callId: 'x', name: 'x', value, content: [], ...more }) as ToolExecutionResult;
const failure = (code: string, more: object = {}): ToolExecutionResult =>
  ({ isError: true, callId: 'x', name: 'x', error: { message: `failed with ${code}`, info: { name: 'Mine', code, started: false } }, content: [{ type: 'text', text: 'my own words' }], ...more });

describe('what a wrapper sees', () => {
  it('is a result, also of a body that threw: never a rejection [F130]', async () => {
    const { ctx } = aPipeline(() => { throw new Error('disk full'); });
    const seen: ToolExecutionResult[] = [];
    wrap(ctx, async (next) => {
      const result = await next();
      seen.push(result);
      return result;
    });
    const result = await ctx.tools.execute(aCall());
    expect(seen).toEqual([result]);
    expect(seen[0]).toMatchObject({ isError: true, error: { message: 'disk full', info: { code: 'TOOL_FAILED', started: true } } });
  });

  it('is the failure of a tool that went away before dispatch [F130]', async () => {
    const { ctx, ran } = setupWithDisposer();
    const seen: string[] = [];
    wrap(ctx, async (next) => {
      const result = await next();
      seen.push(codeOf(result));
      return result;
    });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('UNKNOWN_TOOL');
    expect(seen).toEqual(['UNKNOWN_TOOL']);
    expect(ran).toEqual(['post']);

    function setupWithDisposer() {
      const bed = setup();
      const list: string[] = [];
      const off = bed.ctx.tools.register(aTool({ execute: () => list.push('body') }));
      bed.ctx.on('tools/pre-execute', (_exec, inner) => {
        off();
        return inner();
      });
      bed.ctx.on('tools/post-execute', (_exec, _result, inner) => {
        list.push('post');
        return inner();
      });
      return { ...bed, ran: list };
    }
  });

  it('and what every later stage sees is frozen through and through, failures and contexts included [F143] [F144] [W9]', async () => {
    for (const execute of [
      (_args: unknown, exec: ToolRun) => { exec.deferContext(note('body')); return { rows: [{ a: 1 }] }; },
      (_args: unknown, exec: ToolRun) => { exec.deferContext(note('body')); throw new ToolError('no', { content: [{ type: 'text', text: 'no' }] }); },
    ]) {
      const { ctx } = aPipeline(execute);
      const seen: unknown[] = [];
      wrap(ctx, async (next) => {
        const result = await next();
        seen.push(result);
        return result;
      });
      ctx.on('tools/post-execute', (_exec, result, next) => {
        seen.push(result);
        return next();
      });
      ctx.on('tools/result', (_exec, result) => { seen.push(result); });
      seen.push(await ctx.tools.execute(aCall()));
      expect(seen).toHaveLength(4);
      for (const each of seen) {
        expect((each as ToolExecutionResult).additionalContexts).toHaveLength(1);
        expectDeepFrozen(each);
      }
    }
  });

  it('never includes a call that was denied [F131]', async () => {
    const { ctx, ran } = aPipeline();
    wrap(ctx, (next) => {
      ran.push('wrapper');
      return next();
    });
    ctx.tools.guard(() => 'no');
    await ctx.tools.execute(aCall());
    expect(ran).toEqual(['post']);
  });

  it('lies between the guards and post-execute, one wrapper inside the other [F131]', async () => {
    const { ctx, ran } = aPipeline();
    ctx.tools.guard(() => {
      ran.push('guard');
      return undefined;
    });
    for (const name of ['outer', 'inner']) {
      wrap(ctx, async (next) => {
        ran.push(`${name}>`);
        const result = await next();
        ran.push(`<${name}`);
        return result;
      });
    }
    await ctx.tools.execute(aCall());
    expect(ran).toEqual(['guard', 'outer>', 'inner>', 'body', '<inner', '<outer', 'post']);
  });
});

function expectDeepFrozen(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  expect(Object.isFrozen(value)).toBe(true);
  for (const member of Object.values(value)) expectDeepFrozen(member);
}

describe('the signal of a body', () => {
  /** Waits for its signal, and says why it aborted. */
  const waiting: Body = (_args, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => { resolve(signal.reason); }, { once: true });
    });

  it('is exactly the caller\'s when no wrapper adds one, or adds that very one [F133]', async () => {
    const { signal } = new AbortController();
    const seen: AbortSignal[] = [];
    const { ctx } = aPipeline((_args, exec) => {
      seen.push(exec.signal);
      return null;
    });
    await ctx.tools.execute(aCall({ signal }));
    wrap(ctx, (next) => next({}));
    await ctx.tools.execute(aCall({ signal }));
    wrap(ctx, (next) => next({ signal }));
    await ctx.tools.execute(aCall({ signal }));
    expect(seen.every((each) => each === signal)).toBe(true);
    expect(seen).toHaveLength(3);
  });

  it('aborts with the first of the caller\'s and those that wrappers added, with that one\'s reason; an inner wrapper hears of them too, everyone else sees the caller\'s [F132] [F133] [F135]', async () => {
    for (const source of ['caller', 'outer', 'inner']) {
      const reasons: unknown[] = [];
      const { ctx } = aPipeline(async (args, exec) => {
        const reason = await waiting(args, exec);
        reasons.push(reason);
        return null;
      });
      const controllers: Record<string, AbortController> = { caller: new AbortController(), outer: new AbortController(), inner: new AbortController() };
      const seen: AbortSignal[] = [];
      const heard: unknown[] = [];
      for (const name of ['outer', 'inner']) {
        wrap(ctx, async (next, exec) => {
          if (name === 'inner') exec.signal.addEventListener('abort', () => { heard.push(exec.signal.reason); });
          seen.push(name === 'inner' ? controllers['caller']!.signal : exec.signal);
          const result = await next({ signal: controllers[name]!.signal });
          seen.push(name === 'inner' ? controllers['caller']!.signal : exec.signal);
          return result;
        });
      }
      ctx.on('tools/post-execute', (exec, _result, next) => {
        seen.push(exec.signal);
        return next();
      });
      ctx.on('tools/result', (exec) => { seen.push(exec.signal); });
      const running = ctx.tools.execute(aCall({ signal: controllers['caller']!.signal }));
      await vi.waitFor(() => { expect(seen).toHaveLength(2); });
      controllers[source]!.abort(`because of ${source}`);
      for (const each of Object.values(controllers)) each.abort('too late');
      await running;
      expect(reasons).toEqual([`because of ${source}`]);
      // Its own signal is inside of it: it hears of the two that are around it.
      expect(heard).toEqual([source === 'inner' ? 'too late' : `because of ${source}`]);
      expect(seen.every((each) => each === controllers['caller']!.signal)).toBe(true);
      expect(seen).toHaveLength(6);
    }
  });

  it('takes nothing else from the wrapper: neither other arguments nor a replaced exec reach the body [F132]', async () => {
    const got: unknown[] = [];
    const { ctx } = aPipeline((args, exec) => {
      got.push(args, exec.name);
      return null;
    });
    wrap(ctx, (next) => (next as (patch: unknown, more: unknown) => unknown)({ arguments: { evil: true }, name: 'other' }, { arguments: {} }));
    await ctx.tools.execute(aCall());
    expect(got).toEqual([{ message: 'hello' }, 'echo']);
  });

  it.each<[string, unknown]>([
    ['no signal', { signal: 5 }],
    ['a look-alike', { signal: { aborted: false, addEventListener() {} } }],
    ['null', null],
    ['a hostile proxy', new Proxy({}, { get: () => { throw new Error('trap'); } })],
  ])('cannot be patched with %s: the wrapper that tried fails, the body never runs [F132]', async (_what, patch) => {
    const { ctx, ran } = aPipeline();
    wrap(ctx, (next) => next(patch as never));
    expect(await ctx.tools.execute(aCall())).toMatchObject({ error: { info: { code: 'PIPELINE_FAILED', started: false, listener: 'wrapper' } } });
    expect(ran).toEqual([]);
  });

  it('leaves no listener on the caller\'s signal nor on a wrapper\'s when the body is done, however it ended [F134]', async () => {
    for (const execute of [() => 'done', () => { throw new Error('x'); }, (_args: unknown, exec: ToolRun) => { exec.signal.throwIfAborted(); return 'looked'; }] as Body[]) {
      const { ctx } = aPipeline(execute);
      const caller = aWatchedSignal();
      const added = aWatchedSignal();
      wrap(ctx, async (next) => {
        const result = await next({ signal: added.signal });
        expect(added.left).toBe(0);
        return result;
      });
      await ctx.tools.execute(aCall({ signal: caller.signal }));
      expect(caller.left).toBe(0);
      expect(added.left).toBe(0);
    }
  });

  it('that a body looks at for the first time after it has ended leaves no listener either, and is aborted if that happened [F134]', async () => {
    const runs: ToolRun[] = [];
    const { ctx } = aPipeline((_args, exec) => {
      runs.push(exec);
      return null;
    });
    const caller = aWatchedSignal();
    const added = aWatchedSignal();
    wrap(ctx, (next) => next({ signal: added.signal }));
    await ctx.tools.execute(aCall({ signal: caller.signal }));
    await ctx.tools.execute(aCall({ signal: caller.signal }));
    expect(runs[0]!.signal.aborted).toBe(false);
    expect([caller.left, added.left]).toEqual([0, 0]);
    caller.controller.abort('gone');
    expect(runs[1]!.signal).toMatchObject({ aborted: true, reason: 'gone' });
  });

  it('is not taken away after the body by a wrapper that forgets to restore something: there is nothing to restore [F135]', async () => {
    const { ctx } = aPipeline();
    const added = new AbortController();
    wrap(ctx, async (next) => {
      const result = await next({ signal: added.signal });
      added.abort();
      return result;
    });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
  });

  it('aborts for the caller and for a deadline, inside a timeout and a retry wrapper, with the reason; a caller\'s abort is not retried [H085]', async () => {
    vi.useFakeTimers();
    const reasons: unknown[] = [];
    const { ctx, ran } = aPipeline(async (args, exec) => {
      const reason = await waiting(args, exec);
      reasons.push(reason);
      throw reason;
    });
    // Retry outside, timeout inside: three attempts, each under a deadline of its own.
    wrap(ctx, async (next, exec) => {
      let result = await next();
      for (let attempt = 1; attempt < 3 && result.isError && !exec.signal.aborted; attempt += 1) result = await next();
      return result;
    });
    wrap(ctx, async (next) => {
      const deadline = new AbortController();
      const timer = setTimeout(() => { deadline.abort(new Error('deadline')); }, 5_000);
      const result = await next({ signal: deadline.signal });
      clearTimeout(timer);
      return deadline.signal.aborted ? failure('TOOL_TIMEOUT') : result;
    });
    const caller = aWatchedSignal();
    const reason = new Error('the user pressed stop');
    const first = ctx.tools.execute(aCall({ signal: caller.signal }));
    await vi.advanceTimersByTimeAsync(80);
    caller.controller.abort(reason);
    expect(await first).toMatchObject({ error: { info: { code: 'ABORTED', started: true } } });
    expect(reasons).toEqual([reason]);
    expect(ran).toEqual(['body', 'post']);
    expect(caller.left).toBe(0);

    reasons.length = 0;
    const second = ctx.tools.execute(aCall());
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await second).toMatchObject({ error: { info: { code: 'TOOL_TIMEOUT', started: true } } });
    expect(reasons).toEqual(Array(3).fill(new Error('deadline')));
  });

  it('reaches nested calls: a wrapper\'s deadline around the outer body aborts the inner one [H085]', async () => {
    const bed = setup();
    const { ctx } = bed;
    const deadline = new AbortController();
    let reason: unknown;
    ctx.tools.register(aTool({ name: 'inner', execute: async (args, exec) => { reason = await waiting(args, exec); return null; } }));
    ctx.tools.register(aTool({ name: 'outer', execute: async (_args, exec) => codeOf(await exec.execute({ name: 'inner' })) }));
    ctx.on('tools/execute', (exec, next) => (exec.name === 'outer' ? next({ signal: deadline.signal }) : next()));
    const caller = aWatchedSignal();
    const running = ctx.tools.execute({ name: 'outer', signal: caller.signal });
    await new Promise((resolve) => setImmediate(resolve));
    deadline.abort('deadline');
    await running;
    expect(reason).toBe('deadline');
    expect(caller.left).toBe(0);
  });
});

describe('a result that a wrapper makes', () => {
  it('skips the body when the wrapper does not call next(); its success is checked, frozen and rendered by the tool, its own content and meta are ignored [F136]', async () => {
    const { ctx, ran } = aPipeline(undefined, {
      output: { schema: { type: 'number' }, render: (_args, value) => [{ type: 'text', text: `rendered ${String(value)}` }], presentationMeta: () => ({ from: 'tool' }) },
    });
    wrap(ctx, () => success(41, { content: [{ type: 'text', text: 'mine' }], meta: { from: 'wrapper' }, concludesTurn: true, value: 41 }));
    expect(await ctx.tools.execute(aCall({ callId: 'c1' }))).toEqual({
      isError: false,
      callId: 'c1',
      name: 'echo',
      value: 41,
      content: [{ type: 'text', text: 'rendered 41' }],
      meta: { from: 'tool' },
    });
    expect(ran).toEqual(['post']);
  });

  it('with a value that the tool could not have given is INVALID_TOOL_OUTPUT [F136]', async () => {
    for (const value of ['text', NaN, undefined, () => 1]) {
      const { ctx } = aPipeline(undefined, { output: { schema: { type: 'number' }, render: () => [] } });
      wrap(ctx, () => success(value));
      expect(await ctx.tools.execute(aCall())).toMatchObject({ error: { info: { code: 'INVALID_TOOL_OUTPUT', started: false } } });
    }
  });

  it('as a failure keeps error, content, meta and contexts; whose call it is and whether the body ran is not its to say [F137] [F138]', async () => {
    const { ctx, ran } = aPipeline();
    wrap(ctx, () =>
      failure('CACHE_DOWN', {
        error: { message: 'cache down', hint: 'try later', info: { name: 'CacheError', code: 'CACHE_DOWN', started: true, causeCode: 'ECONNREFUSED', attempts: 3 } },
        meta: { shard: 7 },
        additionalContexts: [note('wrapper')],
      }),
    );
    expect(await ctx.tools.execute(aCall({ callId: 'c1' }))).toEqual({
      isError: true,
      callId: 'c1',
      name: 'echo',
      error: { message: 'cache down', hint: 'try later', info: { name: 'CacheError', code: 'CACHE_DOWN', started: false, causeCode: 'ECONNREFUSED', attempts: 3 } },
      content: [{ type: 'text', text: 'my own words' }],
      meta: { shard: 7 },
      additionalContexts: [note('wrapper')],
    });
    expect(ran).toEqual(['post']);
  });

  it('as a success keeps its contexts, and a turn conclusion is not its to ask for [F138] [F140]', async () => {
    const { ctx } = aPipeline();
    wrap(ctx, () => success(1, { additionalContexts: [note('wrapper')], concludesTurn: true }));
    const result = await ctx.tools.execute(aCall());
    expect(result.additionalContexts).toEqual([note('wrapper')]);
    expect(result).not.toHaveProperty('concludesTurn');
  });

  it('is trusted only if it is the very object that an attempt gave; a copy is checked and rendered anew and concludes no turn [F139] [F140]', async () => {
    let renders = 0;
    const { ctx } = aPipeline(
      (_args, exec) => {
        exec.concludeTurn();
        exec.deferContext(note('body'));
        exec.content([{ type: 'text', text: 'supplied' }]);
        return 1;
      },
      { output: { schema: {}, render: () => [{ type: 'text', text: `render ${String((renders += 1))}` }] } },
    );
    let copies = false;
    wrap(ctx, async (next) => {
      const result = await next();
      return copies ? { ...result } : result;
    });
    expect(await ctx.tools.execute(aCall())).toMatchObject({ concludesTurn: true, content: [{ text: 'supplied' }], additionalContexts: [note('body')] });
    expect(renders).toBe(0);
    copies = true;
    const copied = await ctx.tools.execute(aCall());
    expect(copied).toMatchObject({ content: [{ text: 'render 1' }], additionalContexts: [note('body')] });
    expect(copied).not.toHaveProperty('concludesTurn');
  });

  it('taken from a cache of another call is checked under the tool of this one, and gets its identity [F139]', async () => {
    const { ctx } = aPipeline(() => 'text');
    let cached: ToolExecutionResult | undefined;
    wrap(ctx, async (next) => (cached ??= await next()));
    await ctx.tools.execute(aCall({ callId: 'first' }));
    expect(await ctx.tools.execute(aCall({ callId: 'second' }))).toMatchObject({ callId: 'second', name: 'echo', value: 'text' });
    ctx.tools.register(aTool({ name: 'counts', output: { schema: { type: 'number' }, render: () => [] }, execute: () => 1 }));
    expect(codeOf(await ctx.tools.execute({ name: 'counts' }))).toBe('INVALID_TOOL_OUTPUT');
  });

  it('for a tool that was unregistered or replaced meanwhile is UNKNOWN_TOOL, never a success of the other one [F141]', async () => {
    for (const replaces of [false, true]) {
      const { ctx } = setup();
      const off = ctx.tools.register(aTool());
      wrap(ctx, () => {
        off();
        if (replaces) ctx.tools.register(aTool());
        return success(1);
      });
      expect(await ctx.tools.execute(aCall())).toMatchObject({ error: { info: { code: 'UNKNOWN_TOOL', started: false } } });
    }
  });

  it('may turn a failure into a success as long as the caller has not given up [F142]', async () => {
    const { ctx } = aPipeline(() => { throw new Error('x'); });
    const controller = new AbortController();
    let aborts = false;
    wrap(ctx, async (next) => {
      await next();
      if (aborts) controller.abort();
      return success('saved');
    });
    expect(await ctx.tools.execute(aCall({ signal: controller.signal }))).toMatchObject({ isError: false, value: 'saved' });
    aborts = true;
    expect(await ctx.tools.execute(aCall({ signal: controller.signal }))).toMatchObject({ error: { info: { code: 'ABORTED', started: true } } });
  });

  it('is passed through other wrappers without being checked twice, and as one object [F139]', async () => {
    let renders = 0;
    const { ctx } = aPipeline(undefined, { output: { schema: {}, render: () => [{ type: 'text', text: String((renders += 1)) }] } });
    const seen: unknown[] = [];
    wrap(ctx, async (next) => {
      const result = await next();
      seen.push(result);
      return result;
    });
    wrap(ctx, (next) => next());
    wrap(ctx, () => success(1));
    const result = await ctx.tools.execute(aCall());
    expect(seen).toEqual([result]);
    expect(renders).toBe(1);
  });

  it('cannot make a failure look like a success by copying its fields: failure stays failure through every stage [H069]', async () => {
    const { ctx } = aPipeline(() => { throw new ToolError('nope-51'); });
    const observed: boolean[] = [];
    wrap(ctx, async (next) => {
      const { content, isError, ...rest } = await next();
      return { ...rest, content, isError };
    });
    ctx.on('tools/post-execute', () => ({ kind: 'accept', content: [{ type: 'text', text: 'nope-51 (checked)' }] }));
    ctx.on('tools/result', (_exec, { isError }) => { observed.push(isError); });
    const result = await ctx.tools.execute(aCall());
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('nope-51');
    expect(observed).toEqual([true]);
  });
});

describe('a wrapper that fails', () => {
  it.each(hostileThrows())('by throwing %s is a final PIPELINE_FAILED naming its plugin; post-execute is skipped [F141]', async (_what, thrown) => {
    for (const wrapper of [() => { throw thrown; }, async () => { throw thrown; }]) {
      const { ctx, ran, log } = aPipeline();
      wrap(ctx, wrapper);
      const result = await ctx.tools.execute(aCall());
      expect(result).toMatchObject({ error: { info: { code: 'PIPELINE_FAILED', started: false, listener: 'wrapper' } } });
      expect(ran).toEqual([]);
      expect(linesOf(log, 'error')).toHaveLength(1);
    }
  });

  const noResult: [string, unknown][] = [
    ['undefined', undefined],
    ['text', 'done'],
    ['a success without isError', { value: 1, content: [] }],
    ['an isError that is no boolean', { isError: 0, value: 1 }],
    ['a failure without error', { isError: true, content: [] }],
    ['a failure without code', { isError: true, error: { message: 'x', info: {} } }],
    ['a failure with an empty code', { isError: true, error: { message: 'x', info: { name: 'X', code: '' } } }],
    ['a failure with content that is text', { isError: true, error: { message: 'x', info: { name: 'X', code: 'X' } }, content: 'x' }],
    ['a failure with a meta that is no JSON', { isError: true, error: { message: 'x', info: { name: 'X', code: 'X' } }, meta: () => 1 }],
    ['a success with malformed contexts', { isError: false, value: 1, additionalContexts: [{ content: [] }] }],
    ['a result whose contexts are a hostile proxy', { isError: false, value: 1, get additionalContexts() { throw new Error('no'); } }],
    ...hostileValues(),
  ];
  it.each(noResult)('by answering what is no result (%s) is the same, and never a success [F141]', async (_what, answer) => {
    for (const isAsync of [false, true]) {
      const { ctx, ran } = aPipeline();
      wrap(ctx, isAsync ? async () => answer : () => answer);
      expect(await ctx.tools.execute(aCall())).toMatchObject({ error: { info: { code: 'PIPELINE_FAILED', listener: 'wrapper' } } });
      expect(ran).toEqual([]);
    }
  });

  it('is named as the one that failed, whoever else passes its failure on [F141]', async () => {
    const { ctx } = aPipeline();
    wrap(ctx, (next) => next());
    ctx.plugin({ name: 'culprit', apply: (own) => { own.on('tools/execute', () => { throw new Error('x'); }); } });
    expect(await ctx.tools.execute(aCall())).toMatchObject({ error: { info: { listener: 'culprit' } } });
  });

  it('may be caught by a wrapper further out, which is then responsible [F141]', async () => {
    const { ctx } = aPipeline();
    wrap(ctx, (next) => next().catch(() => success('fallback')));
    ctx.plugin({ name: 'culprit', apply: (own) => { own.on('tools/execute', () => { throw new Error('x'); }); } });
    expect(await ctx.tools.execute(aCall())).toMatchObject({ isError: false, value: 'fallback' });
  });

  it('keeps the contexts that the body deferred, and says in the hint that the tool ran [W24]', async () => {
    const { ctx } = aPipeline((_args, exec) => {
      exec.deferContext(note('body'));
      return 1;
    });
    wrap(ctx, async (next) => {
      await next();
      throw new Error('after the fact');
    });
    const result = await ctx.tools.execute(aCall());
    expect(result).toMatchObject({
      error: { info: { code: 'PIPELINE_FAILED', started: true, listener: 'wrapper' }, hint: expect.stringMatching(/ran/i) },
      additionalContexts: [note('body')],
    });
    expect(textOf(result)).toMatch(/check/i);
  });

  it('keeps the contexts and the code of a failed body, whose failure says already that it ran [W24]', async () => {
    const { ctx } = aPipeline((_args, exec) => {
      exec.deferContext(note('body'));
      throw new ToolError('no', { code: 'FS_NOT_FOUND' });
    });
    wrap(ctx, async (next) => {
      await next();
      throw new Error('after the fact');
    });
    expect(await ctx.tools.execute(aCall())).toMatchObject({
      error: { info: { code: 'PIPELINE_FAILED', causeCode: 'FS_NOT_FOUND', started: true } },
      additionalContexts: [note('body')],
    });
  });

  it('keeps the contexts that inner wrappers added [W24]', async () => {
    const { ctx } = aPipeline((_args, exec) => {
      exec.deferContext(note('body'));
      return 1;
    });
    wrap(ctx, async (next) => {
      await next();
      throw new Error('after the fact');
    });
    wrap(ctx, async (next) => {
      const result = await next();
      return { ...result, additionalContexts: [...(result.additionalContexts ?? []), note('inner')] };
    });
    expect(await ctx.tools.execute(aCall())).toMatchObject({ additionalContexts: [note('body'), note('inner')] });
  });

  it('does not claim that the tool ran when it never did [W24]', async () => {
    const { ctx } = aPipeline();
    wrap(ctx, () => success('from a cache'));
    ctx.on('tools/post-execute', () => { throw new Error('x'); });
    const result = await ctx.tools.execute(aCall());
    expect(result).toMatchObject({ error: { info: { code: 'PIPELINE_FAILED', started: false } } });
    expect((result as { error: object }).error).not.toHaveProperty('hint');
  });

  it('in post-execute keeps the contexts so far and the code that it hides as well [W24]', async () => {
    const { ctx } = aPipeline((args, exec) => {
      exec.deferContext(note('body'));
      if (args['message'] === 'fail') throw new ToolError('no', { code: 'FS_NOT_FOUND' });
      return 1;
    });
    wrap(ctx, async (next) => {
      const result = await next();
      return result.isError ? result : { ...result, additionalContexts: [...(result.additionalContexts ?? []), note('wrapper')] };
    });
    ctx.on('tools/post-execute', () => { throw new Error('x'); });
    expect(await ctx.tools.execute(aCall())).toMatchObject({
      error: { info: { code: 'PIPELINE_FAILED', started: true }, hint: expect.stringMatching(/ran/i) },
      additionalContexts: [note('body'), note('wrapper')],
    });
    expect(await ctx.tools.execute(aCall({ arguments: { message: 'fail' } }))).toMatchObject({
      error: { info: { code: 'PIPELINE_FAILED', causeCode: 'FS_NOT_FOUND', started: true } },
      additionalContexts: [note('body')],
    });
  });
});

describe('next()', () => {
  it('runs the inner wrappers and the body anew every time, so that a retry keeps its deadlines [F145] [W3]', async () => {
    let attempts = 0;
    const { ctx, ran } = aPipeline(() => {
      attempts += 1;
      if (attempts < 3) throw new Error('flaky');
      return attempts;
    });
    wrap(ctx, async (next) => {
      let result = await next();
      while (result.isError) result = await next();
      return result;
    });
    for (const name of ['second', 'third']) {
      wrap(ctx, (next) => {
        ran.push(name);
        return next();
      });
    }
    expect(await ctx.tools.execute(aCall())).toMatchObject({ isError: false, value: 3 });
    const attempt = ['second', 'third', 'body'];
    expect(ran).toEqual([...attempt, ...attempt, ...attempt, 'post']);
  });

  it('takes up the chain that the call entered with, although a wrapper was unmounted between two attempts [F145] [W3]', async () => {
    const { ctx, ran } = aPipeline(() => { throw new Error('x'); });
    wrap(ctx, async (next) => {
      await next();
      void inner.dispose();
      return next();
    });
    const inner = ctx.plugin({
      name: 'inner',
      apply: (own) => {
        own.on('tools/execute', (_exec, next) => {
          ran.push('inner');
          return next();
        });
      },
    });
    await ctx.tools.execute(aCall());
    expect(ran).toEqual(['inner', 'body', 'inner', 'body', 'post']);
    await inner.dispose();
  });

  it('gives each attempt a state of its own: only contexts, conclusion and content of the attempt whose result is returned count [W4]', async () => {
    let attempts = 0;
    const { ctx } = aPipeline((_args, exec) => {
      attempts += 1;
      exec.deferContext(note(`attempt ${attempts}`));
      exec.content([{ type: 'text', text: `attempt ${attempts}` }]);
      if (attempts === 1) exec.concludeTurn();
      return attempts;
    });
    let returned = 1;
    wrap(ctx, async (next) => {
      const results = [await next(), await next()];
      return results[returned];
    });
    const second = await ctx.tools.execute(aCall());
    expect(second).toMatchObject({ value: 2, additionalContexts: [note('attempt 2')], content: [{ text: 'attempt 2' }] });
    expect(second).not.toHaveProperty('concludesTurn');
    attempts = 0;
    returned = 0;
    expect(await ctx.tools.execute(aCall())).toMatchObject({ value: 1, additionalContexts: [note('attempt 1')], content: [{ text: 'attempt 1' }], concludesTurn: true });
  });

  it('that finds the caller gone after an earlier attempt reports ABORTED and started, not "before dispatch" [F214] [W4]', async () => {
    const controller = new AbortController();
    const { ctx, ran } = aPipeline(() => {
      controller.abort();
      throw new Error('flaky');
    });
    wrap(ctx, async (next) => {
      await next();
      return next();
    });
    expect(await ctx.tools.execute(aCall({ signal: controller.signal }))).toMatchObject({ error: { info: { code: 'ABORTED', started: true } } });
    expect(ran).toEqual(['body', 'post']);
  });

  it('while an attempt still runs starts no second body, and does not pass an earlier success off as its result', async () => {
    const gate = aGate();
    let attempts = 0;
    const { ctx } = aPipeline(async () => {
      attempts += 1;
      if (attempts === 2) await gate.opened;
      return attempts;
    });
    wrap(ctx, async (next) => {
      await next();
      const second = next();
      const third = await next();
      expect(third).toMatchObject({ isError: true, error: { info: { code: 'TOOL_BUSY', started: true } } });
      gate.open();
      return second;
    });
    expect(await ctx.tools.execute(aCall())).toMatchObject({ value: 2 });
    expect(attempts).toBe(2);
  });

  it('is dropped without harm: a body that rejects then is no unhandled rejection, and the wrapper\'s answer stands', async () => {
    const gate = aGate();
    const { ctx } = aPipeline(async () => {
      await gate.opened;
      throw new Error('late');
    });
    wrap(ctx, (next) => {
      void next();
      return failure('IMPATIENT');
    });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('IMPATIENT');
    gate.open();
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('a signal that is none', () => {
  it.each<[string, () => unknown]>([
    ['was never constructed', () => Object.create(AbortSignal.prototype) as unknown],
    ['cannot be asked', () => ({ [Symbol.toStringTag]: 'AbortSignal', addEventListener() {}, removeEventListener() {}, get aborted(): never { throw new Error('no'); } })],
    ['passes for a lazy one and cannot be asked', () => ({ [Symbol.for('sluice.lazy-abort-controller')]: true, get aborted(): never { throw new Error('no'); } })],
  ])('is put down to the wrapper that adds it, also when that passes the result on: it %s', async (_what, make) => {
    const { ctx, ran } = aPipeline();
    ctx.plugin({ name: 'careless', apply: (inner) => void inner.on('tools/execute', (_exec, next) => next({ signal: make() as AbortSignal })) });
    expect(await ctx.tools.execute(aCall())).toMatchObject({ error: { info: { code: 'PIPELINE_FAILED', listener: 'careless', started: false } } });
    expect(ran).toEqual([]);
  });
});

describe('a body that gives up because it was told to', () => {
  it.each<[string, (signal: AbortSignal) => unknown]>([
    ['the reason of its signal', (signal) => signal.reason as unknown],
    ['a DOMException named AbortError', () => new DOMException('aborted', 'AbortError')],
    ['any error named AbortError', () => Object.assign(new Error('request aborted'), { name: 'AbortError' })],
  ])('by throwing %s under an aborted signal is ABORTED, and keeps its contexts [W5]', async (_what, thrown) => {
    const controller = new AbortController();
    const { ctx } = aPipeline((_args, exec) => {
      exec.deferContext(note('body'));
      controller.abort(new Error('stop'));
      throw thrown(exec.signal);
    });
    const result = await ctx.tools.execute(aCall({ signal: controller.signal }));
    expect(result).toMatchObject({ error: { info: { name: 'AbortError', code: 'ABORTED', started: true } }, additionalContexts: [note('body')] });
  });

  it('is a failed tool when nobody had told it to [W5]', async () => {
    const { ctx } = aPipeline(() => { throw new DOMException('aborted', 'AbortError'); });
    expect(codeOf(await ctx.tools.execute(aCall({ signal: new AbortController().signal })))).toBe('TOOL_FAILED');
  });

  it('is a failed tool when it gives up for a reason of its own [W5]', async () => {
    const controller = new AbortController();
    const { ctx } = aPipeline(() => {
      controller.abort();
      throw new ToolError('disk full', { code: 'ENOSPC' });
    });
    expect(codeOf(await ctx.tools.execute(aCall({ signal: controller.signal })))).toBe('ENOSPC');
  });
});

describe('a deadline', () => {
  it('is nothing that core enforces: timeoutMs is there for a plugin to read [F146]', async () => {
    vi.useFakeTimers();
    const gate = aGate();
    const { ctx } = aPipeline(() => gate.opened.then(() => 'at last'), { timeoutMs: 5 });
    const seen: unknown[] = [];
    ctx.on('tools/call', (exec) => { seen.push(exec.tool); });
    const running = ctx.tools.execute(aCall());
    await vi.advanceTimersByTimeAsync(3_600_000);
    gate.open();
    expect(await running).toMatchObject({ value: 'at last' });
    expect(seen).toEqual([{ timeoutMs: 5 }]);
  });
});

describe('an observer of results', () => {
  it('that throws, rejects or tries to change things changes nothing: the others run, the caller gets the outcome once, the failure is logged apart [H145] [W10]', async () => {
    const { ctx, log } = aPipeline();
    let finalized = 0;
    ctx.tools.register(aTool({ name: 'finalizes', finalizeContent: () => { finalized += 1; return undefined; } }));
    const others: ToolExecutionResult[] = [];
    ctx.on('tools/result', () => { throw new Error('observer down'); });
    ctx.on('tools/result', (async () => { throw new Error('async observer down'); }) as never);
    ctx.on('tools/result', (_exec, result) => {
      (result as { isError: boolean }).isError = true;
    });
    ctx.on('tools/result', (_exec, result) => { others.push(result); });
    const recorder = recordHooks(ctx);
    const result = await ctx.tools.execute({ name: 'finalizes' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(result.isError).toBe(false);
    expect(others).toEqual([result]);
    expect(finalized).toBe(1);
    expect(recorder.results()).toHaveLength(1);
    expect(linesOf(log, 'error')).toHaveLength(3);
  });

  it.each(['tools/call', 'tools/hold', 'tools/progress'] as const)('of %s is contained as well [W10]', async (hook) => {
    const { ctx } = aPipeline((_args, exec) => {
      exec.progress({ message: 'half way' });
      return 1;
    });
    ctx.on('tools/pre-execute', () => ({ kind: 'ask' }));
    ctx.provide('approval', { request: async () => ({ kind: 'allowed-once' }) });
    let called = 0;
    ctx.on(hook, () => {
      called += 1;
      throw new Error('observer down');
    });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
    expect(called).toBeGreaterThan(0);
  });
});
