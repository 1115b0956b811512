import { createContext, tools } from '@sluice/core-tools';
import { aCall, aLogger, aTool } from '@sluice/testing';
import { describe, expect, it, vi } from 'vitest';
import { approval, approvals, type ApprovalRequest } from '../src/index.ts';
import { aBed, always, aPerson, aRequest, codeOf, no, once, settled, type Asked } from './support.ts';

const ids = (asked: readonly Asked[]): string[] => asked.map(({ request }) => request.id);

/** Rules whose answer the test sets. Provided as any other package would. */
function someRules(ctx: ReturnType<typeof createContext>, explain: (call: { toolName: string; arguments: unknown; scopePath: readonly string[] }) => unknown): void {
  (ctx.provide as unknown as (name: string, service: object) => void)('rules', { explain });
}

describe('turns', () => {
  it('puts one question at a time to an answerer, in the order in which they were asked [U10]', async () => {
    const { ctx, approvals } = aBed();
    const asked = aPerson(ctx);
    const all = ['a', 'b', 'c'].map((id) => approvals.request(aRequest({ id, arguments: { id } })));
    await settled();
    expect(ids(asked)).toEqual(['a']);
    expect(approvals.pending().map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    asked[0]!.answer(once);
    await settled();
    expect(ids(asked)).toEqual(['a', 'b']);
    asked[1]!.answer(no);
    await settled();
    asked[2]!.answer(once);
    expect(await Promise.all(all)).toEqual([once, no, once]);
  });

  it('counts an answerer as one, whatever scopes the questions come from [U10]', async () => {
    const { ctx } = aBed();
    const asked = aPerson(ctx);
    const calls = ['a', 'b'].map((name) => ctx.scope(name).tools.execute(aCall()));
    await settled();
    expect(asked).toHaveLength(1);
    asked[0]!.answer(once);
    await settled();
    expect(asked.map(({ request }) => request.scope)).toEqual(['a', 'b']);
    asked[1]!.answer(once);
    expect((await Promise.all(calls)).map(codeOf)).toEqual(['ok', 'ok']);
  });

  it('does not let one answerer hold up another', async () => {
    const { ctx, approvals } = aBed();
    const [a, b] = [ctx.scope('a'), ctx.scope('b')];
    const [atA, atB] = [aPerson(a), aPerson(b)];
    void a.get('approval')!.request(aRequest());
    void b.get('approval')!.request(aRequest());
    await settled();
    expect([atA.length, atB.length]).toEqual([1, 1]);
    expect(approvals.pending()).toHaveLength(2);
  });

  it('frees an answerer that only passes questions on', async () => {
    const { ctx, approvals } = aBed();
    const mine: string[] = [];
    ctx.on('approval/request', (request, next) => {
      if (request.toolName !== 'mine') return next();
      mine.push(request.id);
      return no;
    });
    aPerson(ctx);
    void approvals.request(aRequest());
    expect(await approvals.request(aRequest({ id: 'q', toolName: 'mine' }))).toEqual(no);
    expect(mine).toEqual(['q']);
  });

  it('keeps an answerer busy that still looks at what comes back, so that its own question cannot interleave', async () => {
    const { ctx, approvals } = aBed();
    const entered: string[] = [];
    ctx.on('approval/request', async ({ id }, next) => {
      entered.push(id);
      return next();
    });
    const asked = aPerson(ctx);
    void approvals.request(aRequest({ id: 'a' }));
    void approvals.request(aRequest({ id: 'b', toolName: 'other' }));
    await settled();
    expect(entered).toEqual(['a']);
    asked[0]!.answer(no);
    await settled();
    expect(entered).toEqual(['a', 'b']);
  });

  it('lets an answerer ask those further in again about the same question', async () => {
    const { ctx, approvals } = aBed();
    ctx.on('approval/request', async (_request, next) => {
      const first = await next();
      return first.kind === 'cancelled' ? next() : first;
    });
    const asked = aPerson(ctx);
    const decision = approvals.request(aRequest({ id: 'a' }));
    void approvals.request(aRequest({ id: 'b' }));
    await settled();
    asked[0]!.answer({ kind: 'cancelled' });
    await settled();
    expect(ids(asked)).toEqual(['a', 'a']);
    asked[1]!.answer(once);
    expect(await decision).toEqual(once);
    await settled();
    expect(ids(asked)).toEqual(['a', 'a', 'b']);
  });

  it('forgets a question that is given up while it waits for its turn', async () => {
    const { ctx, approvals } = aBed();
    const asked = aPerson(ctx);
    void approvals.request(aRequest({ id: 'a' }));
    const controller = new AbortController();
    const second = approvals.request(aRequest({ id: 'b', signal: controller.signal }));
    void approvals.request(aRequest({ id: 'c' }));
    await settled();
    controller.abort();
    expect(await second).toEqual({ kind: 'cancelled' });
    asked[0]!.answer(no);
    await settled();
    expect(ids(asked)).toEqual(['a', 'c']);
  });

  it('gives an answerer that ignores a withdrawal a second, then goes on', async () => {
    vi.useFakeTimers();
    const { ctx, approvals } = aBed();
    const asked = aPerson(ctx);
    void approvals.request(aRequest({ id: 'a' }));
    void approvals.request(aRequest({ id: 'b' }));
    await settled();
    approvals.answer('a', no);
    await vi.advanceTimersByTimeAsync(999);
    expect(ids(asked)).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(1);
    expect(ids(asked)).toEqual(['a', 'b']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('rejects what waits behind an answerer that hangs, each at its time', async () => {
    vi.useFakeTimers();
    const { ctx, approvals } = aBed({ timeoutMs: 100 });
    aPerson(ctx);
    const all = [approvals.request(aRequest()), approvals.request(aRequest())];
    await vi.advanceTimersByTimeAsync(100);
    expect((await Promise.all(all)).map(({ kind }) => kind)).toEqual(['rejected', 'rejected']);
  });

  it('keeps an answerer in the queue for as long as it is asked anything, and no longer', async () => {
    const { ctx, approvals } = aBed();
    for (let round = 0; round < 3; round += 1) {
      const handle = ctx.plugin({ name: `round-${round}`, apply: (own) => { own.on('approval/request', () => no); } });
      expect(await approvals.request(aRequest())).toEqual(no);
      await handle.dispose();
    }
    expect(await approvals.request(aRequest())).toMatchObject({ kind: 'unavailable' });
  });
});

describe('questions that are answered already', () => {
  it('asks nobody again about an identical question that waits behind an "always"; different ones are asked [H107]', async () => {
    const { ctx, told } = aBed();
    const asked = aPerson(ctx);
    const urls = ['https://docs.example/a', 'https://docs.example/a', 'https://other.example/'];
    const calls = urls.map((url, index) => ctx.tools.execute(aCall({ callId: `c${index}`, arguments: { url } })));
    await settled();
    asked[0]!.answer(always());
    await settled();
    expect(asked).toHaveLength(2);
    asked[1]!.answer(no);
    expect((await Promise.all(calls)).map(codeOf)).toEqual(['ok', 'ok', 'APPROVAL_REJECTED']);
    expect(told).toHaveLength(6);
  });

  it.each<[string, Partial<ApprovalRequest>]>([
    ['other arguments', { arguments: { message: 'bye' } }],
    ['another tool', { toolName: 'other' }],
    ['another scope', { scope: 'agent' }],
    ['another reason', { reason: 'because' }],
  ])('still asks about %s', async (_what, overrides) => {
    const { ctx, approvals } = aBed();
    const asked = aPerson(ctx);
    void approvals.request(aRequest());
    void approvals.request(aRequest(overrides));
    await settled();
    asked[0]!.answer(always());
    await settled();
    expect(asked).toHaveLength(2);
  });

  it('asks again after "once", however identical', async () => {
    const { ctx, approvals } = aBed();
    const asked = aPerson(ctx);
    void approvals.request(aRequest());
    void approvals.request(aRequest());
    await settled();
    asked[0]!.answer(once);
    await settled();
    expect(asked).toHaveLength(2);
  });

  it('hands a rule that was made to whoever remembers it, before the next question comes up', async () => {
    const { ctx, approvals } = aBed();
    const remembered: unknown[] = [];
    someRules(ctx, ({ toolName }) => ({ decision: toolName === 'echo' && remembered.length > 0 ? 'allow' : 'ask' }));
    ctx.on('approval/decided', (_request, outcome) => {
      if (outcome.kind === 'allowed-always') remembered.push(outcome.rule);
    });
    const asked = aPerson(ctx);
    const all = [{ n: 1 }, { n: 2 }].map((args) => approvals.request(aRequest({ arguments: args })));
    const other = approvals.request(aRequest({ toolName: 'other' }));
    await settled();
    asked[0]!.answer(always('project'));
    expect((await Promise.all(all)).map(({ kind }) => kind)).toEqual(['allowed-always', 'allowed-once']);
    expect(remembered).toEqual([{ tool: 'echo', decision: 'allow', remember: 'project' }]);
    expect(Object.isFrozen(remembered[0])).toBe(true);
    await settled();
    expect(asked[1]!.request.toolName).toBe('other');
    asked[1]!.answer(no);
    await other;
  });

  it('rejects what a new rule denies', async () => {
    const { ctx, approvals } = aBed();
    let decision = 'ask';
    someRules(ctx, () => ({ decision }));
    const asked = aPerson(ctx);
    void approvals.request(aRequest());
    const second = approvals.request(aRequest());
    await settled();
    decision = 'deny';
    asked[0]!.answer(once);
    expect(await second).toMatchObject({ kind: 'rejected', feedback: expect.stringContaining('rule') });
  });

  it('asks although the rules allow it when they did so from the beginning: then somebody else asks', async () => {
    const { ctx, approvals } = aBed();
    someRules(ctx, () => ({ decision: 'allow' }));
    const asked = aPerson(ctx);
    void approvals.request(aRequest());
    await settled();
    expect(asked).toHaveLength(1);
  });

  it('asks the rules about the scope of the question', async () => {
    const { ctx } = aBed();
    const paths: unknown[] = [];
    someRules(ctx, ({ scopePath }) => {
      paths.push(scopePath);
      return { decision: 'ask' };
    });
    const sub = ctx.scope('a').scope('b');
    await sub.tools.execute(aCall());
    await ctx.get('approval')!.request(aRequest({ scope: 'x/y' }));
    expect(paths[0]).toBe(sub.scopePath);
    expect(paths.at(-1)).toEqual(['x', 'y']);
  });

  it.each([
    ['throw', () => { throw new Error('broken'); }],
    ['answer nonsense', () => 'allow'],
    ['answer a promise', () => Promise.resolve({ decision: 'allow' })],
    ['answer an unknown decision', () => ({ decision: 'sure' })],
  ])('asks when the rules %s', async (_what, explain) => {
    const { ctx, approvals } = aBed();
    someRules(ctx, explain);
    const asked = aPerson(ctx);
    void approvals.request(aRequest());
    await settled();
    expect(asked).toHaveLength(1);
  });
});

describe('unmounting', () => {
  function mounted() {
    const log = aLogger();
    const ctx = createContext({ logger: log });
    ctx.plugin(tools);
    const handle = ctx.plugin(approval);
    ctx.tools.register(aTool());
    ctx.on('tools/pre-execute', () => ({ kind: 'ask' }));
    return { ctx, handle, log };
  }

  it('settles every open question as cancelled, asked or waiting, and tells of it', async () => {
    const { ctx, handle } = mounted();
    const decided: string[] = [];
    ctx.on('approval/decided', (_request, { kind }) => decided.push(kind));
    const asked = aPerson(ctx);
    const calls = [ctx.tools.execute(aCall()), ctx.scope('agent').tools.execute(aCall())];
    await settled();
    await handle.dispose();
    expect((await Promise.all(calls)).map(codeOf)).toEqual(['APPROVAL_CANCELLED', 'APPROVAL_CANCELLED']);
    expect(decided).toEqual(['cancelled', 'cancelled']);
    expect(asked).toHaveLength(1);
    expect(asked[0]!.request.signal.aborted).toBe(true);
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('APPROVAL_UNAVAILABLE');
    asked[0]!.answer(once);
    await ctx.dispose();
    expect(ctx.inspect().counts).toMatchObject({ plugins: 0, listeners: 0, services: 0 });
  });

  it('leaves no timer, although an answerer still hangs', async () => {
    vi.useFakeTimers();
    const { ctx, handle } = mounted();
    aPerson(ctx);
    const call = ctx.tools.execute(aCall());
    await settled();
    await handle.dispose();
    await call;
    await settled();
    expect(vi.getTimerCount()).toBe(0);
    const disposal = ctx.dispose();
    await vi.runAllTimersAsync();
    await disposal;
  });

  it('answers who kept the service that it is gone', async () => {
    const { ctx, handle } = mounted();
    const kept = approvals(ctx);
    await handle.dispose();
    expect(await kept.request(aRequest())).toMatchObject({ kind: 'unavailable' });
    expect(kept.pending()).toEqual([]);
    await ctx.dispose();
  });

  it('withdraws open questions when its config changes, and goes by the new one', async () => {
    const { ctx, handle } = mounted();
    const asked = aPerson(ctx);
    const call = ctx.tools.execute(aCall());
    await settled();
    await handle.update({ policy: 'never' });
    expect(codeOf(await call)).toBe('APPROVAL_CANCELLED');
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('APPROVAL_REJECTED');
    expect(asked).toHaveLength(1);
    asked[0]!.answer(no);
    await ctx.dispose();
  });

  it('cancels the questions of a scope that ends', async () => {
    const { ctx } = mounted();
    const asked = aPerson(ctx);
    const scope = ctx.scope('agent');
    const call = scope.tools.execute(aCall());
    await settled();
    const disposal = scope.dispose();
    await settled();
    expect(asked[0]!.request.signal.aborted).toBe(true);
    asked[0]!.answer(once);
    await disposal;
    expect(codeOf(await call)).toBe('ABORTED_BEFORE_DISPATCH');
    await ctx.dispose();
  });
});

describe('approvals()', () => {
  it('gives the whole service, and says what is missing where there is none', async () => {
    const ctx = createContext({ logger: aLogger() });
    expect(() => approvals(ctx)).toThrow('@sluice/approval');
    ctx.plugin(approval);
    expect(approvals(ctx).pending()).toEqual([]);
    await ctx.dispose();
  });
});

describe('config', () => {
  it.each([{ policy: 'sometimes' }, { timeoutMs: 0 }, { timeoutMs: -1 }, { timeoutMs: 3e9 }, { other: 1 }])('refuses %j', async (config) => {
    const ctx = createContext({ logger: aLogger() });
    expect(() => ctx.plugin(approval, config as never)).toThrow('approval');
    await ctx.dispose();
  });
});
