import { aCall } from '@sluice/testing';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { answeredElsewhere, type ApprovalOutcome } from '../src/index.ts';
import { aBed, always, aPerson, aRequest, codeOf, no, once, settled } from './support.ts';

describe('behaviour', () => {
  it('puts the frozen arguments that will run before the answerer, and runs them on a yes [U1, U13]', async () => {
    const { ctx } = aBed();
    const asked = aPerson(ctx);
    const call = ctx.tools.execute(aCall({ arguments: { message: { deep: ['x'] } } }));
    await settled();
    const { request, answer } = asked[0]!;
    expect(request).toMatchObject({ toolName: 'echo', reason: 'policy says so', arguments: { message: { deep: ['x'] } } });
    expect(Object.isFrozen((request.arguments as { message: object }).message)).toBe(true);
    answer(once);
    expect(await call).toMatchObject({ isError: false, value: request.arguments });
  });

  it.each<[ApprovalOutcome, string]>([
    [once, 'ok'],
    [always(), 'ok'],
    [no, 'APPROVAL_REJECTED'],
    [{ kind: 'cancelled' }, 'APPROVAL_CANCELLED'],
    [{ kind: 'unavailable', why: 'on holiday' }, 'APPROVAL_UNAVAILABLE'],
  ])('ends a call as the outcome %j says: %s [U1, U16]', async (outcome, code) => {
    const { ctx } = aBed();
    ctx.on('approval/request', () => outcome);
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe(code);
  });

  it('lets the model read what the person said, and why nobody answered', async () => {
    const { ctx } = aBed();
    const answers: ApprovalOutcome[] = [{ kind: 'rejected', feedback: 'use the other file' }, { kind: 'unavailable', why: 'on holiday' }];
    ctx.on('approval/request', () => answers.shift() ?? no);
    expect(await ctx.tools.execute(aCall())).toMatchObject({ error: { message: expect.stringContaining('use the other file') } });
    expect(await ctx.tools.execute(aCall())).toMatchObject({ error: { message: expect.stringContaining('on holiday') } });
  });

  it('grants one request only: the next identical call is asked again [U1, U12]', async () => {
    const { ctx, told } = aBed();
    ctx.on('approval/request', () => once);
    await ctx.tools.execute(aCall());
    await ctx.tools.execute(aCall());
    expect(told.filter((what) => what.startsWith('asked'))).toHaveLength(2);
  });

  it('tells of every question exactly once, before anybody is asked, and of its decision exactly once, before the call goes on [U4]', async () => {
    const { ctx, approvals, told } = aBed();
    ctx.on('approval/request', ({ id }) => {
      told.push(`at the answerer:${id}`);
      return no;
    });
    const request = aRequest({ id: 'q' });
    const decision = approvals.request(request).then(() => told.push('went on'));
    await decision;
    expect(told).toEqual(['asked:q', 'at the answerer:q', 'rejected:q', 'went on']);
  });

  it('hands the same frozen request to everybody, without members that have no value [U4]', async () => {
    const { ctx, approvals } = aBed();
    const seen: unknown[] = [];
    ctx.on('approval/asked', (request) => seen.push(request));
    ctx.on('approval/request', (request) => {
      seen.push(request);
      return no;
    });
    ctx.on('approval/decided', (request) => seen.push(request));
    await approvals.request(aRequest());
    expect(new Set(seen).size).toBe(1);
    expect(Object.isFrozen(seen[0])).toBe(true);
    expect(Object.keys(seen[0] as object)).not.toContain('reason');
    expect(Object.keys(seen[0] as object)).not.toContain('scope');
  });

  it('goes on when a listener on its notifications throws [U5]', async () => {
    const { ctx, approvals, log } = aBed();
    ctx.on('approval/request', () => once);
    ctx.on('approval/asked', () => { throw new Error('first'); });
    ctx.on('approval/decided', () => { throw new Error('second'); });
    expect(await approvals.request(aRequest())).toEqual(once);
    expect(log.messages('error')).toHaveLength(2);
  });

  it('runs guards after a grant, so that no grant loosens one [U18]', async () => {
    const { ctx } = aBed();
    let isAnswered = false;
    ctx.on('approval/request', () => {
      isAnswered = true;
      return once;
    });
    ctx.tools.guard(() => (isAnswered ? 'not even so' : undefined));
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('DENIED');
  });

  it('holds the deadlines of the call while a question is open', async () => {
    const { ctx } = aBed();
    const holds: boolean[] = [];
    ctx.on('tools/hold', ({ held }) => holds.push(held));
    const asked = aPerson(ctx);
    const call = ctx.tools.execute(aCall());
    await settled();
    expect(holds).toEqual([true]);
    asked[0]!.answer(once);
    await call;
    expect(holds).toEqual([true, false]);
  });
});

describe('whom it asks', () => {
  it('is unavailable when there is nobody who answers [U7]', async () => {
    const { ctx, told } = aBed();
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('APPROVAL_UNAVAILABLE');
    expect(told.map((what) => what.split(':')[0])).toEqual(['asked', 'unavailable']);
  });

  it('lets the first answerer decide, and those further in when it passes the question on [U7]', async () => {
    const { ctx, approvals } = aBed();
    ctx.on('approval/request', ({ toolName }, next) => (toolName === 'mine' ? once : next()));
    ctx.on('approval/request', () => no);
    expect(await approvals.request(aRequest({ toolName: 'mine' }))).toEqual(once);
    expect(await approvals.request(aRequest())).toEqual(no);
  });

  it('asks answerers of a scope about that scope only [U7]', async () => {
    const { ctx } = aBed();
    const [a, b] = [ctx.scope('a'), ctx.scope('b')];
    a.on('approval/request', () => once);
    expect(codeOf(await a.tools.execute(aCall()))).toBe('ok');
    expect(codeOf(await a.scope('sub').tools.execute(aCall()))).toBe('ok');
    expect(codeOf(await b.tools.execute(aCall()))).toBe('APPROVAL_UNAVAILABLE');
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('APPROVAL_UNAVAILABLE');
  });

  it('says in which scope the question came up', async () => {
    const { ctx } = aBed();
    const scopes: (string | undefined)[] = [];
    ctx.on('approval/asked', ({ scope }) => scopes.push(scope));
    const sub = ctx.scope('a').scope('sub');
    await sub.tools.execute(aCall());
    await sub.get('approval')!.request(aRequest());
    await ctx.get('approval')!.request(aRequest());
    expect(scopes).toEqual(['a/sub', 'a/sub', undefined]);
  });

  it('asks nobody with the policy "never", whoever listens and however early [U2, U6]', async () => {
    const { ctx, told } = aBed({ policy: 'never' });
    const answerer = vi.fn(() => once);
    ctx.on('approval/request', answerer, { prepend: true });
    const result = await ctx.tools.execute(aCall());
    expect(codeOf(result)).toBe('APPROVAL_REJECTED');
    expect(answerer).not.toHaveBeenCalled();
    expect(told.map((what) => what.split(':')[0])).toEqual(['asked', 'rejected']);
  });

  it('asks nobody when the asker has given up before [U6]', async () => {
    const { ctx, approvals, told } = aBed();
    const answerer = vi.fn(() => once);
    ctx.on('approval/request', answerer);
    expect(await approvals.request(aRequest({ signal: AbortSignal.abort() }))).toEqual({ kind: 'cancelled' });
    expect(answerer).not.toHaveBeenCalled();
    expect(told).toHaveLength(2);
  });

  it('prefers "cancelled" to "rejected" when both apply [U6]', async () => {
    const { approvals } = aBed({ policy: 'never' });
    expect(await approvals.request(aRequest({ signal: AbortSignal.abort() }))).toEqual({ kind: 'cancelled' });
  });
});

describe('answerers that fail', () => {
  const hostile: readonly (() => unknown)[] = [
    () => undefined,
    () => null,
    () => true,
    () => 1,
    () => 'allowed-once',
    () => [],
    () => ({}),
    () => ({ kind: 'yes' }),
    () => ({ kind: 'allow' }),
    () => ({ kind: ['allowed-once'] }),
    () => ({ kind: Symbol('allowed-once') }),
    () => ({ kind: 'allowed-always' }),
    () => ({ kind: 'allowed-always', rule: 'all' }),
    () => ({ kind: 'allowed-always', rule: { tool: '', decision: 'allow', remember: 'session' } }),
    () => ({ kind: 'allowed-always', rule: { tool: 'echo', decision: 'deny', remember: 'session' } }),
    () => ({ kind: 'allowed-always', rule: { tool: 'echo', decision: 'allow', remember: 'for ever' } }),
    () => ({ kind: 'allowed-always', rule: { tool: 'echo', decision: 'allow', remember: 'session', when: [] } }),
    () => ({ kind: 'allowed-always', rule: { tool: 'echo', decision: 'allow', remember: 'session', when: { x: () => true } } }),
    () => ({ get kind(): string { throw new Error('accessor'); } }),
    () => ({ kind: Promise.reject(new Error('forgotten await')) }),
    () => ({ kind: { toString() { throw new Error('no'); } } }),
    () => new Proxy({}, { get() { throw new Error('trap'); } }),
  ];

  it.each(hostile.map((answer, index) => [index, answer] as const))('denies nonsense number %i [U8]', async (_index, answer) => {
    const { ctx, told, log } = aBed();
    ctx.on('approval/request', () => answer() as ApprovalOutcome);
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('APPROVAL_UNAVAILABLE');
    expect(told).toHaveLength(2);
    expect(log.messages('error')).toHaveLength(1);
  });

  it.each([
    ['throws', () => { throw new Error('secret detail'); }],
    ['rejects', () => Promise.reject(new Error('secret detail'))],
    ['rejects with nothing', () => Promise.reject(undefined)],
  ])('denies when an answerer %s, names its plugin and keeps the error for the log [U8]', async (_how, listener) => {
    const { ctx, log } = aBed();
    ctx.plugin({ name: 'web-page', apply: (own) => { own.on('approval/request', listener); } });
    const result = await ctx.tools.execute(aCall());
    expect(result).toMatchObject({ isError: true, error: { info: { code: 'APPROVAL_UNAVAILABLE' }, message: expect.stringContaining('web-page') } });
    expect(JSON.stringify(result)).not.toContain('secret detail');
    expect(log.messages('error')).toHaveLength(1);
  });

  it('tells those further out that it failed, so that they can ask in another way', async () => {
    const { ctx, approvals } = aBed();
    ctx.on('approval/request', async (_request, next) => ((await next()).kind === 'unavailable' ? no : once));
    ctx.on('approval/request', () => { throw new Error('the terminal is gone'); });
    expect(await approvals.request(aRequest())).toEqual(no);
  });

  it('never grants what was not granted, whatever answerers answer [U8]', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.anything(), { minLength: 1, maxLength: 3 }), async (answers) => {
        const { ctx, approvals } = aBed();
        for (const answer of answers) {
          ctx.on('approval/request', async (_request, next) => {
            await next();
            return answer as ApprovalOutcome;
          });
        }
        const granted = ['allowed-once', 'allowed-always'].includes((answers[0] as { kind?: string } | null | undefined)?.kind ?? '');
        const { kind } = await approvals.request(aRequest());
        expect(granted || !kind.startsWith('allowed')).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

describe('giving up', () => {
  it('withdraws the question at once when the asker aborts, and discards the late answer [U9]', async () => {
    const { ctx, approvals, told } = aBed();
    const asked = aPerson(ctx);
    const controller = new AbortController();
    const decision = approvals.request(aRequest({ id: 'q', signal: controller.signal }));
    await settled();
    expect(asked[0]!.request.signal.aborted).toBe(false);
    controller.abort();
    expect(asked[0]!.request.signal.aborted).toBe(true);
    expect(await decision).toEqual({ kind: 'cancelled' });
    expect(approvals.pending()).toEqual([]);
    asked[0]!.answer(once);
    await settled();
    expect(told).toEqual(['asked:q', 'cancelled:q']);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('discards a late rejection without an unhandled one [U9]', async () => {
    const { ctx, approvals, told, log } = aBed();
    let fail!: (error: Error) => void;
    ctx.on('approval/request', () => new Promise((_resolve, reject) => { fail = reject; }));
    const controller = new AbortController();
    const decision = approvals.request(aRequest({ signal: controller.signal }));
    await settled();
    controller.abort();
    await decision;
    fail(new Error('too late'));
    await settled();
    expect(told).toHaveLength(2);
    expect(log.messages('error')).toEqual([]);
  });

  it('ends a call that was aborted meanwhile as aborted before dispatch [U17]', async () => {
    const { ctx } = aBed();
    aPerson(ctx);
    const controller = new AbortController();
    const call = ctx.tools.execute(aCall({ signal: controller.signal }));
    await settled();
    controller.abort();
    expect(codeOf(await call)).toBe('ABORTED_BEFORE_DISPATCH');
  });

  it('rejects a question that nobody answers in time, in words that the model can read [U11]', async () => {
    vi.useFakeTimers();
    const { ctx } = aBed({ timeoutMs: 60_000 });
    const asked = aPerson(ctx);
    const call = ctx.tools.execute(aCall());
    await vi.advanceTimersByTimeAsync(59_999);
    expect(asked[0]!.request.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked[0]!.request.signal.aborted).toBe(true);
    expect(await call).toMatchObject({ error: { info: { code: 'APPROVAL_REJECTED' }, message: expect.stringContaining('60000 ms') } });
    expect(vi.getTimerCount()).toBe(1);
    asked[0]!.answer(once);
    await settled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits for as long as it takes without a time limit [U11]', async () => {
    vi.useFakeTimers();
    const { ctx, approvals } = aBed();
    aPerson(ctx);
    void approvals.request(aRequest());
    await vi.advanceTimersByTimeAsync(1_000_000_000);
    expect(approvals.pending()).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('has one listener on a signal that many questions share, and none afterwards', async () => {
    const { ctx, approvals } = aBed();
    aPerson(ctx);
    for (const isAborted of [false, true]) {
      const controller = new AbortController();
      const { signal } = controller;
      const all = Array.from({ length: 20 }, () => approvals.request(aRequest({ signal })));
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      if (isAborted) controller.abort();
      else for (const { id } of approvals.pending()) approvals.answer(id, no);
      const kinds = new Set((await Promise.all(all)).map(({ kind }) => kind));
      expect([...kinds]).toEqual([isAborted ? 'cancelled' : 'rejected']);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    }
  });
});

describe('answers from elsewhere', () => {
  it('lists open questions as plain JSON, oldest first [U19]', async () => {
    vi.useFakeTimers({ now: 1_000 });
    const { ctx, approvals } = aBed({ timeoutMs: 500 });
    ctx.on('approval/request', answeredElsewhere);
    void approvals.request(aRequest({ id: 'one', callId: 'c1', arguments: { b: 1, a: 2 } }));
    void ctx.scope('agent').get('approval')!.request(aRequest({ id: 'two', callId: 'c2', reason: 'why', arguments: { a: 2, b: 1 } }));
    await settled();
    const pending = approvals.pending();
    expect(JSON.parse(JSON.stringify(pending))).toEqual(pending);
    expect(pending).toEqual([
      { id: 'one', tool: 'echo', callId: 'c1', argumentsSha256: createHash('sha256').update('{"a":2,"b":1}').digest('hex'), askedAt: 1_000, expiresAt: 1_500 },
      { id: 'two', tool: 'echo', callId: 'c2', scope: 'agent', reason: 'why', argumentsSha256: pending[0]!.argumentsSha256, askedAt: 1_000, expiresAt: 1_500 },
    ]);
  });

  it('takes the first answer to an open question, and says so [U19]', async () => {
    const { ctx, approvals, told } = aBed();
    ctx.on('approval/request', answeredElsewhere);
    const call = ctx.tools.execute(aCall());
    await settled();
    const { id } = approvals.pending()[0]!;
    expect(approvals.answer(id, once)).toBe(true);
    expect(approvals.answer(id, no)).toBe(false);
    expect(approvals.answer('unknown', once)).toBe(false);
    expect(codeOf(await call)).toBe('ok');
    expect(told).toEqual([`asked:${id}`, `allowed-once:${id}`]);
  });

  it('takes an answer from whoever is told of the question, before anybody is asked', async () => {
    vi.useFakeTimers();
    const { ctx, approvals, told } = aBed({ timeoutMs: 1_000 });
    const answerer = vi.fn(() => once);
    ctx.on('approval/request', answerer);
    ctx.on('approval/asked', ({ id }) => approvals.answer(id, no));
    const { signal } = new AbortController();
    expect(await approvals.request(aRequest({ id: 'q', signal }))).toEqual(no);
    expect(answerer).not.toHaveBeenCalled();
    expect(told).toEqual(['asked:q', 'rejected:q']);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('denies when what is answered is nonsense [U19]', async () => {
    const { ctx, approvals } = aBed();
    ctx.on('approval/request', answeredElsewhere);
    const decision = approvals.request(aRequest({ id: 'q' }));
    expect(approvals.answer('q', { kind: 'sure' } as never)).toBe(true);
    expect((await decision).kind).toBe('unavailable');
  });

  it('withdraws the question from the answerer that has it', async () => {
    const { ctx, approvals } = aBed();
    const asked = aPerson(ctx);
    void approvals.request(aRequest({ id: 'q' }));
    await settled();
    approvals.answer('q', no);
    expect(asked[0]!.request.signal.aborted).toBe(true);
  });

  it('lets two answerers race, and withdraws the question from the one that lost', async () => {
    const { ctx, approvals } = aBed();
    const web = Promise.resolve(once);
    ctx.on('approval/request', (_request, next) => Promise.race([web, next()]));
    const terminal = aPerson(ctx);
    expect(await approvals.request(aRequest())).toEqual(once);
    expect(terminal[0]!.request.signal.aborted).toBe(true);
  });
});

describe('misuse by whoever asks', () => {
  it.each([
    ['an empty id', { id: '' }],
    ['a tool name that is no text', { toolName: 5 }],
    ['a scope that is no text', { scope: {} }],
    ['arguments that are no JSON', { arguments: { x: () => 1 } }],
    ['a signal that is none', { signal: {} }],
  ])('rejects %s with a TypeError and tells of no question', async (_what, overrides) => {
    const { approvals, told } = aBed();
    await expect(approvals.request(aRequest(overrides as never))).rejects.toThrow(TypeError);
    expect(told).toEqual([]);
  });

  it('rejects a second question of the same id while the first is open', async () => {
    const { ctx, approvals } = aBed();
    ctx.on('approval/request', answeredElsewhere);
    const first = approvals.request(aRequest({ id: 'q' }));
    await expect(approvals.request(aRequest({ id: 'q' }))).rejects.toThrow('"q" is still open');
    approvals.answer('q', no);
    expect(await first).toEqual(no);
  });

  it('keeps its own copy of the arguments', async () => {
    const { ctx, approvals } = aBed();
    const asked = aPerson(ctx);
    const args = { path: 'harmless' };
    void approvals.request(aRequest({ arguments: args }));
    args.path = 'dangerous';
    await settled();
    expect(asked[0]!.request.arguments).toEqual({ path: 'harmless' });
  });
});
