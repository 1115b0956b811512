import { aCall, aTool } from '@sluice/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ToolError, type AdditionalContext, type Context, type ToolExecutionResult } from '../src/index.ts';
import { aWatchedSignal } from './signals.ts';
import { codeOf, setup, textOf } from './support.ts';

/** Everything that runs foreign code during one call, in order. A person is always asked, so guards run twice. */
const STAGES = ['call', 'pre', 'guard', 'approval', 'guard again', 'locks', 'wrapper>', 'body', '<wrapper', 'post', 'finalize', 'result'] as const;
type Stage = (typeof STAGES)[number];

const BEHAVIOURS = ['passes', 'denies', 'throws', 'rejects', 'answers nonsense', 'hangs'] as const;
type Behaviour = (typeof BEHAVIOURS)[number];

/** When the caller gives up. `after` is when the next stage of the call begins, whichever that is. */
const ABORTS = ['never', 'before', 'during', 'after'] as const;
type Abort = (typeof ABORTS)[number];

interface Row {
  readonly stage: Stage;
  readonly behaviour: Behaviour;
  readonly abort: Abort;
}

/** These stages have no way to deny. */
const CANNOT_DENY: readonly Stage[] = ['call', 'locks', 'finalize', 'result'];
/** These are never given up on: observers and finalizers are not waited for at all, a body always is. */
const NO_WAITING: readonly Stage[] = ['call', 'body', 'finalize', 'result'];

const rows: Row[] = STAGES.flatMap((stage) =>
  BEHAVIOURS.flatMap((behaviour) =>
    ABORTS.filter((abort) => {
      if (behaviour === 'denies') return !CANNOT_DENY.includes(stage);
      if (behaviour === 'hangs') return !NO_WAITING.includes(stage) && abort === 'during';
      return true;
    }).map((abort) => ({ stage, behaviour, abort })),
  ),
);

interface Expected {
  readonly code: string;
  readonly started: boolean;
  readonly trace: readonly string[];
  /** The body gave a value that its tool may give. */
  readonly bodySucceeded: boolean;
}

/** The rules in words, walked through once; written without a look at the pipeline's own code. */
function expected({ stage, behaviour, abort }: Row, hasLocks = true): Expected {
  const trace: string[] = [];
  let hasGivenUp = abort === 'before';
  const gone = (): boolean => hasGivenUp;
  let isOver = false;
  let started = false;
  let bodySucceeded = false;
  let code = 'ok';

  const visit = (at: Stage): Behaviour => {
    if (abort === 'after' && isOver) hasGivenUp = true;
    trace.push(at);
    if (at !== stage || isOver) return 'passes';
    isOver = true;
    if (abort === 'during') hasGivenUp = true;
    return behaviour;
  };
  const cancelled = (): string => (started ? 'ABORTED' : 'ABORTED_BEFORE_DISPATCH');
  const finish = (post: 'post' | 'no post'): Expected => {
    if (post === 'post') {
      const said = visit('post');
      if (said === 'denies') code = 'BLOCKED';
      else if (said !== 'passes' && said !== 'hangs') code = 'PIPELINE_FAILED';
      // Cancellation replaces a success and nothing else.
      if (code === 'ok' && gone()) code = cancelled();
    }
    // A finalizer that fails may have been about to hide something; an observer changes nothing.
    if (visit('finalize') !== 'passes') code = 'INVALID_TOOL_OUTPUT';
    visit('result');
    return { code, started, trace, bodySucceeded };
  };
  const end = (how: string, post: 'post' | 'no post' = 'post'): Expected => {
    code = how;
    return finish(post);
  };

  visit('call');
  if (gone()) return end(cancelled(), 'no post');

  const denials: Partial<Record<Stage, string>> = { pre: 'DENIED', guard: 'DENIED', approval: 'APPROVAL_REJECTED', 'guard again': 'DENIED' };
  for (const at of ['pre', 'guard', 'approval', 'guard again'] as const) {
    // Nobody is asked in vain.
    if (at === 'approval' && gone()) return end(cancelled());
    const said = visit(at);
    if (said === 'denies') return end(denials[at]!);
    if (said === 'hangs') return end(cancelled());
    if (said !== 'passes') return end('PIPELINE_FAILED', 'no post');
  }
  if (gone()) return end(cancelled());

  // A tool that cannot say which locks it needs takes them all: nothing can go wrong here but the abort.
  if (hasLocks) visit('locks');
  if (gone()) return end(cancelled());

  const before = visit('wrapper>');
  if (before === 'denies') return end('WRAPPED');
  if (before === 'hangs') return end(cancelled());
  if (before !== 'passes') return end('PIPELINE_FAILED', 'no post');

  if (gone()) code = cancelled();
  else {
    started = true;
    const did = visit('body');
    bodySucceeded = did === 'passes';
    if (did === 'answers nonsense') code = 'INVALID_TOOL_OUTPUT';
    else if (did === 'denies') code = 'OWN_CODE';
    else if (did !== 'passes') code = 'TOOL_FAILED';
    else if (gone()) code = cancelled();
  }
  const after = visit('<wrapper');
  if (after === 'denies') code = 'WRAPPED';
  else if (after !== 'passes' && after !== 'hangs') return end('PIPELINE_FAILED', 'no post');
  if (code === 'ok' && gone()) code = cancelled();
  return finish('post');
}

const note = (source: string): AdditionalContext => ({ source, content: [{ type: 'text', text: source }] });
const WRAPPED = { isError: true, callId: '', name: '', error: { message: 'no', info: { name: 'Wrapped', code: 'WRAPPED', started: false } }, content: [] };
const GO = Symbol('go on');

/** One call through a context in which every stage notes that it ran, and one of them misbehaves. */
async function run({ stage, behaviour, abort }: Row, via: 'execute' | 'executeAll' | 'nested' = 'execute', mount?: (ctx: Context) => void) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { ctx, log } = setup();
  const caller = aWatchedSignal();
  const trace: string[] = [];
  const published: ToolExecutionResult[] = [];
  const release: (() => void)[] = [];
  let isOver = false;
  let guards = 0;

  const visit = (at: Stage, pass: unknown, denial?: unknown): unknown => {
    if (abort === 'after' && isOver) caller.controller.abort();
    trace.push(at);
    if (at !== stage || isOver) return pass;
    isOver = true;
    if (abort === 'during') caller.controller.abort();
    switch (behaviour) {
      case 'passes':
        return pass;
      case 'denies':
        if (denial instanceof Error) throw denial;
        return denial;
      case 'throws':
        throw new Error('thrown on purpose');
      case 'rejects':
        return Promise.reject(new Error('rejected on purpose'));
      case 'answers nonsense':
        return 42;
      case 'hangs':
        return new Promise((resolve) => { release.push(() => { resolve(undefined); }); });
    }
  };

  const on = (name: string): boolean => name === 'echo';
  ctx.on('tools/call', (exec) => (on(exec.name) ? (visit('call', undefined) as undefined) : undefined));
  ctx.on('tools/pre-execute', ((exec, next) => (on(exec.name) ? visit('pre', { kind: 'ask' }, { kind: 'deny', reason: 'no' }) : next())) as Parameters<typeof ctx.on<'tools/pre-execute'>>[1]);
  ctx.tools.guard(((exec: { name: string }) => (on(exec.name) ? visit((guards += 1) === 1 ? 'guard' : 'guard again', undefined, 'no') : undefined)) as never);
  ctx.provide('approval', { request: (() => visit('approval', { kind: 'allowed-once' }, { kind: 'rejected' })) as never });
  ctx.on('tools/execute', (async (exec, next) => {
    if (!on(exec.name)) return next();
    const early = await visit('wrapper>', GO, WRAPPED);
    if (early !== GO) return early;
    const result = await next();
    return visit('<wrapper', result, WRAPPED);
  }) as Parameters<typeof ctx.on<'tools/execute'>>[1]);
  ctx.on('tools/post-execute', ((exec, _result, next) =>
    on(exec.name) ? visit('post', { kind: 'accept' }, { kind: 'block', feedback: [{ type: 'text', text: 'no' }] }) : next()) as Parameters<typeof ctx.on<'tools/post-execute'>>[1]);
  ctx.on('tools/result', (exec, result) => {
    if (!on(exec.name)) return undefined;
    published.push(result);
    return visit('result', undefined) as undefined;
  });
  mount?.(ctx);
  ctx.tools.register(
    aTool({
      output: { schema: { type: 'string' }, render: (_args, value) => [{ type: 'text', text: value as string }] },
      // A batch asks for locks earlier, to know what may overlap: scheduler.spec.ts and locks.spec.ts.
      ...(via === 'executeAll' ? {} : { locks: (() => visit('locks', { write: ['key'] })) as never }),
      finalizeContent: (() => visit('finalize', undefined)) as never,
      execute: (_args, exec) => {
        exec.deferContext(note('body'));
        return visit('body', 'done', new ToolError('no', { code: 'OWN_CODE' }));
      },
    }),
  );
  ctx.tools.register(aTool({ name: 'outer', output: { schema: {}, render: () => [] }, execute: async (_args, exec) => { inner = await exec.execute(aCall()); return null; } }));

  let inner: ToolExecutionResult | undefined;
  const call = aCall({ signal: caller.signal });
  if (abort === 'before') caller.controller.abort();
  const running =
    via === 'execute' ? ctx.tools.execute(call)
    : via === 'executeAll' ? ctx.tools.executeAll([call]).then(([only]) => only!)
    : ctx.tools.execute({ name: 'outer', signal: caller.signal }).then(() => inner!);
  let left: number | undefined;
  const settled = running.then((result) => {
    left = caller.left;
    return result;
  });
  await vi.advanceTimersByTimeAsync(1_000);
  const result = await settled;
  // Those that hung answer after all: it must not matter any more.
  for (const each of release) each();
  await vi.advanceTimersByTimeAsync(1_000);
  return { result, trace, published, left, log, caller };
}

const titleOf = ({ stage, behaviour, abort }: Row): string => {
  const { code, started } = expected({ stage, behaviour, abort });
  const when = { never: 'the caller stays', before: 'the caller gave up before', during: 'the caller gives up meanwhile', after: 'the caller gives up right after' }[abort];
  return `${stage} ${behaviour}, ${when}: ${code}${code === 'ok' ? '' : started ? ', started' : ', not started'}`;
};

afterEach(() => {
  vi.useRealTimers();
});

describe('the matrix of stages, behaviours and aborts [F210]', () => {
  it.each(rows.map((row) => [titleOf(row), row] as const))('%s', async (_title, row) => {
    const want = expected(row);
    const { result, trace, published, left } = await run(row);
    expect(codeOf(result)).toBe(want.code);
    if (result.isError) expect(result.error.info.started).toBe(want.started);
    expect(trace).toEqual(want.trace);
    expect(trace.filter((each) => each === 'body')).toHaveLength(want.started ? 1 : 0);
    // One result, told once, and it is the one that the caller gets.
    expect(published).toEqual([result]);
    expect(published[0]).toBe(result);
    expect(Object.isFrozen(result)).toBe(true);
    expect(left).toBe(0);
    if (want.bodySucceeded && result.isError && want.code !== 'WRAPPED') expect(result.error.hint).toMatch(/ran/);
    if (want.started && result.isError && want.code !== 'BLOCKED' && want.code !== 'WRAPPED') expect(result.additionalContexts).toEqual([note('body')]);
  });

  it('covers every stage, every behaviour and every moment', () => {
    expect(rows.length).toBeGreaterThan(200);
    const codes = new Set(rows.map((row) => expected(row).code));
    expect([...codes].sort()).toEqual([
      'ABORTED', 'ABORTED_BEFORE_DISPATCH', 'APPROVAL_REJECTED', 'BLOCKED', 'DENIED', 'INVALID_TOOL_OUTPUT', 'OWN_CODE', 'PIPELINE_FAILED', 'TOOL_FAILED', 'WRAPPED', 'ok',
    ]);
  });
});

describe('the same matrix through a batch and through a nested call', () => {
  const both = STAGES.flatMap((stage) => (['executeAll', 'nested'] as const).map((via) => [stage, via] as const));
  it.each(both.filter(([stage, via]) => stage !== 'locks' || via === 'nested'))(
    '%s, %s: the same code, the same stages, the same single result, and no listener left',
    async (stage, via) => {
      for (const row of rows.filter((each) => each.stage === stage && each.abort !== 'before')) {
        const want = expected(row, via === 'nested');
        const { result, trace, published, left } = await run(row, via);
        const title = `${via}: ${titleOf(row)}`;
        expect(codeOf(result), title).toBe(want.code);
        expect(trace, title).toEqual(want.trace);
        expect(published, title).toEqual([result]);
        expect(left, title).toBe(0);
      }
    },
  );
});

describe('what a cancellation replaces and what it leaves alone', () => {
  // The rows of the table in words, each with its outcome and whether post-execute has a say.
  it.each<[string, Row, string, boolean]>([
    ['at entry, with valid arguments [F212b]', { stage: 'call', behaviour: 'passes', abort: 'before' }, 'ABORTED_BEFORE_DISPATCH', false],
    ['during pre-execute that denies: the denial [F212d]', { stage: 'pre', behaviour: 'denies', abort: 'during' }, 'DENIED', true],
    ['during pre-execute that throws: the failure [F212e]', { stage: 'pre', behaviour: 'throws', abort: 'during' }, 'PIPELINE_FAILED', false],
    ['during a guard that denies: its reason [F212f]', { stage: 'guard', behaviour: 'denies', abort: 'during' }, 'DENIED', true],
    ['during pre-execute that allows [F212g]', { stage: 'pre', behaviour: 'passes', abort: 'during' }, 'ABORTED_BEFORE_DISPATCH', true],
    ['during approval that is rejected: the rejection [F212i]', { stage: 'approval', behaviour: 'denies', abort: 'during' }, 'APPROVAL_REJECTED', true],
    ['during approval that is granted: guards, then cancelled [F212j]', { stage: 'approval', behaviour: 'passes', abort: 'during' }, 'ABORTED_BEFORE_DISPATCH', true],
    ['in a wrapper before it delegates [F212k]', { stage: 'wrapper>', behaviour: 'passes', abort: 'during' }, 'ABORTED_BEFORE_DISPATCH', true],
    ['in a wrapper that throws [F212n]', { stage: 'wrapper>', behaviour: 'throws', abort: 'during' }, 'PIPELINE_FAILED', false],
    ['in a wrapper that makes a failure [F212n]', { stage: 'wrapper>', behaviour: 'denies', abort: 'during' }, 'WRAPPED', true],
    ['while the body runs, which gives a value [F212o]', { stage: 'body', behaviour: 'passes', abort: 'during' }, 'ABORTED', true],
    ['while the body runs, which gives an invalid value [F212p]', { stage: 'body', behaviour: 'answers nonsense', abort: 'during' }, 'INVALID_TOOL_OUTPUT', true],
    ['while the body runs, which throws: its own code [F212q]', { stage: 'body', behaviour: 'denies', abort: 'during' }, 'OWN_CODE', true],
    ['after the body, while a wrapper goes on [F212s]', { stage: '<wrapper', behaviour: 'passes', abort: 'during' }, 'ABORTED', true],
    ['during post-execute that accepts [F212t]', { stage: 'post', behaviour: 'passes', abort: 'during' }, 'ABORTED', true],
    ['during post-execute that blocks [F212u]', { stage: 'post', behaviour: 'denies', abort: 'during' }, 'BLOCKED', true],
    ['during post-execute that throws [F212u]', { stage: 'post', behaviour: 'throws', abort: 'during' }, 'PIPELINE_FAILED', true],
    ['in the finalizer: nothing [F212v]', { stage: 'finalize', behaviour: 'passes', abort: 'during' }, 'ok', true],
    ['in an observer: nothing [F212v]', { stage: 'result', behaviour: 'passes', abort: 'during' }, 'ok', true],
  ])('%s', async (_title, row, code, hasPost) => {
    const { result, trace } = await run(row);
    expect(codeOf(result)).toBe(code);
    expect(trace.includes('post')).toBe(hasPost);
  });

  it('during pre-execute that allows, before a guard that denies: the reason of the guard [F212f]', async () => {
    const { result, trace } = await run({ stage: 'pre', behaviour: 'passes', abort: 'during' }, 'execute', (ctx) => ctx.tools.guard(() => 'never'));
    expect(codeOf(result)).toBe('DENIED');
    expect(trace).toContain('post');
  });

  it('during approval that is cancelled: aborted, and the guards are not asked again [F212h]', async () => {
    const { ctx } = setup();
    const controller = new AbortController();
    let guards = 0;
    ctx.tools.register(aTool());
    ctx.tools.guard(() => {
      guards += 1;
      return { ask: 'sure?' };
    });
    ctx.provide('approval', {
      request: async () => {
        controller.abort();
        return { kind: 'cancelled' };
      },
    });
    expect(codeOf(await ctx.tools.execute(aCall({ signal: controller.signal })))).toBe('ABORTED_BEFORE_DISPATCH');
    expect(guards).toBe(1);
  });

  it('a wrapper that adds an aborted signal skips the body as aborted before dispatch, and may make something else of it [F212l]', async () => {
    const { ctx } = setup();
    let runs = 0;
    ctx.tools.register(aTool({ execute: () => (runs += 1) }));
    let replaces = false;
    ctx.on('tools/execute', async (_exec, next) => {
      const result = await next({ signal: AbortSignal.abort() });
      return replaces ? ({ isError: false, value: 'made up' } as never) : result;
    });
    expect(await ctx.tools.execute(aCall())).toMatchObject({ error: { info: { code: 'ABORTED_BEFORE_DISPATCH', started: false } } });
    replaces = true;
    expect(await ctx.tools.execute(aCall())).toMatchObject({ isError: false, value: 'made up' });
    expect(runs).toBe(0);
  });

  it('a success that a wrapper made without the body becomes aborted before dispatch, with its contexts [F212m] [F211]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    const controller = new AbortController();
    ctx.on('tools/execute', () => {
      controller.abort();
      return { isError: false, value: 1, additionalContexts: [note('wrapper')] } as never;
    });
    expect(await ctx.tools.execute(aCall({ signal: controller.signal }))).toMatchObject({
      error: { info: { code: 'ABORTED_BEFORE_DISPATCH', started: false } },
      additionalContexts: [note('wrapper')],
    });
  });

  it('a body whose added signal alone aborts gives ABORTED to the wrapper, which may make a success or a code of its own of it [F212r]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ execute: (_args, exec) => new Promise((resolve) => { exec.signal.addEventListener('abort', () => { resolve('late'); }); }) }));
    const answers: ((result: ToolExecutionResult) => unknown)[] = [
      (result) => result,
      () => ({ isError: false, value: 'saved' }),
      () => ({ isError: true, error: { message: 'too slow', info: { name: 'Late', code: 'TOO_SLOW' } } }),
    ];
    const seen: string[] = [];
    const codes: string[] = [];
    for (const answer of answers) {
      const off = ctx.on('tools/execute', (async (_exec, next) => {
        const controller = new AbortController();
        const running = next({ signal: controller.signal });
        controller.abort();
        const result = await running;
        seen.push(codeOf(result));
        return answer(result);
      }) as Parameters<typeof ctx.on<'tools/execute'>>[1]);
      codes.push(codeOf(await ctx.tools.execute(aCall())));
      off();
    }
    expect(seen).toEqual(['ABORTED', 'ABORTED', 'ABORTED']);
    expect(codes).toEqual(['ABORTED', 'ok', 'TOO_SLOW']);
  });

  it('keeps the contexts of what it replaces and drops value, meta and turn conclusion [F211]', async () => {
    const { ctx } = setup();
    const controller = new AbortController();
    ctx.tools.register(
      aTool({
        output: { schema: {}, render: () => [{ type: 'text', text: 'secret' }], presentationMeta: () => ({ n: 1 }) },
        execute: (_args, exec) => {
          exec.deferContext(note('body'));
          exec.concludeTurn();
          return 'value';
        },
      }),
    );
    ctx.on('tools/post-execute', () => {
      controller.abort();
      return { kind: 'accept', additionalContexts: [note('post')] };
    });
    const result = await ctx.tools.execute(aCall({ callId: 'c1', signal: controller.signal }));
    expect(result).toEqual({
      isError: true,
      callId: 'c1',
      name: 'echo',
      error: { message: 'tool call aborted', hint: expect.stringMatching(/ran.*check/i), info: { name: 'AbortError', code: 'ABORTED', started: true } },
      content: [{ type: 'text', text: expect.stringMatching(/^Error: tool call aborted\n/) }],
      additionalContexts: [note('body'), note('post')],
    });
  });

  it('made before post-execute is seen there, where contexts may be added, content replaced and the result blocked [F213]', async () => {
    for (const [decision, code, text] of [
      [{ kind: 'accept', additionalContexts: [note('post')] }, 'ABORTED_BEFORE_DISPATCH', 'Error: tool call aborted before dispatch'],
      [{ kind: 'accept', content: [{ type: 'text', text: 'stopped' }] }, 'ABORTED_BEFORE_DISPATCH', 'stopped'],
      [{ kind: 'block', feedback: [{ type: 'text', text: 'say nothing' }] }, 'BLOCKED', 'say nothing'],
    ] as const) {
      const { ctx } = setup();
      ctx.tools.register(aTool());
      const controller = new AbortController();
      ctx.tools.guard(() => {
        controller.abort();
        return undefined;
      });
      const seen: string[] = [];
      ctx.on('tools/post-execute', (_exec, result) => {
        seen.push(codeOf(result));
        return decision;
      });
      const result = await ctx.tools.execute(aCall({ signal: controller.signal }));
      expect(seen).toEqual(['ABORTED_BEFORE_DISPATCH']);
      expect(codeOf(result)).toBe(code);
      expect(textOf(result)).toBe(text);
    }
  });
});

describe('a hanging wrapper', () => {
  it('does not turn the failure that it was given into an abort: the failure is more specific [F210]', async () => {
    vi.useFakeTimers();
    const { ctx } = setup();
    const controller = new AbortController();
    let release!: () => void;
    ctx.tools.register(aTool({ execute: () => { throw new ToolError('no such file', { code: 'FS_NOT_FOUND' }); } }));
    ctx.on('tools/execute', async (_exec, next) => {
      const result = await next();
      await new Promise<void>((resolve) => { release = resolve; });
      return result;
    });
    const running = ctx.tools.execute(aCall({ signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    await vi.advanceTimersByTimeAsync(500);
    expect(await running).toMatchObject({ error: { info: { code: 'FS_NOT_FOUND', started: true } } });
    release();
  });
});

describe('a batch', () => {
  it('that is aborted gives exactly one result per call in call order: what finished stays, what ran is aborted, what did not start says so [H083]', async () => {
    vi.useFakeTimers();
    const { ctx } = setup();
    const controller = new AbortController();
    const runs: string[] = [];
    ctx.tools.register(aTool({ name: 'quick', execute: (_args, exec) => { runs.push(exec.callId); return { ok: true }; } }));
    ctx.tools.register(
      aTool({
        name: 'slow',
        execute: (_args, exec) => {
          runs.push(exec.callId);
          return new Promise((_resolve, reject) => { exec.signal.addEventListener('abort', () => { reject(exec.signal.reason as Error); }); });
        },
      }),
    );
    const running = ctx.tools.executeAll(
      [{ name: 'quick', callId: 'c1' }, { name: 'slow', callId: 'c2' }, { name: 'slow', callId: 'c3' }, { name: 'quick', callId: 'c4' }],
      { signal: controller.signal },
    );
    setTimeout(() => { controller.abort(); }, 100);
    await vi.advanceTimersByTimeAsync(100);
    const results = await running;
    expect(results.map(({ callId }) => callId)).toEqual(['c1', 'c2', 'c3', 'c4']);
    expect(results.map(codeOf)).toEqual(['ok', 'ABORTED', 'ABORTED_BEFORE_DISPATCH', 'ABORTED_BEFORE_DISPATCH']);
    expect(results.map((result) => (result.isError ? result.error.info.started : undefined))).toEqual([undefined, true, false, false]);
    expect(runs).toEqual(['c1', 'c2']);
  });
});

describe('a disposed scope', () => {
  it.each(STAGES)('aborts its calls as a caller would, also while %s is running', async (stage) => {
    const { ctx } = setup();
    const scope = ctx.scope('planner');
    const trace: string[] = [];
    let ended: Promise<void> | undefined;
    let guards = 0;
    const visit = <T>(at: Stage, answer: T): T => {
      trace.push(at);
      if (at === stage) ended = scope.dispose();
      return answer;
    };
    ctx.on('tools/call', () => { visit('call', undefined); });
    ctx.on('tools/pre-execute', () => visit('pre', { kind: 'ask' } as const));
    ctx.tools.guard(() => visit((guards += 1) === 1 ? 'guard' : 'guard again', undefined));
    ctx.provide('approval', { request: async () => visit('approval', { kind: 'allowed-once' } as const) });
    ctx.on('tools/execute', async (_exec, next) => {
      visit('wrapper>', undefined);
      return visit('<wrapper', await next());
    });
    ctx.on('tools/post-execute', () => visit('post', { kind: 'accept' } as const));
    const published: ToolExecutionResult[] = [];
    ctx.on('tools/result', (_exec, result) => {
      published.push(result);
      visit('result', undefined);
    });
    ctx.tools.register(aTool({ locks: () => visit('locks', { write: ['key'] }), finalizeContent: () => visit('finalize', undefined), execute: () => visit('body', null) }));
    const caller = aWatchedSignal();
    const result = await scope.tools.execute(aCall({ signal: caller.signal }));
    const want = expected({ stage, behaviour: 'passes', abort: 'during' });
    expect(codeOf(result)).toBe(want.code);
    expect(trace).toEqual(want.trace);
    expect(published).toEqual([result]);
    expect(caller.left).toBe(0);
    await ended;
  });
});
