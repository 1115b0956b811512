import { isSluiceError } from '@sluice/core-schema';
import { DisposeError, type Context } from '@sluice/core-context';
import { describe, expect, it, vi } from 'vitest';
import { aContext, aPlugin, aSwitch, EMPTY, idle, isSettled } from './support.ts';

const ask = (ctx: Context): Promise<string> => ctx.waterfall('host-test/ask', ['?'], () => '');

describe('ending a plugin', () => {
  it('takes its registrations away at once, before anything is awaited', () => {
    const { ctx } = aContext();
    const detach = vi.fn();
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.on('host-test/said', () => undefined);
      inner.provide('hostTestClock', { now: () => 1 });
      inner.contribute({ label: 'x', attach: () => undefined, detach });
      inner.plugin(aPlugin((nested) => { nested.on('host-test/said', () => undefined); }));
    }));
    void handle.dispose();
    expect(handle.status).toBe('disposed');
    expect(ctx.listeners('host-test/said')).toEqual([]);
    expect(ctx.get('hostTestClock')).toBeUndefined();
    expect(detach).toHaveBeenCalledOnce();
  });

  it('runs cleanups last in first out, nested plugins and scopes in their place, each awaited', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    const noting = (name: string) => () => async () => {
      log.push(`${name} begins`);
      await idle();
      log.push(`${name} ends`);
    };
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.effect(noting('a'));
      inner.plugin(aPlugin((nested) => void nested.effect(noting('nested'))));
      inner.scope('s').effect(noting('scope'));
      inner.effect(noting('b'));
    }));
    await handle.dispose();
    expect(log).toEqual(['b', 'scope', 'nested', 'a'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it('runs all cleanups even when some throw or reject, and surfaces all errors together', async () => {
    const { ctx } = aContext();
    const last = vi.fn();
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.effect(() => last);
      inner.effect(() => () => { throw new Error('one'); });
      inner.plugin(aPlugin((nested) => void nested.effect(() => async () => { throw new Error('two'); })));
      inner.contribute({ label: 'x', attach: () => undefined, detach: () => { throw new Error('detach'); } });
    }));
    const error: unknown = await handle.dispose().catch((reason: unknown) => reason);
    expect(last).toHaveBeenCalledOnce();
    expect(error).toBeInstanceOf(DisposeError);
    expect(isSluiceError(error) && error.code).toBe('DISPOSE_FAILED');
    expect((error as DisposeError).errors.map(String)).toEqual(['Error: detach', 'Error: two', 'Error: one']);
    expect((error as DisposeError).cause).toBeInstanceOf(AggregateError);
    expect((error as DisposeError).message).toBe('core-context: ending plugin "sample": 3 cleanups failed: detach; two; one');
    expect(ctx.inspect().counts).toEqual(EMPTY);
  });

  it('is the same promise however often it is asked for', async () => {
    const { ctx } = aContext();
    const cleanup = vi.fn();
    let inner!: Context;
    const handle = ctx.plugin(aPlugin((given) => { inner = given; return cleanup; }));
    const first = handle.dispose();
    expect(handle.dispose()).toBe(first);
    expect(inner.dispose()).toBe(first);
    expect(handle[Symbol.asyncDispose]()).toBe(first);
    await first;
    expect(handle.dispose()).toBe(first);
    expect(cleanup).toHaveBeenCalledOnce();
  });

  it('from the context of an instance that was replaced does not end the one that runs now', async () => {
    const { ctx } = aContext();
    const instances: Context[] = [];
    const cleanup = vi.fn();
    const handle = ctx.plugin(aPlugin((inner) => { instances.push(inner); return cleanup; }));
    await handle.update({});
    await instances[0]!.dispose();
    expect(handle.status).toBe('active');
    expect(cleanup).toHaveBeenCalledOnce();
    await instances[1]!.dispose();
    expect(handle.status).toBe('disposed');
  });

  it('is complete when the parent ended it first', async () => {
    const { ctx } = aContext();
    const cleanup = vi.fn();
    const handle = ctx.plugin(aPlugin(() => cleanup));
    await ctx.dispose();
    await handle.dispose();
    expect(handle.status).toBe('disposed');
    expect(cleanup).toHaveBeenCalledOnce();
  });

  it('works with `await using`', async () => {
    const { ctx } = aContext();
    const cleanup = vi.fn();
    {
      await using handle = ctx.plugin(aPlugin(() => cleanup));
      expect(handle.status).toBe('active');
    }
    expect(cleanup).toHaveBeenCalledOnce();
  });

  it('aborts the signal of the plugin and of all below before anything is cleaned up', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    const handle = ctx.plugin(aPlugin((inner) => {
      const { signal } = inner.scope('s');
      signal.addEventListener('abort', () => log.push(`scope: ${String(signal.reason)}`));
      inner.signal.addEventListener('abort', () => log.push('plugin'));
      return () => void log.push('cleanup');
    }));
    await handle.dispose();
    expect(log).toEqual(['plugin', 'scope: AbortError: scope "s" was disposed', 'cleanup']);
  });

  it('refuses what an abort listener tries to register', async () => {
    const { ctx } = aContext();
    const refused = vi.fn();
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.signal.addEventListener('abort', () => {
        try {
          inner.on('host-test/said', () => undefined);
        } catch (error) {
          refused((error as { code: string }).code);
        }
      });
    }));
    await handle.dispose();
    expect(refused).toHaveBeenCalledExactlyOnceWith('CONTEXT_DISPOSED');
    expect(ctx.inspect().counts).toEqual(EMPTY);
  });

  it('gives an aborted signal to who asks for it only then', async () => {
    const { ctx } = aContext();
    let inner!: Context;
    await ctx.plugin(aPlugin((given) => { inner = given; })).dispose();
    expect(inner.signal.aborted).toBe(true);
    expect((inner.signal.reason as Error).name).toBe('AbortError');
    expect(ctx.signal.aborted).toBe(false);
  });

  it('does not warn about many listeners on a signal', async () => {
    const warned = vi.fn();
    process.on('warning', warned);
    const { ctx } = aContext();
    for (let i = 0; i < 100; i++) ctx.signal.addEventListener('abort', () => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warned);
    expect(warned).not.toHaveBeenCalled();
  });
});

describe('calls in flight', () => {
  /** A plugin whose listener waits until told, and which notes when it is cleaned up. */
  const holding = (open: Promise<void>, log: string[]) => aPlugin((inner) => {
    inner.on('host-test/ask', async (_q, next) => {
      await open;
      log.push('listener ends');
      return next();
    });
    return () => void log.push('cleanup');
  });

  it('are waited for before the cleanups run', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    const log: string[] = [];
    const handle = ctx.plugin(holding(open.promise, log));
    const answer = ask(ctx);
    const disposed = handle.dispose();
    expect(await isSettled(disposed)).toBe(false);
    expect(ctx.inspect().children).toMatchObject([{ name: 'sample', status: 'disposed', running: ['1 call in host-test/ask'], counts: { running: 1 } }]);
    open.on();
    await disposed;
    expect(log).toEqual(['listener ends', 'cleanup']);
    await answer;
    expect(ctx.inspect().counts).toEqual(EMPTY);
  });

  it('hold the promise for at most 1,000 ms; the cleanups still wait, and run in the background', async () => {
    vi.useFakeTimers();
    const { ctx, logger } = aContext();
    const open = aSwitch();
    const log: string[] = [];
    const handle = ctx.plugin(holding(open.promise, log));
    void ask(ctx);
    void ask(ctx);
    const disposed = handle.dispose();
    await vi.advanceTimersByTimeAsync(999);
    expect(await isSettled(disposed)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await disposed;
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith(
      'core-context: plugin "sample" is disposed but still draining: plugin "sample" (2 calls in host-test/ask); its cleanups run after that',
    );
    expect(log).toEqual([]);
    open.on();
    await idle();
    expect(log).toEqual(['listener ends', 'listener ends', 'cleanup']);
    expect(ctx.inspect().counts).toEqual(EMPTY);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leave no timer behind when they end in time', async () => {
    vi.useFakeTimers();
    const { ctx } = aContext();
    const open = aSwitch();
    const handle = ctx.plugin(holding(open.promise, []));
    void ask(ctx);
    const disposed = handle.dispose();
    open.on();
    await disposed;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('do not make slow cleanups any faster: those are waited for however long they take', async () => {
    vi.useFakeTimers();
    const { ctx } = aContext();
    const open = aSwitch();
    const handle = ctx.plugin(aPlugin(() => () => open.promise));
    const disposed = handle.dispose();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await isSettled(disposed)).toBe(false);
    expect(ctx.inspect().children[0]!.running).toEqual(['cleanup "apply"']);
    open.on();
    await disposed;
  });

  it('logs what goes wrong when nobody waits any more', async () => {
    vi.useFakeTimers();
    const { ctx, logger } = aContext();
    const open = aSwitch();
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.on('host-test/ask', async () => { await open.promise; return ''; });
      return () => { throw new Error('boom'); };
    }));
    void ask(ctx);
    const disposed = handle.dispose();
    await vi.advanceTimersByTimeAsync(1_000);
    await disposed;
    open.on();
    await idle();
    expect(logger.error).toHaveBeenCalledExactlyOnceWith('core-context: plugin "sample": a cleanup failed: boom', expect.any(Error));
  });

  it('count while their promise is pending, also when they reject', async () => {
    const { ctx } = aContext();
    const open = aSwitch<string>();
    const cleanup = vi.fn();
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.on('host-test/ask', () => open.promise);
      return cleanup;
    }));
    const answer = expect(ask(ctx)).rejects.toThrow('boom');
    const disposed = handle.dispose();
    await idle();
    expect(cleanup).not.toHaveBeenCalled();
    open.fail(new Error('boom'));
    await answer;
    await disposed;
    expect(cleanup).toHaveBeenCalledOnce();
  });

  it.each<[what: string, tamper: (promise: Promise<unknown>) => object]>([
    ['a constructor that throws', (promise) => Object.defineProperty(promise, 'constructor', { get: () => { throw new Error('constructor'); } })],
    ['a then that throws', (promise) => Object.assign(promise, { then: () => { throw new Error('then'); } })],
    ['a then that calls back twice', (promise) => Object.assign(promise, { then: (settled: (value: string) => void) => { settled('once'); settled('twice'); } })],
    ['a species that throws', (promise) => Object.setPrototypeOf(promise, class extends Promise<unknown> { static override get [Symbol.species](): never { throw new Error('species'); } }.prototype) as object],
    ['a proxy around it', (promise) => new Proxy(promise, { getPrototypeOf: () => { throw new Error('trapped'); } })],
  ])('end, once, also when their promise has %s', async (_what, tamper) => {
    const { ctx } = aContext();
    const cleanup = vi.fn();
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.on('host-test/ask', () => tamper(Promise.resolve('')) as Promise<string>);
      inner.on('host-test/said', () => tamper(Promise.resolve()) as { then?: never });
      return cleanup;
    }));
    await ask(ctx).catch(() => undefined);
    ctx.emit('host-test/said', '');
    await idle();
    const open = aSwitch<string>();
    const later = ctx.plugin(aPlugin((inner) => void inner.on('host-test/ask', () => open.promise, { prepend: true })));
    const answer = ask(ctx);
    const disposed = Promise.all([handle.dispose().catch(() => undefined), later.dispose()]);
    expect(cleanup).not.toHaveBeenCalled();
    open.on('');
    await answer;
    await disposed;
    expect(cleanup).toHaveBeenCalledOnce();
    expect(ctx.inspect().counts).toEqual(EMPTY);
  });

  it('count also when an outer listener went on to them and did not wait', async () => {
    const { ctx } = aContext();
    const [goOn, open] = [aSwitch(), aSwitch()];
    ctx.on('host-test/ask', async (_q, next) => {
      await goOn.promise;
      void next();
      return 'at once';
    });
    const log: string[] = [];
    const handle = ctx.plugin(holding(open.promise, log));
    const answer = ask(ctx);
    const disposed = handle.dispose();
    goOn.on();
    expect(await answer).toBe('at once');
    await idle();
    expect(log).toEqual([]);
    open.on();
    await disposed;
    expect(log).toEqual(['listener ends', 'cleanup']);
  });

  it('count also in a chain that was asked for before something changed', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    const log: string[] = [];
    const handle = ctx.plugin(holding(open.promise, log));
    const [entry] = ctx.listeners('host-test/ask');
    ctx.on('host-test/ask', (_q, next) => next());
    expect(ctx.listeners('host-test/ask')).toHaveLength(2);
    const answer = entry!.invoke('?', async () => '');
    const disposed = handle.dispose();
    await idle();
    expect(log).toEqual([]);
    open.on();
    await answer;
    await disposed;
    expect(log).toEqual(['listener ends', 'cleanup']);
  });

  it('of one plugin do not hold up another that they cannot reach', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    const outer = ctx.plugin(aPlugin((inner) => { inner.on('host-test/ask', async (_q, next) => next()); }, { name: 'outer' }));
    ctx.plugin(holding(open.promise, []));
    const answer = ask(ctx);
    // The outer one is in flight itself, and what is after the inner one is not reached.
    const cleanup = vi.fn();
    const before = ctx.plugin(aPlugin((inner) => { inner.on('host-test/said', () => undefined); return cleanup; }, { name: 'unrelated' }));
    await before.dispose();
    expect(cleanup).toHaveBeenCalledOnce();
    expect(await isSettled(outer.dispose())).toBe(false);
    open.on();
    await answer;
  });

  it('in a scope that has ended itself still hold up the plugins above', async () => {
    vi.useFakeTimers();
    const { ctx } = aContext();
    const open = aSwitch();
    const log: string[] = [];
    const handle = ctx.plugin(holding(open.promise, log));
    const agent = ctx.scope('agent');
    const answer = ask(agent);
    const gone = agent.dispose();
    const disposed = handle.dispose();
    await vi.advanceTimersByTimeAsync(1_000);
    await gone;
    await disposed;
    expect(log).toEqual([]);
    open.on();
    await answer;
    await idle();
    expect(log).toEqual(['listener ends', 'cleanup']);
  });
});

describe('ending from inside', () => {
  it('an own hook, synchronously: resolves after removal, and the rest follows when the call has ended', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.on('host-test/ask', async (_q, next) => {
        await handle.dispose();
        log.push('disposed');
        expect(ctx.listeners('host-test/ask')).toEqual([]);
        return next();
      });
      return () => void log.push('cleanup');
    }));
    await ask(ctx);
    await idle();
    expect(log).toEqual(['disposed', 'cleanup']);
    expect(ctx.inspect().counts).toEqual(EMPTY);
  });

  it('an own hook, after an await: resolves after a second at the latest', async () => {
    vi.useFakeTimers();
    const { ctx, logger } = aContext();
    const log: string[] = [];
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.on('host-test/ask', async (_q, next) => {
        await Promise.resolve();
        await handle.dispose();
        log.push('disposed');
        return next();
      });
      return () => void log.push('cleanup');
    }));
    const answer = ask(ctx);
    await vi.advanceTimersByTimeAsync(1_000);
    await answer;
    await idle();
    expect(log).toEqual(['disposed', 'cleanup']);
    expect(logger.warn).toHaveBeenCalledOnce();
  });

  it('an own synchronous notification: runs the cleanup when that has returned', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.on('host-test/said', () => {
        void handle.dispose();
        log.push('still here');
      });
      inner.on('host-test/said', () => log.push('and here'));
      return () => void log.push('cleanup');
    }));
    ctx.emit('host-test/said', '');
    expect(log).toEqual(['still here', 'and here']);
    await idle();
    expect(log).toEqual(['still here', 'and here', 'cleanup']);
  });

  it('an own notification, with a listener further in that takes its time: the cleanup waits for that one too', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    const log: string[] = [];
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.on('host-test/said', () => void handle.dispose());
      inner.on('host-test/said', (async () => {
        await open.promise;
        log.push('told');
      }) as () => void);
      return () => void log.push('cleanup');
    }));
    ctx.emit('host-test/said', '');
    await idle();
    expect(log).toEqual([]);
    open.on();
    await idle();
    expect(log).toEqual(['told', 'cleanup']);
  });

  it('of the whole tree from a hook deep below', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    ctx.effect(() => () => void log.push('root'));
    const agent = ctx.scope('a');
    agent.plugin(aPlugin((inner) => {
      inner.on('host-test/ask', async (_q, next) => {
        await ctx.dispose();
        log.push('disposed');
        return next();
      });
      return () => void log.push('plugin');
    }));
    await ask(agent);
    await idle();
    expect(log).toEqual(['disposed', 'plugin', 'root']);
    expect(ctx.inspect().counts).toEqual(EMPTY);
  });

  it('an own cleanup: does not wait for itself', async () => {
    const { ctx } = aContext();
    const after = vi.fn();
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.effect(() => after);
      return async () => {
        await inner.dispose();
        await idle();
      };
    }));
    await handle.dispose();
    expect(after).toHaveBeenCalledOnce();
  });

  it('its own effect\'s disposer inside its cleanup', async () => {
    const { ctx } = aContext();
    const ran = vi.fn();
    const off = ctx.effect(() => async () => {
      ran();
      await off();
    });
    await off();
    expect(ran).toHaveBeenCalledOnce();
  });
});

describe('effects', () => {
  it('are cleaned up once, by the disposer or by the end, whichever is first', async () => {
    const { ctx } = aContext();
    const cleanup = vi.fn();
    const off = ctx.effect(() => cleanup, 'mine');
    expect(ctx.inspect().effects).toEqual(['mine']);
    const first = off();
    expect(off()).toBe(first);
    await first;
    await ctx.dispose();
    expect(cleanup).toHaveBeenCalledOnce();
    expect(ctx.inspect().effects).toEqual([]);
  });

  it('are awaited by the end when their disposer has already begun', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    const off = ctx.effect(() => () => open.promise);
    const ended = off();
    const disposed = ctx.dispose();
    expect(await isSettled(disposed)).toBe(false);
    open.on();
    await Promise.all([ended, disposed]);
  });

  it('throw from the disposer what the cleanup throws', async () => {
    const { ctx } = aContext();
    const boom = new Error('boom');
    await expect(ctx.effect(() => () => { throw boom; })()).rejects.toBe(boom);
    await expect(ctx.effect(() => async () => { throw boom; })()).rejects.toBe(boom);
    await ctx.dispose();
  });

  it('without a cleanup are nothing to keep', async () => {
    const { ctx } = aContext();
    const off = ctx.effect(() => undefined);
    expect(ctx.inspect().effects).toEqual([]);
    await off();
  });

  it('let what the setup throws reach the caller, and refuse a setup that waits', () => {
    const { ctx } = aContext();
    expect(() => ctx.effect(() => { throw new Error('boom'); })).toThrow('boom');
    expect(() => ctx.effect((async () => () => undefined) as never)).toThrow('must return a cleanup function or nothing, and not wait; received object');
    expect(() => ctx.effect(undefined as never)).toThrow('needs a setup function');
    expect(ctx.inspect().effects).toEqual([]);
  });

  it('whose setup ends the context are cleaned up all the same', async () => {
    const { ctx } = aContext();
    const cleanup = vi.fn();
    ctx.effect(() => {
      void ctx.dispose();
      return cleanup;
    });
    await idle();
    expect(cleanup).toHaveBeenCalledOnce();
    expect(ctx.inspect().counts).toEqual(EMPTY);
  });
});

describe('contributions', () => {
  it('are attached now, detached once, and not by a stale disposer', async () => {
    const { ctx } = aContext();
    const [attach, detach] = [vi.fn(), vi.fn()];
    const off = ctx.contribute({ label: 'tool read', attach, detach });
    expect(ctx.inspect().contributions).toEqual(['tool read']);
    expect(attach).toHaveBeenCalledOnce();
    off();
    off();
    await ctx.dispose();
    expect(detach).toHaveBeenCalledOnce();
  });

  it('that cannot be attached throw, and are not kept', async () => {
    const { ctx } = aContext();
    const detach = vi.fn();
    expect(() => ctx.contribute({ label: 'x', attach: () => { throw new Error('taken'); }, detach })).toThrow('taken');
    expect(ctx.inspect().contributions).toEqual([]);
    await ctx.dispose();
    expect(detach).not.toHaveBeenCalled();
  });

  it('whose attaching ends the context are detached again, and the caller is told', async () => {
    const { ctx } = aContext();
    const detach = vi.fn();
    const agent = ctx.scope('agent');
    expect(() => agent.contribute({ label: 'x', attach: () => void agent.dispose(), detach })).toThrow(expect.objectContaining({ code: 'CONTEXT_DISPOSED' }));
    expect(detach).toHaveBeenCalledOnce();
    await idle();
    expect(ctx.inspect().counts).toEqual(EMPTY);
  });

  it('are detached last first', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    for (const label of ['a', 'b']) ctx.contribute({ label, attach: () => undefined, detach: () => void log.push(label) });
    await ctx.dispose();
    expect(log).toEqual(['b', 'a']);
  });
});

describe('ending a scope or the root', () => {
  it('waits at most graceMs for whatever it is, and names what still runs', async () => {
    vi.useFakeTimers();
    const { ctx, logger } = aContext();
    const [call, cleaning] = [aSwitch(), aSwitch()];
    ctx.plugin(aPlugin((inner) => { inner.on('host-test/ask', async () => { await call.promise; return ''; }); }, { name: 'caller' }));
    ctx.effect(() => () => cleaning.promise, 'database');
    ctx.plugin(aPlugin(() => new Promise(() => undefined), { name: 'starter' }));
    void ask(ctx);
    const disposed = ctx.dispose();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(await isSettled(disposed)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await disposed;
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith(
      'core-context: the root context is disposed, but after 5000 ms there still runs: plugin "caller" (1 call in host-test/ask), plugin "starter" (apply)',
    );
    expect(ctx.inspect().children.map((child) => [child.name, child.running])).toEqual([['caller', ['1 call in host-test/ask']], ['starter', ['apply']]]);
    call.on();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ctx.inspect()).toMatchObject({ running: ['cleanup "database"'], children: [{ name: 'caller', status: 'disposed' }] });
    cleaning.on();
    await idle();
    expect(ctx.inspect().counts).toEqual(EMPTY);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('takes graceMs from the options, 0 and Infinity included', async () => {
    vi.useFakeTimers();
    for (const [graceMs, after] of [[0, 0], [70, 70]] as const) {
      const { ctx } = aContext(graceMs);
      ctx.scope('a').effect(() => () => new Promise(() => undefined));
      const disposed = ctx.scope('b').dispose().then(() => ctx.dispose());
      await vi.advanceTimersByTimeAsync(after);
      await disposed;
    }
    const { ctx } = aContext(Infinity);
    const open = aSwitch();
    ctx.effect(() => () => open.promise);
    const disposed = ctx.dispose();
    await vi.advanceTimersByTimeAsync(10_000_000);
    expect(await isSettled(disposed)).toBe(false);
    open.on();
    await disposed;
  });

  it.each([-1, NaN, '5', null])('refuses graceMs %o', (graceMs) => {
    expect(() => aContext(graceMs as never)).toThrow('graceMs must be a number of milliseconds, 0 or more');
  });

  it('rejects with all errors of the whole tree', async () => {
    const { ctx } = aContext();
    ctx.scope('a').effect(() => () => { throw new Error('deep'); });
    ctx.effect(() => () => { throw new Error('top'); });
    await expect(ctx.dispose()).rejects.toMatchObject({ code: 'DISPOSE_FAILED', errors: [new Error('top'), new Error('deep')] });
    expect(ctx.inspect()).toMatchObject({ status: 'disposed', counts: EMPTY });
  });

  it('ends a hundred scopes with their plugins in one go', async () => {
    const { ctx } = aContext();
    const cleanup = vi.fn();
    for (let i = 0; i < 100; i++) ctx.scope(`s${i}`).plugin(aPlugin((inner) => { inner.on('host-test/said', () => undefined); return cleanup; }));
    await ctx.dispose();
    expect(cleanup).toHaveBeenCalledTimes(100);
    expect(ctx.inspect().counts).toEqual(EMPTY);
  });
});
