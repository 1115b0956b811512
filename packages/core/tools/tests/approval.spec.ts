import { aCall, aGate, aTool, recordHooks } from '@sluice/testing';
import { describe, expect, it, vi } from 'vitest';
import type { ApprovalOutcome, ApprovalRequest, Context } from '../src/index.ts';
import { hostileThrows, hostileValues } from './hostile.ts';
import { codeOf, linesOf, setup, textOf } from './support.ts';

/** A bed with a tool `echo` that notes its runs, and a policy that asks. */
function aQuestion(reason?: string) {
  const bed = setup();
  const { ctx } = bed;
  const ran: string[] = [];
  ctx.tools.register(
    aTool({
      execute: (args) => {
        ran.push('body');
        return args;
      },
    }),
  );
  ctx.on('tools/pre-execute', () => (reason === undefined ? { kind: 'ask' } : { kind: 'ask', reason }));
  ctx.on('tools/post-execute', (_exec, _result, next) => {
    ran.push('post');
    return next();
  });
  return { ...bed, ran };
}

/** Answers every question the same way, and keeps the questions. */
function answering(ctx: Context, answer: ApprovalOutcome | ((request: ApprovalRequest) => Promise<ApprovalOutcome>)): ApprovalRequest[] {
  const requests: ApprovalRequest[] = [];
  ctx.provide('approval', {
    request: async (request) => {
      requests.push(request);
      return typeof answer === 'function' ? answer(request) : answer;
    },
  });
  return requests;
}

describe('a question nobody can be asked', () => {
  it('denies with its own reason and APPROVAL_UNAVAILABLE when there is no service, and says in the hint that it needs approval [F111] [W18]', async () => {
    const { ctx, ran } = aQuestion('writes outside the workspace');
    const result = await ctx.tools.execute(aCall());
    expect(result).toMatchObject({
      isError: true,
      error: { message: 'writes outside the workspace', info: { name: 'ToolDeniedError', code: 'APPROVAL_UNAVAILABLE', started: false } },
    });
    expect(textOf(result)).toMatch(/^Error: writes outside the workspace\n.*approval/);
    expect(ran).toEqual(['post']);
  });

  it('names the tool when there was no reason [F111]', async () => {
    const { ctx } = aQuestion();
    expect(textOf(await ctx.tools.execute(aCall()))).toMatch(/^Error: .*"echo".*approval/);
  });

  it('is asked at the root as well as in a scope: no agent is needed [F112]', async () => {
    const { ctx } = aQuestion();
    const requests = answering(ctx, { kind: 'allowed-once' });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
    expect(codeOf(await ctx.scope('planner').scope('helper').tools.execute(aCall()))).toBe('ok');
    expect(requests.map(({ scope }) => scope)).toEqual([undefined, 'planner/helper']);
  });

  it('looks the service up for every question, so that unloading it mid-session denies [F119]', async () => {
    const { ctx } = aQuestion();
    const handle = ctx.plugin({ name: 'asker', apply: (own) => { answering(own, { kind: 'allowed-once' }); } });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
    await handle.dispose();
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('APPROVAL_UNAVAILABLE');
    answering(ctx, { kind: 'allowed-once' });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
  });

  it('finds the nearest service of the asking scope [F119]', async () => {
    const { ctx } = aQuestion();
    answering(ctx, { kind: 'rejected' });
    const scope = ctx.scope('trusted');
    answering(scope, { kind: 'allowed-once' });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('APPROVAL_REJECTED');
    expect(codeOf(await scope.tools.execute(aCall()))).toBe('ok');
  });
});

describe('the request', () => {
  it('shows the exact call: tool, call id, frozen arguments, card, reason and the signal of the caller [F113]', async () => {
    const { ctx } = aQuestion('it looks dangerous');
    const requests = answering(ctx, { kind: 'allowed-once' });
    const { signal } = new AbortController();
    await ctx.tools.execute(aCall({ callId: 'c1', signal, arguments: { path: 'a.md' } }));
    await ctx.tools.execute(aCall({ callId: 'c1' }));
    expect(requests[0]).toEqual({
      id: expect.any(String),
      toolName: 'echo',
      callId: 'c1',
      arguments: { path: 'a.md' },
      view: { card: 'generic', title: 'echo', rawInput: { path: 'a.md' } },
      reason: 'it looks dangerous',
      signal,
    });
    expect(requests[0]!.signal).toBe(signal);
    expect(Object.isFrozen(requests[0])).toBe(true);
    expect(Object.isFrozen(requests[0]!.arguments)).toBe(true);
    expect(requests[0]!.id).not.toBe(requests[1]!.id);
  });

  it('is never made for a call that cannot run, nor when a guard denies it anyway [F113]', async () => {
    const { ctx } = aQuestion();
    const requests = answering(ctx, { kind: 'allowed-once' });
    ctx.tools.guard((exec) => (exec.callId === 'guarded' ? 'no' : undefined));
    expect(codeOf(await ctx.tools.execute({ name: 'nope' }))).toBe('UNKNOWN_TOOL');
    expect(codeOf(await ctx.tools.execute(aCall({ arguments: 5 })))).toBe('INVALID_ARGS');
    expect(codeOf(await ctx.tools.execute(aCall({ callId: 'guarded' })))).toBe('DENIED');
    expect(codeOf(await ctx.tools.execute(aCall({ signal: AbortSignal.abort() })))).toBe('ABORTED_BEFORE_DISPATCH');
    expect(requests).toEqual([]);
  });

  it('is not made when the caller gave up while policy was deciding: nobody is asked in vain [F113]', async () => {
    const { ctx, ran } = aQuestion();
    const requests = answering(ctx, { kind: 'allowed-once' });
    const controller = new AbortController();
    ctx.tools.guard(() => {
      controller.abort();
      return undefined;
    });
    expect(codeOf(await ctx.tools.execute(aCall({ signal: controller.signal })))).toBe('ABORTED_BEFORE_DISPATCH');
    expect(requests).toEqual([]);
    expect(ran).toEqual(['post']);
  });

  it('announces tools/hold around the question, for the call and for those that wait for it [F113]', async () => {
    const { ctx } = aQuestion();
    ctx.tools.register(aTool({ name: 'outer', execute: async (_args, exec) => (await exec.execute(aCall({ callId: 'in' }))).isError }));
    answering(ctx, async (request) => ({ kind: request.toolName === 'outer' ? 'allowed-once' : 'cancelled' }));
    const held: unknown[] = [];
    ctx.on('tools/hold', ({ callId, held: isHeld }) => { held.push([callId, isHeld]); });
    await ctx.tools.execute({ name: 'outer', callId: 'out' });
    expect(held).toEqual([
      ['out', true], ['out', false],
      ['in', true], ['out', true], ['in', false], ['out', false],
    ]);
  });
});

describe('the answer', () => {
  it.each<[ApprovalOutcome, string, RegExp]>([
    [{ kind: 'rejected' }, 'APPROVAL_REJECTED', /^Error: the user rejected tool "echo"$/],
    [{ kind: 'rejected', feedback: 'use the staging server' }, 'APPROVAL_REJECTED', /^Error: the user rejected tool "echo": use the staging server$/],
    [{ kind: 'cancelled' }, 'APPROVAL_CANCELLED', /^Error: approval for tool "echo" was cancelled$/],
    [{ kind: 'unavailable', why: 'no terminal' }, 'APPROVAL_UNAVAILABLE', /^Error: no approval channel is available for tool "echo": no terminal$/],
  ])('%j denies with %s on the ordinary path: the body is skipped, post-execute is not [F114] [F115] [W18]', async (outcome, code, text) => {
    const { ctx, ran } = aQuestion();
    answering(ctx, outcome);
    const result = await ctx.tools.execute(aCall());
    expect(result).toMatchObject({ isError: true, error: { info: { name: 'ToolDeniedError', code, started: false } } });
    expect(textOf(result)).toMatch(text);
    expect(ran).toEqual(['post']);
  });

  it.each<ApprovalOutcome>([{ kind: 'allowed-once' }, { kind: 'allowed-always', rule: { tool: 'echo' } }])('%j goes on to the guards, once more, and then to the tool [F114]', async (outcome) => {
    const { ctx, ran } = aQuestion();
    ctx.tools.guard(() => {
      ran.push('guard');
      return undefined;
    });
    answering(ctx, async () => {
      ran.push('asked');
      return outcome;
    });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
    expect(ran).toEqual(['guard', 'asked', 'guard', 'body', 'post']);
  });

  it('of a grant does not help against a guard that denies only afterwards [F114]', async () => {
    const { ctx, ran } = aQuestion();
    let granted = false;
    ctx.tools.guard(() => (granted ? 'the budget is spent' : undefined));
    answering(ctx, async () => {
      granted = true;
      return { kind: 'allowed-once' };
    });
    expect(textOf(await ctx.tools.execute(aCall()))).toBe('Error: the budget is spent');
    expect(ran).toEqual(['post']);
  });

  it('of one grant counts for the questions of listeners and guards together: a person is asked once [F114]', async () => {
    const { ctx } = aQuestion('policy says so');
    ctx.tools.guard(() => ({ ask: 'the guard wants to know too' }));
    const requests = answering(ctx, { kind: 'allowed-once' });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
    expect(requests.map(({ reason }) => reason)).toEqual(['policy says so']);
  });

  it('that is cancelled because the caller gave up is ABORTED_BEFORE_DISPATCH and not a denial; others keep their meaning [F116]', async () => {
    const outcomes: [ApprovalOutcome, string][] = [
      [{ kind: 'cancelled' }, 'ABORTED_BEFORE_DISPATCH'],
      [{ kind: 'allowed-once' }, 'ABORTED_BEFORE_DISPATCH'],
      [{ kind: 'rejected' }, 'APPROVAL_REJECTED'],
      [{ kind: 'unavailable', why: 'gone' }, 'APPROVAL_UNAVAILABLE'],
    ];
    for (const [outcome, code] of outcomes) {
      const { ctx, ran } = aQuestion();
      const controller = new AbortController();
      answering(ctx, async () => {
        controller.abort();
        return outcome;
      });
      expect(codeOf(await ctx.tools.execute(aCall({ signal: controller.signal })))).toBe(code);
      expect(ran).toEqual(['post']);
    }
  });

  it.each([...hostileValues(), ['undefined', undefined], ['an unknown kind', { kind: 'sure' }], ['a bare word', 'allowed-once']] as [string, unknown][])(
    'that is nonsense (%s) is PIPELINE_FAILED and never a grant [F117]',
    async (_what, answer) => {
      const { ctx, ran, log } = aQuestion();
      answering(ctx, answer === undefined ? async () => undefined as never : async () => answer as never);
      const result = await ctx.tools.execute(aCall());
      expect(result).toMatchObject({ error: { info: { code: 'PIPELINE_FAILED', started: false, listener: 'approval' } } });
      expect(ran).toEqual([]);
      expect(linesOf(log, 'error')).toHaveLength(1);
    },
  );

  it.each(hostileThrows())('that is a rejection (%s) is PIPELINE_FAILED and bypasses post-execute, thrown or rejected [F117]', async (_what, thrown) => {
    for (const request of [async () => { throw thrown; }, () => { throw thrown; }]) {
      const { ctx, ran } = aQuestion();
      ctx.provide('approval', { request });
      expect(codeOf(await ctx.tools.execute(aCall()))).toBe('PIPELINE_FAILED');
      expect(ran).toEqual([]);
    }
  });

  it.each<[string, unknown]>([
    ['has no request function', {}],
    ['has one that throws when read', { get request() { throw new Error('no'); } }],
    ['cannot be bound', { bind: () => { throw new Error('no'); } }],
  ])('of a service that %s is PIPELINE_FAILED [F117] [W10]', async (_what, service) => {
    const { ctx, ran } = aQuestion();
    ctx.provide('approval', service as never);
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('PIPELINE_FAILED');
    expect(ran).toEqual([]);
  });
});

describe('waiting for a person', () => {
  it('takes as long as it takes, and an abort of the caller ends it promptly; the late answer is dropped [F116] [F118]', async () => {
    vi.useFakeTimers();
    const { ctx, ran } = aQuestion();
    const gate = aGate();
    answering(ctx, async () => {
      await gate.opened;
      return { kind: 'allowed-once' };
    });
    const recorder = recordHooks(ctx);
    const controller = new AbortController();
    let settled = false;
    const running = ctx.tools.execute(aCall({ callId: 'c1', signal: controller.signal })).finally(() => { settled = true; });
    await vi.advanceTimersByTimeAsync(86_400_000);
    expect(settled).toBe(false);
    controller.abort();
    await vi.advanceTimersByTimeAsync(500);
    expect(codeOf(await running)).toBe('ABORTED_BEFORE_DISPATCH');
    gate.open();
    await vi.advanceTimersByTimeAsync(500);
    expect(ran).toEqual(['post']);
    expect(recorder.results()).toHaveLength(1);
    expect(recorder.trace('c1').filter((each) => each === 'tools/hold')).toHaveLength(2);
  });

  it('ends when the context goes away, as the abort that it is [F118]', async () => {
    const { ctx } = aQuestion();
    answering(ctx, () => new Promise<never>(() => undefined));
    const scope = ctx.scope('planner');
    const running = scope.tools.execute(aCall());
    await scope.dispose();
    expect(codeOf(await running)).toBe('ABORTED_BEFORE_DISPATCH');
  });
});
