import { aCall, aGate, aTool, recordHooks } from '@sluice/testing';
import { describe, expect, it, vi } from 'vitest';
import type { PreToolDecision } from '../src/index.ts';
import { hostileThrows, hostileValues } from './hostile.ts';
import { codeOf, linesOf, setup, textOf } from './support.ts';

/** A bed with a tool `echo` that notes its runs, and guards and wrappers that note theirs. */
function aPipeline() {
  const bed = setup();
  const { ctx } = bed;
  const ran: string[] = [];
  ctx.tools.register(
    aTool({
      execute: (args) => {
        ran.push('body');
        return args;
      },
      finalizeContent: () => {
        ran.push('finalize');
        return undefined;
      },
    }),
  );
  ctx.tools.guard(() => {
    ran.push('guard');
    return undefined;
  });
  ctx.on('tools/execute', (_exec, next) => {
    ran.push('wrapper');
    return next();
  });
  ctx.on('tools/post-execute', (_exec, _result, next) => {
    ran.push('post');
    return next();
  });
  ctx.on('tools/result', () => { ran.push('result'); });
  return { ...bed, ran };
}

const EVERYTHING = ['guard', 'wrapper', 'body', 'post', 'finalize', 'result'];

describe('composition', () => {
  it('runs listeners outermost first, in the order of registration, a prepended one before all, with allow innermost [F102]', async () => {
    const { ctx, ran } = aPipeline();
    const seen: string[] = [];
    const listen = (name: string, prepend = false): void => {
      ctx.on(
        'tools/pre-execute',
        async (_exec, next) => {
          seen.push(`${name}>`);
          const decision = await next();
          seen.push(`<${name} ${decision.kind}`);
          return decision;
        },
        { prepend },
      );
    };
    listen('first');
    listen('second');
    listen('prepended', true);
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
    expect(seen).toEqual(['prepended>', 'first>', 'second>', '<second allow', '<first allow', '<prepended allow']);
    expect(ran).toEqual(EVERYTHING);
  });

  it('short-circuits when a listener does not call next() [F102]', async () => {
    const { ctx } = aPipeline();
    const inner = vi.fn();
    ctx.on('tools/pre-execute', () => ({ kind: 'allow' }));
    ctx.on('tools/pre-execute', (_exec, next) => {
      inner();
      return next();
    });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
    expect(inner).not.toHaveBeenCalled();
  });

  it('runs everything inside anew when next() is called again [F102]', async () => {
    const { ctx } = aPipeline();
    let calls = 0;
    ctx.on('tools/pre-execute', async (_exec, next) => {
      await next();
      return next();
    });
    ctx.on('tools/pre-execute', (_exec, next) => next());
    ctx.on('tools/pre-execute', (_exec, next) => {
      calls += 1;
      return next();
    });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
    expect(calls).toBe(2);
  });

  it('lets a listener tighten what an inner one allowed, and loosen what an inner one denied: only guards are final [F102]', async () => {
    const { ctx } = aPipeline();
    ctx.on('tools/pre-execute', async (_exec, next) => {
      const inner = await next();
      return inner.kind === 'deny' ? { kind: 'allow' } : { kind: 'deny', reason: 'only what others deny' };
    });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('DENIED');
    ctx.on('tools/pre-execute', () => ({ kind: 'deny', reason: 'no' }));
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
  });

  it('hands out frozen decisions: nobody turns another listener\'s denial into something else in place [F102] [W9]', async () => {
    for (const tamper of [
      (decision: Record<string, unknown>) => { decision['kind'] = 'allow'; },
      (decision: Record<string, unknown>) => { decision['kind'] = 'whatever'; },
      (decision: Record<string, unknown>) => { decision['reason'] = ''; },
    ]) {
      for (const inner of [{ kind: 'deny', reason: 'no' }, { kind: 'deny', reason: 'no', code: 'QUOTA' }, { kind: 'ask', reason: 'sure?' }, { kind: 'ask' }] as const) {
        const { ctx, ran } = aPipeline();
        const seen: PreToolDecision[] = [];
        ctx.on('tools/pre-execute', async (_exec, next) => {
          const decision = await next();
          seen.push(decision);
          tamper(decision);
          return decision;
        });
        ctx.on('tools/pre-execute', () => inner);
        expect(codeOf(await ctx.tools.execute(aCall()))).toBe('PIPELINE_FAILED');
        expect(ran).not.toContain('body');
        expect(seen).toEqual([inner]);
        expect(Object.isFrozen(seen[0])).toBe(true);
      }
    }
  });

  it('keeps the chain that a call entered with when a plugin is unmounted meanwhile [F102]', async () => {
    const { ctx, ran } = aPipeline();
    const gate = aGate();
    ctx.on('tools/pre-execute', async (_exec, next) => {
      await gate.opened;
      return next();
    });
    const denier = ctx.plugin({ name: 'denier', apply: (own) => { own.on('tools/pre-execute', () => ({ kind: 'deny', reason: 'no' })); } });
    const running = ctx.tools.execute(aCall());
    const unmounted = denier.dispose();
    gate.open();
    expect(codeOf(await running)).toBe('DENIED');
    await unmounted;
    ran.length = 0;
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('ok');
    expect(ran).toEqual(EVERYTHING);
  });

  it('passes the exec of the call and nothing that could rewrite its arguments [F103]', async () => {
    const { ctx, ran } = aPipeline();
    ctx.on('tools/pre-execute', () => ({ kind: 'allow', arguments: { message: 'rewritten' }, name: 'other' }) as PreToolDecision);
    expect(await ctx.tools.execute(aCall())).toMatchObject({ isError: false, value: { message: 'hello' } });
    expect(ran).toEqual(EVERYTHING);
  });

  it('goes through pre-execute, guards and wrappers only when the tool exists and the arguments fit; both failures go on at post-execute [F106]', async () => {
    const { ctx, ran } = aPipeline();
    ctx.on('tools/pre-execute', (_exec, next) => {
      ran.push('pre');
      return next();
    });
    expect(codeOf(await ctx.tools.execute({ name: 'ecko' }))).toBe('UNKNOWN_TOOL');
    expect(ran.splice(0)).toEqual(['post', 'result']);
    expect(codeOf(await ctx.tools.execute(aCall({ arguments: [] })))).toBe('INVALID_ARGS');
    expect(ran).toEqual(['post', 'finalize', 'result']);
  });
});

describe('scopes', () => {
  it('lets a listener see the calls of its own scope and those below it, and no others [F107]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    const planner = ctx.scope('planner');
    const helper = planner.scope('helper');
    const stranger = ctx.scope('stranger');
    planner.on('tools/pre-execute', () => ({ kind: 'deny', reason: 'not for planners' }));
    const codes = [];
    for (const each of [ctx, planner, helper, stranger]) codes.push(codeOf(await each.tools.execute(aCall())));
    expect(codes).toEqual(['ok', 'DENIED', 'DENIED', 'ok']);
  });

  it('applies the listeners of a scope to the nested calls that are made in it [F107]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    ctx.tools.register(aTool({ name: 'outer', execute: async (_args, exec) => codeOf(await exec.execute(aCall())) }));
    const planner = ctx.scope('planner');
    planner.on('tools/pre-execute', (exec, next) => (exec.name === 'echo' ? { kind: 'deny', reason: 'no' } : next()));
    expect(await planner.tools.execute({ name: 'outer' })).toMatchObject({ value: 'DENIED' });
    expect(await ctx.tools.execute({ name: 'outer' })).toMatchObject({ value: 'ok' });
  });
});

describe('a denial', () => {
  it('is a failure with the reason as message and text and the code DENIED; guards, wrappers and body are skipped, post-execute is not [F103] [F104] [W18]', async () => {
    const { ctx, ran } = aPipeline();
    ctx.on('tools/pre-execute', () => ({ kind: 'deny', reason: 'not on Sundays' }));
    expect(await ctx.tools.execute(aCall({ callId: 'c1' }))).toEqual({
      isError: true,
      callId: 'c1',
      name: 'echo',
      error: { message: 'not on Sundays', info: { name: 'ToolDeniedError', code: 'DENIED', started: false, listener: 'app' } },
      content: [{ type: 'text', text: 'Error: not on Sundays' }],
    });
    expect(ran).toEqual(['post', 'finalize', 'result']);
  });

  it('may carry a code of its own [F104] [W18]', async () => {
    const { ctx } = aPipeline();
    ctx.on('tools/pre-execute', () => ({ kind: 'deny', reason: 'too many', code: 'QUOTA' }));
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('QUOTA');
  });

  it('of a promise is a denial as well [F104]', async () => {
    const { ctx, ran } = aPipeline();
    ctx.on('tools/pre-execute', async () => ({ kind: 'deny', reason: 'no' }));
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('DENIED');
    expect(ran).not.toContain('body');
  });
});

describe('a listener that fails', () => {
  it.each(hostileThrows())('by throwing %s ends the call with PIPELINE_FAILED naming its plugin; post-execute is skipped, the finalizer and the observers are not [F105]', async (_what, thrown) => {
    for (const isAsync of [false, true]) {
      const { ctx, log, ran } = aPipeline();
      const plugin = { name: 'shaky', apply: (own: typeof ctx) => { own.on('tools/pre-execute', isAsync ? async () => { throw thrown; } : () => { throw thrown; }); } };
      ctx.plugin(plugin);
      const result = await ctx.tools.execute(aCall());
      expect(result).toMatchObject({ isError: true, error: { info: { name: 'PipelineError', code: 'PIPELINE_FAILED', started: false, listener: 'shaky' } } });
      expect(textOf(result)).toMatch(/^Error: .*shaky/);
      expect(ran).toEqual(['finalize', 'result']);
      expect(linesOf(log, 'error')).toHaveLength(1);
      expect(linesOf(log, 'error')[0]).toContain('shaky');
    }
  });

  it('keeps the code of what it threw as causeCode, and its message without the stack [F105]', async () => {
    const { ctx } = aPipeline();
    ctx.on('tools/pre-execute', () => { throw Object.assign(new Error('no such rules'), { code: 'ENOENT' }); });
    const result = await ctx.tools.execute(aCall());
    expect(result).toMatchObject({ error: { info: { code: 'PIPELINE_FAILED', causeCode: 'ENOENT' } } });
    expect(textOf(result)).toContain('no such rules');
    expect(textOf(result)).not.toContain('pre-execute.spec');
  });

  it('is the one that is named, whoever further out passes its failure on or fails because of it [F105]', async () => {
    const outers: ((next: () => Promise<PreToolDecision>) => Promise<PreToolDecision>)[] = [
      (next) => next(),
      async (next) => next(),
      (next) => next().catch(() => { throw new Error('a failure of my own'); }),
    ];
    for (const outer of outers) {
      const { ctx } = aPipeline();
      ctx.on('tools/pre-execute', (_exec, next) => outer(next));
      ctx.plugin({ name: 'shaky', apply: (own) => { own.on('tools/pre-execute', () => { throw new Error('broken'); }); } });
      expect(await ctx.tools.execute(aCall())).toMatchObject({ error: { message: expect.stringContaining('broken'), info: { listener: 'shaky' } } });
    }
  });

  it('cannot be overruled by an outer listener that swallows the failure and allows [F105] [W1]', async () => {
    const { ctx, ran } = aPipeline();
    const swallow = async (next: () => Promise<PreToolDecision>): Promise<PreToolDecision> => {
      await next().catch(() => undefined);
      return { kind: 'allow' };
    };
    ctx.on('tools/pre-execute', (_exec, next) => swallow(next));
    ctx.plugin({ name: 'shaky', apply: (own) => { own.on('tools/pre-execute', () => { throw new Error('broken'); }); } });
    const result = await ctx.tools.execute(aCall());
    expect(result).toMatchObject({ error: { info: { code: 'PIPELINE_FAILED', listener: 'shaky' } } });
    expect(ran).not.toContain('body');
  });

  it('in the promise of a next() that an outer listener dropped is no unhandled rejection [F105]', async () => {
    const { ctx } = aPipeline();
    ctx.on('tools/pre-execute', (_exec, next) => {
      void next();
      return { kind: 'deny', reason: 'no' };
    });
    const gate = aGate();
    ctx.on('tools/pre-execute', async () => {
      await gate.opened;
      throw new Error('late');
    });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('DENIED');
    gate.open();
    // An unhandled rejection fails the run.
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('an answer that is no decision', () => {
  const malformed: [string, unknown][] = [
    ['undefined', undefined],
    ['a deny without a reason', { kind: 'deny' }],
    ['a deny with an empty reason', { kind: 'deny', reason: '' }],
    ['a deny whose reason is no text', { kind: 'deny', reason: 7 }],
    ['a deny with an empty code', { kind: 'deny', reason: 'no', code: '' }],
    ['a deny whose code is no text', { kind: 'deny', reason: 'no', code: 7 }],
    ['an ask whose reason is no text', { kind: 'ask', reason: {} }],
    ['an unknown kind', { kind: 'permit' }],
    ['a kind with a typo', { kind: 'Allow' }],
    ['the bare word', 'allow'],
    ['a promise in a record', { kind: Promise.resolve('allow') }],
    ...hostileValues(),
  ];
  it.each(malformed)('(%s) denies with PIPELINE_FAILED naming the plugin, and neither runs the tool nor asks the guards [F108] [F109] [W1]', async (_what, answer) => {
    for (const isAsync of [false, true]) {
      const { ctx, ran } = aPipeline();
      ctx.plugin({ name: 'babbler', apply: (own) => { own.on('tools/pre-execute', (isAsync ? async () => answer : () => answer) as never); } });
      const result = await ctx.tools.execute(aCall());
      expect(result).toMatchObject({ isError: true, error: { info: { code: 'PIPELINE_FAILED', started: false, listener: 'babbler' } } });
      expect(ran).toEqual(['finalize', 'result']);
    }
  });

  it('fails its own plugin even when an outer listener would answer well [F108] [W1]', async () => {
    const { ctx, ran } = aPipeline();
    ctx.on('tools/pre-execute', async (_exec, next) => {
      try {
        return await next();
      } catch {
        return { kind: 'allow' };
      }
    });
    ctx.plugin({ name: 'babbler', apply: (own) => { own.on('tools/pre-execute', (() => undefined) as never); } });
    expect(await ctx.tools.execute(aCall())).toMatchObject({ error: { info: { code: 'PIPELINE_FAILED', listener: 'babbler' } } });
    expect(ran).not.toContain('body');
  });
});

describe('a listener that hangs', () => {
  it('never lets the call through, and an abort of the caller settles it promptly as never dispatched [H073]', async () => {
    vi.useFakeTimers();
    const { ctx, ran } = aPipeline();
    const gate = aGate();
    ctx.on('tools/pre-execute', async (_exec, next) => {
      await gate.opened;
      return next();
    });
    const controller = new AbortController();
    let settled = false;
    const running = ctx.tools.execute(aCall({ signal: controller.signal })).finally(() => { settled = true; });
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(settled).toBe(false);
    controller.abort();
    await vi.advanceTimersByTimeAsync(500);
    expect(settled).toBe(true);
    expect(await running).toMatchObject({ error: { info: { code: 'ABORTED_BEFORE_DISPATCH', started: false } } });
    expect(ran).toEqual(['post', 'finalize', 'result']);
    gate.open();
  });

  it('is the same as a thenable that never answers [H073]', async () => {
    vi.useFakeTimers();
    const { ctx, ran } = aPipeline();
    const answers: (() => void)[] = [];
    ctx.on('tools/pre-execute', () => ({ then: (resolve: () => void) => answers.push(resolve) }) as never);
    const controller = new AbortController();
    const running = ctx.tools.execute(aCall({ signal: controller.signal }));
    controller.abort();
    await vi.advanceTimersByTimeAsync(500);
    expect(codeOf(await running)).toBe('ABORTED_BEFORE_DISPATCH');
    expect(ran).not.toContain('body');
    for (const answer of answers) answer();
  });

  it('changes nothing when it answers after all: no second result, no body, and no listener further in is bothered [H073]', async () => {
    vi.useFakeTimers();
    const { ctx, ran } = aPipeline();
    const gate = aGate();
    ctx.on('tools/pre-execute', async (_exec, next) => {
      await gate.opened;
      return next();
    });
    ctx.on('tools/pre-execute', (_exec, next) => {
      ran.push('inner');
      return next();
    });
    const recorder = recordHooks(ctx);
    const controller = new AbortController();
    const running = ctx.tools.execute(aCall({ signal: controller.signal }));
    controller.abort();
    await vi.advanceTimersByTimeAsync(500);
    await running;
    gate.open();
    await vi.advanceTimersByTimeAsync(500);
    expect(ran).toEqual(['post', 'finalize', 'result']);
    expect(recorder.results()).toHaveLength(1);
  });

  it('harms nobody when it rejects after all [H073]', async () => {
    vi.useFakeTimers();
    const { ctx } = aPipeline();
    const gate = aGate();
    ctx.on('tools/pre-execute', async () => {
      await gate.opened;
      throw new Error('too late');
    });
    const controller = new AbortController();
    const running = ctx.tools.execute(aCall({ signal: controller.signal }));
    controller.abort();
    await vi.advanceTimersByTimeAsync(500);
    expect(codeOf(await running)).toBe('ABORTED_BEFORE_DISPATCH');
    gate.open();
    await vi.advanceTimersByTimeAsync(0);
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
  });
});
