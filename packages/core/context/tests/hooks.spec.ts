import type { Context, ListenerEntry } from '@sluice/core-context';
import { describe, expect, it, vi } from 'vitest';
import { aContext, aPlugin, aSwitch, idle } from './support.ts';

const ask = (ctx: Context, last: () => string | Promise<string> = () => ''): Promise<string> => ctx.waterfall('host-test/ask', ['?'], last);

describe('emit', () => {
  it('tells every listener in view, in order, with the arguments as they are', () => {
    const { ctx } = aContext();
    const first = vi.fn();
    const second = vi.fn();
    ctx.on('host-test/said', first);
    ctx.on('host-test/said', second);
    ctx.emit('host-test/said', 'hi');
    expect(first).toHaveBeenCalledExactlyOnceWith('hi');
    expect(second).toHaveBeenCalledExactlyOnceWith('hi');
    expect(first.mock.invocationCallOrder[0]).toBeLessThan(second.mock.invocationCallOrder[0]!);
  });

  it('contains what one throws or rejects with, and names its plugin', async () => {
    const { ctx, logger } = aContext();
    const words: string[] = [];
    const boom = new Error('boom');
    ctx.plugin(aPlugin((inner) => { inner.on('host-test/said', () => { throw boom; }); }, { name: 'thrower' }));
    ctx.plugin(aPlugin((inner) => { inner.on('host-test/said', (async () => { throw boom; }) as never); }, { name: 'rejecter' }));
    ctx.on('host-test/said', (word) => words.push(word));
    ctx.emit('host-test/said', 'hi');
    await idle();
    expect(words).toEqual(['hi']);
    expect(logger.error.mock.calls).toEqual([
      ['core-context: plugin "thrower": its listener on "host-test/said" failed: boom', boom],
      ['core-context: plugin "rejecter": its listener on "host-test/said" failed: boom', boom],
    ]);
  });

  it('contains listeners that return a thenable which throws, and getters that do', () => {
    const { ctx, logger } = aContext();
    ctx.on('host-test/said', (() => ({ get then() { throw new Error('got'); } })) as never);
    expect(() => ctx.emit('host-test/said', 'x')).not.toThrow();
    expect(logger.error).toHaveBeenCalledOnce();
  });

  it('tells those that listened when it began, whatever they do to each other', () => {
    const { ctx } = aContext();
    const words: string[] = [];
    ctx.on('host-test/said', () => {
      words.push('first');
      off();
      ctx.on('host-test/said', () => words.push('new'));
    });
    const off = ctx.on('host-test/said', () => words.push('second'));
    ctx.emit('host-test/said', '');
    expect(words).toEqual(['first', 'second']);
  });

  it('survives a logger that throws or rejects', async () => {
    const { ctx, logger } = aContext();
    logger.error.mockImplementation(() => { throw new Error('logger'); });
    ctx.on('host-test/said', () => { throw new Error('boom'); });
    expect(() => ctx.emit('host-test/said', '')).not.toThrow();
    // eslint-disable-next-line @typescript-eslint/no-misused-promises -- a logger that rejects is what is asked
    logger.error.mockImplementation(async () => { throw new Error('logger'); });
    ctx.emit('host-test/said', '');
    await idle();
  });
});

describe('waterfall', () => {
  it('wraps first registered outermost around last', async () => {
    const { ctx } = aContext();
    for (const name of ['a', 'b']) ctx.on('host-test/ask', async (question, next) => `${name}${question}(${await next()})`);
    expect(await ask(ctx, () => 'body')).toBe('a?(b?(body))');
  });

  it('resolves to last when nobody listens', async () => {
    const { ctx } = aContext();
    expect(await ask(ctx, async () => 'body')).toBe('body');
  });

  it('lets a listener answer without going on', async () => {
    const { ctx } = aContext();
    const last = vi.fn(() => 'body');
    ctx.on('host-test/ask', () => 'mine');
    expect(await ask(ctx, last)).toBe('mine');
    expect(last).not.toHaveBeenCalled();
  });

  it('runs everything further in anew each time next is called', async () => {
    const { ctx } = aContext();
    let runs = 0;
    ctx.on('host-test/ask', async (_q, next) => `${await next()} ${await next()}`);
    ctx.on('host-test/ask', async (_q, next) => `[${await next()}]`);
    expect(await ask(ctx, () => String(++runs))).toBe('[1] [2]');
  });

  it('lets next be called twice at once', async () => {
    const { ctx } = aContext();
    ctx.on('host-test/ask', async (_q, next) => (await Promise.all([next(), next()])).join('+'));
    ctx.on('host-test/ask', async (_q, next) => `[${await next()}]`);
    expect(await ask(ctx, () => 'x')).toBe('[x]+[x]');
  });

  it('rejects with what a listener or last throws, which those further out may catch', async () => {
    const { ctx } = aContext();
    const boom = new Error('boom');
    await expect(ask(ctx, () => { throw boom; })).rejects.toBe(boom);
    const off = ctx.on('host-test/ask', () => { throw boom; });
    await expect(ask(ctx)).rejects.toBe(boom);
    off();
    ctx.on('host-test/ask', async (_q, next) => next().catch(() => 'caught'));
    ctx.on('host-test/ask', async () => { throw boom; });
    expect(await ask(ctx)).toBe('caught');
  });

  it('is fixed on entry: who comes or goes later does not matter to it', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    ctx.on('host-test/ask', async (_q, next) => {
      await open.promise;
      return next();
    });
    const off = ctx.on('host-test/ask', async (_q, next) => `old(${await next()})`);
    const answer = ask(ctx, () => 'x');
    off();
    ctx.on('host-test/ask', async (_q, next) => `new(${await next()})`);
    open.on();
    expect(await answer).toBe('old(x)');
    expect(await ask(ctx, () => 'x')).toBe('new(x)');
  });

  it('goes on through a plugin that is disposed from inside it', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    ctx.on('host-test/ask', async (_q, next) => {
      await handle.dispose();
      return next();
    });
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.on('host-test/ask', async (_q, next) => {
        log.push('ran');
        return next();
      });
      return () => void log.push('cleaned');
    }));
    expect(await ask(ctx, () => 'x')).toBe('x');
    await idle();
    expect(log).toEqual(['ran', 'cleaned']);
  });
});

describe('listeners()', () => {
  it('is the same frozen array until something changes', () => {
    const { ctx } = aContext();
    const agent = ctx.scope('agent');
    ctx.on('host-test/said', () => undefined);
    const before = agent.listeners('host-test/said');
    expect(Object.isFrozen(before)).toBe(true);
    expect(agent.listeners('host-test/said')).toBe(before);
    ctx.on('host-test/ask', () => '');
    agent.scope('sub').on('host-test/said', () => undefined);
    ctx.scope('other').on('host-test/said', () => undefined);
    expect(agent.listeners('host-test/said')).toBe(before);
    const off = ctx.on('host-test/said', () => undefined);
    expect(agent.listeners('host-test/said')).toHaveLength(2);
    off();
    expect(agent.listeners('host-test/said')).toHaveLength(1);
  });

  it('is one shared empty array where nobody listens', () => {
    const { ctx } = aContext();
    ctx.on('host-test/said', () => undefined)();
    expect(ctx.listeners('host-test/said')).toEqual([]);
    expect(ctx.listeners('host-test/said')).toBe(ctx.scope('a').listeners('host-test/ask'));
  });

  it('shows a scope its own listeners and those above, never those below or beside', () => {
    const { ctx } = aContext();
    const [a, b] = [ctx.scope('a'), ctx.scope('b')];
    const sub = a.scope('sub');
    for (const [name, where] of [['root', ctx], ['a', a], ['b', b], ['sub', sub]] as const) {
      where.plugin(aPlugin((inner) => { inner.on('host-test/said', () => undefined); }, { name }));
    }
    const seen = (where: Context): string[] => where.listeners('host-test/said').map((entry) => entry.plugin);
    expect([ctx, a, b, sub].map(seen)).toEqual([['root'], ['root', 'a'], ['root', 'b'], ['root', 'a', 'sub']]);
  });

  it('tells a registration by the same object in every scope, and apart from every other', () => {
    const { ctx } = aContext();
    const listener = (): undefined => undefined;
    ctx.on('host-test/said', listener);
    ctx.on('host-test/said', listener, { prepend: true });
    const seenFrom = (where: Context): object[] => where.listeners('host-test/said').map((entry) => entry.registration);
    const [first, second] = seenFrom(ctx);
    expect(first).not.toBe(second);
    const below = seenFrom(ctx.scope('agent'));
    expect(below[0]).toBe(first);
    expect(below[1]).toBe(second);
  });

  it('gives entries that hand on exactly the arguments, what is returned, and what is thrown', async () => {
    const { ctx } = aContext();
    const listener = vi.fn<(...args: unknown[]) => unknown>();
    ctx.on('host-test/said', listener as never);
    const entry = ctx.listeners('host-test/said')[0] as ListenerEntry;
    expect(entry.plugin).toBe('app');
    listener.mockReturnValueOnce(5);
    expect(entry.invoke()).toBe(5);
    expect(listener.mock.lastCall).toEqual([]);
    entry.invoke(1, undefined, 3);
    expect(listener.mock.lastCall).toEqual([1, undefined, 3]);
    const boom = new Error('boom');
    listener.mockImplementationOnce(() => { throw boom; });
    expect(() => entry.invoke()).toThrow(boom);
    const promise = Promise.resolve(7);
    listener.mockReturnValueOnce(promise);
    expect(entry.invoke()).toBe(promise);
    listener.mockReturnValueOnce({ then: (resolve: (value: number) => void) => resolve(8) });
    const native = entry.invoke();
    expect(native).toBeInstanceOf(Promise);
    expect(await native).toBe(8);
  });
});

describe('on()', () => {
  it('gives two registrations of one function two lives', () => {
    const { ctx } = aContext();
    const listener = vi.fn();
    const off = ctx.on('host-test/said', listener);
    ctx.on('host-test/said', listener);
    ctx.emit('host-test/said', '');
    off();
    off();
    ctx.emit('host-test/said', '');
    expect(listener).toHaveBeenCalledTimes(3);
  });

  it('refuses what is no hook name and no function', () => {
    const { ctx } = aContext();
    expect(() => ctx.on('' as never, (() => undefined) as never)).toThrow(TypeError);
    expect(() => ctx.on('host-test/said', 5 as never)).toThrow('the listener on "host-test/said" must be a function, received number');
    expect(ctx.inspect().counts.listeners).toBe(0);
  });

  it('does not mistake names of Object.prototype for hooks', () => {
    const { ctx } = aContext();
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(ctx.listeners(name as never)).toEqual([]);
      ctx.on(name as never, (() => undefined) as never);
      expect(ctx.listeners(name as never)).toHaveLength(1);
    }
    expect(Object.keys(ctx.inspect().listeners)).toEqual(['__proto__', 'constructor', 'toString']);
  });
});

describe('the receiver of a listener', () => {
  it('is undefined: nothing of the host is handed out', () => {
    const { ctx } = aContext();
    const receivers: unknown[] = [];
    ctx.on('host-test/said', function (this: unknown) {
      receivers.push(this);
    });
    ctx.emit('host-test/said', 'hi');
    expect(receivers).toEqual([undefined]);
  });
});
