import { aCall, aGate, aTool, recordHooks } from '@sluice/testing';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { ApprovalOutcome, Context, Guard, PreToolDecision } from '../src/index.ts';
import { hostileThrows, hostileValues } from './hostile.ts';
import { codeOf, linesOf, setup, textOf, withBed } from './support.ts';

function aPipeline() {
  const bed = setup();
  const ran: string[] = [];
  bed.ctx.tools.register(
    aTool({
      execute: (args) => {
        ran.push('body');
        return args;
      },
    }),
  );
  bed.ctx.on('tools/post-execute', (_exec, _result, next) => {
    ran.push('post');
    return next();
  });
  return { ...bed, ran };
}

const noting = (ran: string[], name: string, verdict?: Awaited<ReturnType<Guard>>): Guard => () => {
  ran.push(name);
  return verdict;
};

describe('a verdict', () => {
  it.each<[string, Awaited<ReturnType<Guard>>, string]>([
    ['a reason', 'never on main', 'DENIED'],
    ['{ deny }', { deny: 'never on main' }, 'DENIED'],
    ['{ deny, code }', { deny: 'never on main', code: 'PROTECTED_BRANCH' }, 'PROTECTED_BRANCH'],
  ])('of %s denies, shaped like a denial of pre-execute: post-execute runs, wrappers and body do not [F120] [F123] [W32]', async (_what, verdict, code) => {
    for (const isAsync of [false, true]) {
      const { ctx, ran } = aPipeline();
      ctx.on('tools/execute', (_exec, next) => {
        ran.push('wrapper');
        return next();
      });
      ctx.tools.guard(isAsync ? async () => verdict : () => verdict);
      expect(await ctx.tools.execute(aCall({ callId: 'c1' }))).toEqual({
        isError: true,
        callId: 'c1',
        name: 'echo',
        error: { message: 'never on main', info: { name: expect.any(String), code, started: false, listener: 'app' } },
        content: [{ type: 'text', text: 'Error: never on main' }],
      });
      expect(ran).toEqual(['post']);
    }
  });

  it('of undefined lets the call go on, now or later [F120] [W32]', async () => {
    const { ctx, ran } = aPipeline();
    ctx.tools.guard(() => undefined);
    ctx.tools.guard(async () => undefined);
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
    expect(ran).toEqual(['body', 'post']);
  });

  it('of { ask } puts the call before a person, and without one denies [F120] [W32]', async () => {
    const { ctx } = aPipeline();
    ctx.tools.guard(() => ({ ask: 'it pushes to main' }));
    expect(await ctx.tools.execute(aCall())).toMatchObject({ error: { message: 'it pushes to main', info: { code: 'APPROVAL_UNAVAILABLE' } } });
    const reasons: unknown[] = [];
    ctx.provide('approval', {
      request: async ({ reason }) => {
        reasons.push(reason);
        return { kind: 'allowed-once' };
      },
    });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
    expect(reasons).toEqual(['it pushes to main']);
  });

  it('of { ask } does not stop the guards behind it: a later denial wins, and nobody is asked [F120] [W32]', async () => {
    const { ctx } = aPipeline();
    const request = vi.fn();
    ctx.provide('approval', { request });
    ctx.tools.guard(() => ({ ask: 'sure?' }));
    ctx.tools.guard(() => 'no');
    expect(textOf(await ctx.tools.execute(aCall()))).toBe('Error: no');
    expect(request).not.toHaveBeenCalled();
  });

  const malformed: [string, unknown][] = [
    ['an empty reason', ''],
    ['false', false],
    ['{ deny } without a reason', { deny: '' }],
    ['{ deny } with something else', { deny: true }],
    ['{ deny } with a bad code', { deny: 'no', code: 5 }],
    ['{ ask } without a reason', { ask: '' }],
    ['a bad denial beside a question', { deny: '', ask: 'sure?' }],
    ['an attempt to allow', { allow: true }],
    ['a decision of pre-execute', { kind: 'allow' }],
    ...hostileValues(),
  ];
  it.each(malformed)('that is nonsense (%s) is PIPELINE_FAILED naming the plugin and no permission [F129] [W1] [W32]', async (_what, verdict) => {
    for (const isAsync of [false, true]) {
      const { ctx, ran } = aPipeline();
      ctx.plugin({ name: 'babbler', apply: (own) => { own.tools.guard((isAsync ? async () => verdict : () => verdict) as never); } });
      const result = await ctx.tools.execute(aCall());
      expect(result).toMatchObject({ error: { info: { code: 'PIPELINE_FAILED', started: false, listener: 'babbler' } } });
      expect(ran).toEqual([]);
    }
  });

  it.each(hostileThrows())('that is thrown (%s) is a final PIPELINE_FAILED: post-execute is skipped, observers are told [F124]', async (_what, thrown) => {
    for (const guard of [() => { throw thrown; }, async () => { throw thrown; }] as Guard[]) {
      const { ctx, ran, log } = aPipeline();
      ctx.plugin({ name: 'shaky', apply: (own) => { own.tools.guard(guard); } });
      const recorder = recordHooks(ctx);
      const result = await ctx.tools.execute(aCall());
      expect(result).toMatchObject({ error: { info: { code: 'PIPELINE_FAILED', listener: 'shaky' } } });
      expect(ran).toEqual([]);
      expect(recorder.results()).toEqual([result]);
      expect(linesOf(log, 'error')).toHaveLength(1);
    }
  });

  it.each<[string, () => unknown]>([
    ['a promise', () => new Promise(() => undefined)],
    ['a thenable', () => ({ then: () => undefined })],
  ])('that never comes (%s) never lets the call through, and does not outlast an abort of the caller [F129] [W32]', async (_what, guard) => {
    vi.useFakeTimers();
    const { ctx, ran } = aPipeline();
    ctx.tools.guard(guard as Guard);
    const controller = new AbortController();
    let settled = false;
    const running = ctx.tools.execute(aCall({ signal: controller.signal })).finally(() => { settled = true; });
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(settled).toBe(false);
    controller.abort();
    await vi.advanceTimersByTimeAsync(500);
    expect(settled).toBe(true);
    expect(codeOf(await running)).toBe('ABORTED_BEFORE_DISPATCH');
    expect(ran).toEqual(['post']);
  });
});

describe('order', () => {
  it('runs guards after the whole of pre-execute, so that a prepended listener cannot overrule them [F121]', async () => {
    const { ctx, ran } = aPipeline();
    ctx.tools.guard(noting(ran, 'guard', 'no'));
    ctx.on('tools/pre-execute', async (_exec, next) => {
      await next();
      ran.push('pre');
      return { kind: 'allow' };
    }, { prepend: true });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('DENIED');
    expect(ran).toEqual(['pre', 'guard', 'post']);
  });

  it('does not run them for a call that pre-execute denied [F121]', async () => {
    const { ctx, ran } = aPipeline();
    ctx.tools.guard(noting(ran, 'guard', 'no'));
    ctx.on('tools/pre-execute', () => ({ kind: 'deny', reason: 'first' }));
    expect(textOf(await ctx.tools.execute(aCall()))).toBe('Error: first');
    expect(ran).toEqual(['post']);
  });

  it('asks global guards first, then each scope on the way down; the first denial wins and later ones are not consulted [F122]', async () => {
    const { ctx, ran } = aPipeline();
    const planner = ctx.scope('planner');
    const helper = planner.scope('helper');
    helper.tools.guard(noting(ran, 'helper', 'from the helper'));
    planner.tools.guard(noting(ran, 'planner'));
    ctx.tools.guard(noting(ran, 'global 1'));
    ctx.tools.guard(noting(ran, 'global 2'));
    expect(textOf(await helper.tools.execute(aCall()))).toBe('Error: from the helper');
    expect(ran.splice(0)).toEqual(['global 1', 'global 2', 'planner', 'helper', 'post']);
    planner.tools.guard(noting(ran, 'planner 2', 'from the planner'));
    expect(textOf(await helper.tools.execute(aCall()))).toBe('Error: from the planner');
    expect(ran.splice(0)).toEqual(['global 1', 'global 2', 'planner', 'planner 2', 'post']);
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
    expect(ran).toEqual(['global 1', 'global 2', 'body', 'post']);
  });

  it('consults a thousand guards that join meanwhile, and then fails the call, naming who registers them', async () => {
    const { ctx, ran } = aPipeline();
    let asked = 0;
    ctx.plugin({
      name: 'hydra',
      inject: ['tools'],
      apply(inner) {
        const head: Guard = () => {
          asked += 1;
          inner.tools.guard((exec) => head(exec));
          return undefined;
        };
        inner.tools.guard(head);
      },
    });
    const result = await ctx.tools.execute(aCall());
    expect(result).toMatchObject({ isError: true, error: { info: { code: 'PIPELINE_FAILED', listener: 'hydra', started: false } } });
    expect(textOf(result)).toMatch(/a guard of plugin "hydra" failed: 1000 guards were registered while this call was being judged/);
    expect(asked).toBe(1_001);
    expect(ran).toEqual([]);
  });

  it('consults any number of guards that were there before', async () => {
    const { ctx, ran } = aPipeline();
    let asked = 0;
    for (let i = 0; i < 1_500; i += 1) ctx.tools.guard(() => void (asked += 1));
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
    expect(asked).toBe(1_500);
    expect(ran).toEqual(['body', 'post']);
  });

  it('applies guards to nested calls; a call of an unknown tool fails before it could reach them [F125]', async () => {
    const { ctx, ran } = aPipeline();
    ctx.tools.register(aTool({ name: 'outer', execute: async (_args, exec) => codeOf(await exec.execute(aCall())) }));
    ctx.tools.guard((exec) => {
      ran.push(exec.name);
      return exec.name === 'echo' ? 'no' : undefined;
    });
    expect(await ctx.tools.execute({ name: 'outer' })).toMatchObject({ value: 'DENIED' });
    expect(ran.splice(0)).toEqual(['outer', 'echo', 'post', 'post']);
    expect(codeOf(await ctx.tools.execute({ name: 'nowhere' }))).toBe('UNKNOWN_TOOL');
    expect(ran).toEqual(['post']);
  });
});

describe('registration', () => {
  it('of the same function twice makes two guards, and each disposer removes one, once [F126]', async () => {
    const { ctx, ran } = aPipeline();
    const guard = noting(ran, 'guard');
    const first = ctx.tools.guard(guard);
    const second = ctx.tools.guard(guard);
    const consulted = async (): Promise<number> => {
      ran.length = 0;
      await ctx.tools.execute(aCall());
      return ran.filter((each) => each === 'guard').length;
    };
    expect(await consulted()).toBe(2);
    first();
    first();
    expect(await consulted()).toBe(1);
    second();
    expect(await consulted()).toBe(0);
  });

  it('of a guard by a guard counts for the same call, even when the first one removed itself meanwhile [F127]', async () => {
    const { ctx, ran } = aPipeline();
    const off = ctx.tools.guard(() => {
      off();
      ctx.tools.guard(noting(ran, 'successor', 'the successor says no'));
      return undefined;
    });
    expect(textOf(await ctx.tools.execute(aCall()))).toBe('Error: the successor says no');
  });

  it('removed by an earlier guard is not consulted any more [F127]', async () => {
    const { ctx } = aPipeline();
    const offs: (() => void)[] = [];
    ctx.tools.guard(() => {
      offs[0]!();
      return undefined;
    });
    offs.push(ctx.tools.guard(() => 'no'));
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
  });

  it('and removal say nothing on tools/change: tools are as they were [F128]', () => {
    const { ctx } = aPipeline();
    const changes: unknown[] = [];
    ctx.on('tools/change', (change) => { changes.push(change); });
    ctx.tools.guard(() => undefined)();
    expect(changes).toEqual([]);
  });

  it('takes a function and nothing else [F120]', () => {
    const { ctx } = aPipeline();
    expect(() => ctx.tools.guard('no' as never)).toThrow(TypeError);
    expect(() => ctx.tools.guard({ deny: 'no' } as never)).toThrow(TypeError);
  });
});

describe('no order of listeners undoes the denial of a guard', () => {
  type Kind = 'allow' | 'deny' | 'ask' | 'throw' | 'swallow and allow' | 'pass' | 'nonsense' | 'twice';
  const listener = (kind: Kind) => async (_exec: unknown, next: () => Promise<PreToolDecision>): Promise<PreToolDecision> => {
    switch (kind) {
      case 'allow':
        return { kind: 'allow' };
      case 'deny':
        return { kind: 'deny', reason: 'listener' };
      case 'ask':
        return { kind: 'ask' };
      case 'throw':
        throw new Error('listener');
      case 'swallow and allow':
        await next().catch(() => undefined);
        return { kind: 'allow' };
      case 'pass':
        return next();
      case 'nonsense':
        return undefined as never;
      case 'twice':
        await next();
        return next();
    }
  };
  const steps = fc.array(
    fc.oneof(
      fc.record({
        what: fc.constant('listener' as const),
        kind: fc.constantFrom<Kind>('allow', 'deny', 'ask', 'throw', 'swallow and allow', 'pass', 'nonsense', 'twice'),
        prepend: fc.boolean(),
        depth: fc.nat(2),
      }),
      fc.record({ what: fc.constant('guard' as const), verdict: fc.constantFrom('pass', 'ask', 'slow pass'), depth: fc.nat(2) }),
      fc.record({ what: fc.constant('wrapper' as const), success: fc.boolean(), depth: fc.nat(2) }),
    ),
    { maxLength: 8 },
  );
  const outcomes = fc.constantFrom<ApprovalOutcome | undefined>(undefined, { kind: 'allowed-once' }, { kind: 'allowed-always', rule: {} }, { kind: 'rejected' });

  it('whatever the mixture of listeners, guards, scopes and answers of a person [F121] [F122]', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps, outcomes, fc.nat(8), fc.nat(2), fc.constantFrom('text', 'record', 'slow'),
        async (mix, outcome, position, guardDepth, shape) => {
          await withBed(async ({ ctx }) => {
            let runs = 0;
            ctx.tools.register(aTool({ execute: () => (runs += 1) }));
            const planner = ctx.scope('planner');
            const layers: Context[] = [ctx, planner, planner.scope('helper')];
            if (outcome !== undefined) ctx.provide('approval', { request: async () => outcome });
            const deny: Guard = shape === 'slow' ? async () => 'never' : () => (shape === 'text' ? 'never' : { deny: 'never' });
            const actions = mix.map((step) => () => {
              const at = layers[step.depth]!;
              if (step.what === 'listener') at.on('tools/pre-execute', listener(step.kind), { prepend: step.prepend });
              else if (step.what === 'guard') at.tools.guard(step.verdict === 'ask' ? () => ({ ask: 'sure?' }) : step.verdict === 'pass' ? () => undefined : async () => undefined);
              else at.on('tools/execute', (_exec, next) => (step.success ? ({ isError: false, value: 1 } as never) : next()));
            });
            actions.splice(position, 0, () => layers[guardDepth]!.tools.guard(deny));
            for (const act of actions) act();
            const result = await layers[2]!.tools.execute(aCall());
            expect(result.isError).toBe(true);
            expect(['DENIED', 'PIPELINE_FAILED']).toContain(codeOf(result));
            expect(runs).toBe(0);
          });
        },
      ),
      { numRuns: 100 },
    );
  }, 60_000);

  it('in any permutation of one listener of each kind [F121]', async () => {
    const kinds: Kind[] = ['allow', 'deny', 'ask', 'throw'];
    const permutations = <T>(of: T[]): T[][] => (of.length < 2 ? [of] : of.flatMap((first, i) => permutations(of.toSpliced(i, 1)).map((rest) => [first, ...rest])));
    for (const order of permutations<Kind | 'guard'>([...kinds, 'guard'])) {
      await withBed(async ({ ctx }) => {
        let runs = 0;
        ctx.tools.register(aTool({ execute: () => (runs += 1) }));
        ctx.provide('approval', { request: async () => ({ kind: 'allowed-once' }) });
        for (const each of order) {
          if (each === 'guard') ctx.tools.guard(() => 'never');
          else ctx.on('tools/pre-execute', listener(each));
        }
        expect((await ctx.tools.execute(aCall())).isError, order.join()).toBe(true);
        expect(runs, order.join()).toBe(0);
      });
    }
  });
});

describe('a gate', () => {
  /** A policy that needs a service, guards every call and can be brought down and up. */
  function aGatedBed() {
    const bed = aPipeline();
    const asker = { name: 'asker', apply: (own: Context) => { own.provide('approval', { request: async () => ({ kind: 'allowed-once' }) }); } };
    const gate = { name: 'rules', gate: true, inject: ['approval'] as const, apply: (own: Context) => { own.tools.guard((exec) => (exec.callId === 'bad' ? 'bad call' : undefined)); } };
    return { ...bed, asker, gate };
  }
  const denied = { isError: true, error: { info: { name: 'PipelineError', code: 'PIPELINE_FAILED', started: false, listener: 'rules' } } };

  it('that waits for a service denies every call in its scope and says who and that the arguments are fine', async () => {
    const { ctx, ran, gate, asker } = aGatedBed();
    ctx.plugin(gate);
    const result = await ctx.tools.execute(aCall());
    expect(result).toMatchObject(denied);
    expect(textOf(result)).toMatch(/^Error: .*"rules"/);
    expect(ran).toEqual(['post']);
    const results = await ctx.tools.executeAll([aCall(), aCall()]);
    expect(results).toMatchObject([denied, denied]);
    ctx.plugin(asker);
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
    expect(codeOf(await ctx.tools.execute(aCall({ callId: 'bad' })))).toBe('DENIED');
  });

  it('that starts slowly denies until it is active', async () => {
    const { ctx } = aPipeline();
    const opened = aGate();
    const handle = ctx.plugin({ name: 'rules', gate: true, apply: () => opened.opened });
    expect(await ctx.tools.execute(aCall())).toMatchObject(denied);
    opened.open();
    await handle.ready;
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
  });

  it('that failed to start, at once or later, denies until it is disposed', async () => {
    for (const apply of [() => { throw new Error('bad rules'); }, async () => { throw new Error('bad rules'); }]) {
      const { ctx } = aPipeline();
      const handle = ctx.plugin({ name: 'rules', gate: true, apply });
      await expect(handle.ready).rejects.toThrow();
      expect(await ctx.tools.execute(aCall())).toMatchObject(denied);
      await handle.dispose();
      expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
    }
  });

  it('that is being updated denies until the new one is in force, and a failing update keeps the old rules', async () => {
    const { ctx } = aPipeline();
    let opened = aGate();
    let fails = false;
    const handle = ctx.plugin({
      name: 'rules',
      gate: true,
      config: { type: 'object', properties: { word: { type: 'string' } } },
      apply: async (own: Context, { word }: { word?: string }) => {
        if (word !== undefined) await opened.opened;
        if (fails) throw new Error('bad rules');
        own.tools.guard(() => word);
      },
    });
    await handle.ready;
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
    const updated = handle.update({ word: 'new rules' });
    expect(await ctx.tools.execute(aCall())).toMatchObject(denied);
    opened.open();
    await updated;
    expect(textOf(await ctx.tools.execute(aCall()))).toBe('Error: new rules');
    opened = aGate();
    fails = true;
    const failed = handle.update({ word: 'newer rules' });
    expect(await ctx.tools.execute(aCall())).toMatchObject(denied);
    opened.open();
    await expect(failed).rejects.toThrow();
    expect(textOf(await ctx.tools.execute(aCall()))).toBe('Error: new rules');
  });

  it('that is swapped again and again under 1,000 calls never lets a bad one through, and blames no good one', async () => {
    const { ctx } = aPipeline();
    const handle = ctx.plugin({
      name: 'rules',
      gate: true,
      config: { type: 'object', properties: { n: { type: 'number' } } },
      apply: async (own: Context, { n }: { n?: number }) => {
        if (n !== undefined && n % 2 === 1) await Promise.resolve();
        own.tools.guard(async (exec) => {
          await Promise.resolve();
          return exec.callId.startsWith('bad') ? 'bad call' : undefined;
        });
      },
    });
    await handle.ready;
    const codes: Record<string, Set<string>> = { bad: new Set(), good: new Set() };
    const calls: Promise<unknown>[] = [];
    const updates: Promise<void>[] = [];
    for (let i = 0; i < 1_000; i += 1) {
      const kind = i % 2 === 0 ? 'bad' : 'good';
      calls.push(ctx.tools.execute(aCall({ callId: `${kind}-${i}` })).then((result) => codes[kind]!.add(codeOf(result))));
      if (i % 50 === 10) updates.push(handle.update({ n: i / 10 }));
      if (i % 50 === 30) await Promise.all(updates);
      if (i % 3 === 0) await Promise.resolve();
    }
    await Promise.all([...calls, ...updates]);
    expect([...codes['bad']!].sort()).toEqual(['DENIED', 'PIPELINE_FAILED']);
    expect([...codes['good']!].sort()).toEqual(['PIPELINE_FAILED', 'ok']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
  });

  it('closes its own scope and those below it, and no other', async () => {
    const { ctx } = aPipeline();
    const planner = ctx.scope('planner');
    const helper = planner.scope('helper');
    const stranger = ctx.scope('stranger');
    planner.plugin({ name: 'rules', gate: true, inject: ['approval'], apply() {} });
    const codes = [];
    for (const each of [ctx, planner, helper, stranger]) codes.push(codeOf(await each.tools.execute(aCall())));
    expect(codes).toEqual(['ok', 'PIPELINE_FAILED', 'PIPELINE_FAILED', 'ok']);
  });

  it('closes nested calls of a body that was let through before', async () => {
    const { ctx } = aPipeline();
    let inner = '';
    ctx.tools.register(
      aTool({
        name: 'outer',
        execute: async (_args, exec) => {
          ctx.plugin({ name: 'rules', gate: true, inject: ['approval'], apply() {} });
          inner = codeOf(await exec.execute(aCall()));
          return null;
        },
      }),
    );
    expect(codeOf(await ctx.tools.execute({ name: 'outer' }))).toBe('ok');
    expect(inner).toBe('PIPELINE_FAILED');
  });

  it.each<[string, (own: Context, down: () => void) => void]>([
    ['pre-execute', (ctx, down) => { ctx.on('tools/pre-execute', (_exec, next) => { down(); return next(); }); }],
    ['the guards', (ctx, down) => { ctx.tools.guard(() => { down(); return undefined; }); }],
    ['a slow guard', (ctx, down) => { ctx.tools.guard(async () => { await Promise.resolve(); down(); return undefined; }); }],
  ])('that goes down while %s decide a call denies it', async (_where, listen) => {
    const { ctx, ran, gate, asker } = aGatedBed();
    const handle = ctx.plugin(asker);
    ctx.plugin(gate);
    let gone: Promise<void> | undefined;
    listen(ctx, () => { gone = handle.dispose(); });
    expect(await ctx.tools.execute(aCall())).toMatchObject(denied);
    expect(ran).toEqual(['post']);
    await gone;
  });

  it('that goes down while a person thinks denies what the person allows', async () => {
    const { ctx, ran } = aPipeline();
    let fails = false;
    const rules = ctx.plugin({
      name: 'rules',
      gate: true,
      config: { type: 'object', properties: { n: { type: 'number' } } },
      apply: () => (fails ? new Promise<void>(() => undefined) : undefined),
    });
    ctx.on('tools/pre-execute', () => ({ kind: 'ask' }));
    ctx.provide('approval', {
      request: async () => {
        fails = true;
        void rules.update({ n: 1 }).catch(() => undefined);
        return { kind: 'allowed-once' };
      },
    });
    expect(await ctx.tools.execute(aCall())).toMatchObject(denied);
    expect(ran).toEqual(['post']);
  });

  it('that goes down while a call waits for a lock denies it when its turn comes, and the lock is free again', async () => {
    const { ctx, gate, asker } = aGatedBed();
    const opened = aGate();
    const bodies: string[] = [];
    ctx.tools.register(
      aTool({
        name: 'edit',
        locks: () => ({ write: ['file'] }),
        execute: async (args) => {
          bodies.push(args['who'] as string);
          if (args['who'] === 'first') await opened.opened;
          return null;
        },
      }),
    );
    const handle = ctx.plugin(asker);
    ctx.plugin(gate);
    const first = ctx.tools.execute({ name: 'edit', arguments: { who: 'first' } });
    await vi.waitFor(() => { expect(bodies).toEqual(['first']); });
    const second = ctx.tools.execute({ name: 'edit', arguments: { who: 'second' } });
    await new Promise((resolve) => setImmediate(resolve));
    await handle.dispose();
    opened.open();
    expect(codeOf(await first)).toBe('ok');
    expect(await second).toMatchObject(denied);
    expect(bodies).toEqual(['first']);
    ctx.plugin(asker);
    expect(codeOf(await ctx.tools.execute({ name: 'edit', arguments: { who: 'third' } }))).toBe('ok');
  });

  it.each<[string, (ctx: Context) => void]>([
    ['alone', () => undefined],
    ['with a listener before it', (ctx) => { ctx.on('tools/pre-execute', async (_exec, next) => next()); }],
    ['with guards around it', (ctx) => { ctx.tools.guard(() => undefined); }],
    ['with a slow guard beside it', (ctx) => { ctx.tools.guard(async () => undefined); }],
    ['with a person who says yes', (ctx) => {
      ctx.on('tools/pre-execute', () => ({ kind: 'ask' }));
      ctx.provide('approval', { request: async () => ({ kind: 'allowed-once' }) });
    }],
  ])('(%s) that goes down and comes back at any moment of a call never lets it past its guard', async (_what, mount) => {
    const ticks = 12;
    const rulebook = 'rulebook' as never;
    for (let down = 0; down < ticks; down += 1) {
      for (let up = down + 1; up <= ticks; up += 1) {
        await withBed(async ({ ctx }) => {
          ctx.tools.register(aTool());
          const shelf = { name: 'shelf', apply: (own: Context) => { own.provide(rulebook, {} as never); } };
          const provider = ctx.plugin(shelf);
          mount(ctx);
          ctx.plugin({ name: 'rules', gate: true, inject: [rulebook], apply: (own) => { own.tools.guard(() => 'never'); } });
          const running = ctx.tools.execute(aCall());
          let gone: Promise<void> | undefined;
          for (let tick = 0; tick <= ticks; tick += 1) {
            if (tick === down) gone = provider.dispose();
            if (tick === up) ctx.plugin(shelf);
            await Promise.resolve();
          }
          const result = await running;
          expect(result.isError, `down at ${down}, up at ${up}`).toBe(true);
          await gone;
        });
      }
    }
  }, 60_000);
});
