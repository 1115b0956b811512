import { isSluiceError } from '@sluice/core-schema';
import { createContext, definePlugin, isPlugin, type Plugin } from '@sluice/core-context';
import { describe, expect, it, vi } from 'vitest';
import { aContext, aPlugin, aSwitch, EMPTY, idle, isSettled } from './support.ts';

describe('mounting', () => {
  it('is active on return when apply is synchronous', () => {
    const { ctx } = aContext();
    const apply = vi.fn<Plugin['apply']>();
    const handle = ctx.plugin(aPlugin(apply));
    expect(handle.status).toBe('active');
    expect(handle.name).toBe('sample');
    expect(apply).toHaveBeenCalledOnce();
  });

  it('gives each instance a context of its own that names the plugin as owner', () => {
    const { ctx } = aContext();
    const owners: string[] = [];
    ctx.plugin(aPlugin((inner) => {
      owners.push(inner.owner, inner.scope('deep').owner);
      expect(inner).not.toBe(ctx);
      inner.plugin(aPlugin((nested) => void owners.push(nested.owner), { name: 'nested' }));
    }));
    expect(owners).toEqual(['sample', 'sample', 'nested']);
    expect([ctx.owner, ctx.scope('a').owner]).toEqual(['app', 'app']);
  });

  it('mounts the same plugin twice as two independent instances', async () => {
    const { ctx } = aContext();
    const words: string[] = [];
    const plugin = aPlugin((inner) => {
      let count = 0;
      inner.on('host-test/said', () => words.push(String(++count)));
    });
    const first = ctx.plugin(plugin);
    ctx.plugin(plugin);
    ctx.emit('host-test/said', 'x');
    await first.dispose();
    ctx.emit('host-test/said', 'x');
    expect(words).toEqual(['1', '1', '2']);
  });

  it('is starting until an asynchronous apply resolves', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    const handle = ctx.plugin(aPlugin(async () => open.promise));
    expect(handle.status).toBe('starting');
    expect(await isSettled(handle.ready)).toBe(false);
    open.on();
    await handle.ready;
    expect(handle.status).toBe('active');
  });

  it('keeps what an asynchronous apply registers after waiting', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    const words: string[] = [];
    const handle = ctx.plugin(aPlugin(async (inner) => {
      await open.promise;
      inner.on('host-test/said', (word) => words.push(word));
    }));
    open.on();
    await handle.ready;
    ctx.emit('host-test/said', 'hi');
    expect(words).toEqual(['hi']);
  });

  it('runs the cleanup that apply returns or resolves to, before the effects made earlier', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    const sync = ctx.plugin(aPlugin((inner) => {
      inner.effect(() => () => void log.push('effect'));
      return () => void log.push('returned');
    }));
    const later = ctx.plugin(aPlugin(async () => () => void log.push('resolved')));
    await later.ready;
    await sync.dispose();
    await later.dispose();
    expect(log).toEqual(['returned', 'effect', 'resolved']);
  });

  it('says that a returned value which is no cleanup is ignored', () => {
    const { ctx, logger } = aContext();
    const handle = ctx.plugin({ name: 'odd', apply: (() => 5) as unknown as Plugin['apply'] });
    expect(handle.status).toBe('active');
    expect(logger.warn.mock.calls[0]![0]).toMatch(/plugin "odd": apply returned a value of type number, which is ignored/);
  });
});

describe('failing to start', () => {
  it('gives a failed handle when apply throws, and undoes what it had registered', async () => {
    const { ctx, logger } = aContext();
    const cleanup = vi.fn();
    const boom = new Error('boom');
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.on('host-test/said', () => undefined);
      inner.effect(() => cleanup);
      inner.provide('hostTestStore', { name: 'gone' });
      throw boom;
    }));
    expect(handle.status).toBe('failed');
    await expect(handle.ready).rejects.toMatchObject({ code: 'PLUGIN_FAILED', message: 'core-context: plugin "sample" failed to start: boom', cause: boom });
    expect(cleanup).toHaveBeenCalledOnce();
    expect(ctx.listeners('host-test/said')).toEqual([]);
    expect(ctx.get('hostTestStore')).toBeUndefined();
    expect(logger.error).toHaveBeenCalledExactlyOnceWith('core-context: plugin "sample" failed to start: boom', boom);
  });

  it('gives a failed handle when apply rejects later', async () => {
    const { ctx, logger } = aContext();
    const open = aSwitch();
    const handle = ctx.plugin(aPlugin(async (inner) => {
      inner.on('host-test/said', () => undefined);
      await open.promise;
    }));
    open.fail('no luck');
    await expect(handle.ready).rejects.toThrow('plugin "sample" failed to start: no luck');
    expect(handle.status).toBe('failed');
    expect(ctx.listeners('host-test/said')).toEqual([]);
    expect(logger.error).toHaveBeenCalledOnce();
  });

  it('never leaves an unhandled rejection when nobody looks at ready', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const { ctx } = aContext();
    ctx.plugin(aPlugin(() => { throw new Error('a'); }));
    const late = ctx.plugin(aPlugin(async () => { throw new Error('b'); }));
    void late.ready;
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('leaves other plugins alone', () => {
    const { ctx } = aContext();
    const bad = aPlugin(() => { throw new Error('boom'); });
    const outer = ctx.plugin(aPlugin((inner) => { inner.plugin(bad); }, { name: 'outer' }));
    expect(outer.status).toBe('active');
  });

  it('survives values that throw when they are printed', async () => {
    const { ctx } = aContext();
    const nasty = { toString() { throw new Error('no'); } };
    const handle = ctx.plugin(aPlugin(() => { throw nasty; }));
    await expect(handle.ready).rejects.toThrow('a value that cannot be printed');
  });
});

describe('config', () => {
  const config = {
    type: 'object',
    properties: { size: { type: 'integer', minimum: 1, default: 5 }, tags: { type: 'array', items: { type: 'string' }, default: [] } },
  };

  it('applies defaults into a fresh object each time', () => {
    const { ctx } = aContext();
    const seen: { size: number; tags: string[] }[] = [];
    const plugin = definePlugin({ name: 'sized', config, apply: (_ctx, given: { size: number; tags: string[] }) => void seen.push(given) });
    ctx.plugin(plugin);
    ctx.plugin(plugin, { size: 7 });
    expect(seen).toEqual([{ size: 5, tags: [] }, { size: 7, tags: [] }]);
    expect(seen[0]!.tags).not.toBe(seen[1]!.tags);
  });

  it.each([
    ['a wrong value', { size: 'big' }, /plugin "sized".*size.*integer/],
    ['an unknown key', { sise: 3 }, /plugin "sized".*sise/],
    ['no object', 'x', /plugin "sized"/],
  ])('refuses %s at once, naming the plugin', (_what, given, message) => {
    const { ctx } = aContext();
    const apply = vi.fn();
    const mount = (): unknown => ctx.plugin({ name: 'sized', config, apply }, given as never);
    expect(mount).toThrow(message);
    expect(mount).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }));
    expect(apply).not.toHaveBeenCalled();
    expect(ctx.inspect().counts).toEqual(EMPTY);
  });

  it('refuses a config for a plugin that has none', () => {
    const { ctx } = aContext();
    expect(() => ctx.plugin(aPlugin(() => undefined), { a: 1 })).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }));
  });
});

describe('definePlugin', () => {
  it('returns a frozen plugin that does nothing until it is mounted', () => {
    const apply = vi.fn<Plugin['apply']>();
    const plugin = definePlugin({ name: 'still', inject: ['hostTestClock'], gate: true, config: { type: 'object' }, apply });
    expect(Object.isFrozen(plugin)).toBe(true);
    expect(plugin).toMatchObject({ name: 'still', inject: ['hostTestClock'], gate: true, config: { type: 'object' } });
    expect(isPlugin(plugin)).toBe(true);
    expect(apply).not.toHaveBeenCalled();
  });

  it('calls apply on the object that was given', () => {
    const { ctx } = aContext();
    class Counting {
      readonly name = 'counting';
      #starts = 0;
      get starts(): number {
        return this.#starts;
      }
      apply(): void {
        this.#starts++;
      }
    }
    const original = new Counting();
    ctx.plugin(definePlugin(original));
    expect(original.starts).toBe(1);
  });

  it.each([
    [undefined, /a plugin must be an object .* received undefined/],
    [null, /received null/],
    [() => undefined, /received function/],
    [{ apply() {} }, /needs a name, a non-empty string, received undefined/],
    [{ name: '', apply() {} }, /received an empty string/],
    [{ name: '  ', apply() {} }, /non-empty/],
    [{ name: 'x' }, /plugin "x" needs apply\(ctx, config\), a function, received undefined/],
    [{ name: 'x', apply() {}, inject: 'fs' }, /inject must be an array of service names, received string/],
    [{ name: 'x', apply() {}, inject: [1] }, /inject must be an array of service names/],
    [{ name: 'x', apply() {}, gate: 'yes' }, /gate must be true or false, received string/],
    [{ name: 'x', apply() {}, config: [] }, /config must be an object schema, received an array/],
    [{ name: 'x', apply() {}, config: null }, /received null/],
    [{ name: 'x', apply() {}, injects: [] }, /has no key "injects"; known are name, inject, gate, config, apply/],
  ])('refuses %o', (value, message) => {
    const define = (): unknown => definePlugin(value as unknown as Plugin);
    expect(define).toThrow(message);
    expect(define).toThrow(expect.objectContaining({ code: 'INVALID_PLUGIN' }));
    expect(() => createContext().plugin(value as unknown as Plugin)).toThrow(message);
  });

  it('tells plugins from other things', () => {
    expect([isPlugin(undefined), isPlugin(aPlugin(() => undefined)), isPlugin('x')]).toEqual([false, false, false]);
  });
});

describe('ready()', () => {
  it('resolves at once when nothing is mounted or all is active', async () => {
    const { ctx } = aContext();
    await ctx.ready();
    ctx.plugin(aPlugin(() => undefined));
    await ctx.ready();
  });

  it('waits for plugins that are starting, nested ones and those in scopes too', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    ctx.scope('deep').plugin(aPlugin((inner) => {
      inner.plugin(aPlugin(async () => open.promise));
    }));
    const ready = ctx.ready();
    expect(await isSettled(ready)).toBe(false);
    open.on();
    await ready;
  });

  it('rejects naming each waiting plugin and what for, and each failed one and why', async () => {
    const { ctx } = aContext();
    ctx.plugin({ name: 'needs-fs', inject: ['fs', 'hostTestClock'] as never, apply: () => undefined });
    ctx.plugin(aPlugin(() => { throw new Error('boom'); }, { name: 'broken' }));
    ctx.plugin(aPlugin(() => undefined, { name: 'fine' }));
    const error: unknown = await ctx.ready().catch((reason: unknown) => reason);
    expect(isSluiceError(error) && error.code).toBe('NOT_READY');
    expect(String(error)).toContain(
      'core-context: not ready: plugin "needs-fs" waits for "fs" (provided by @sluice/fs-local or @sluice/fs-memory) and "hostTestClock"; plugin "broken" failed: boom',
    );
  });

  it('waits for a provider that is still starting, and only then judges who waits for it', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    const user = ctx.plugin(aPlugin(() => undefined, { name: 'user', inject: ['hostTestStore'] }));
    ctx.plugin(aPlugin(async (inner) => {
      await open.promise;
      inner.provide('hostTestStore', { name: 'late' });
    }, { name: 'provider' }));
    const ready = ctx.ready();
    open.on();
    await ready;
    expect(user.status).toBe('active');
  });

  it('rejects when the context is disposed meanwhile', async () => {
    const { ctx } = aContext();
    ctx.plugin(aPlugin(() => new Promise(() => undefined)));
    const ready = ctx.ready();
    const rejects = expect(ready).rejects.toMatchObject({ code: 'CONTEXT_DISPOSED' });
    vi.useFakeTimers();
    const disposed = ctx.dispose();
    await vi.advanceTimersByTimeAsync(10_000);
    await disposed;
    await rejects;
  });

  it('looks only at plugins below the context it is called on', async () => {
    const { ctx } = aContext();
    const scope = ctx.scope('a');
    ctx.plugin(aPlugin(() => { throw new Error('elsewhere'); }));
    await scope.ready();
    await expect(ctx.ready()).rejects.toThrow('elsewhere');
  });
});

describe('handle.ready', () => {
  it('rejects with PLUGIN_DISPOSED when the plugin is disposed before it could start', async () => {
    const { ctx } = aContext();
    const handle = ctx.plugin(aPlugin(() => undefined, { inject: ['hostTestClock'] }));
    const { ready } = handle;
    await handle.dispose();
    await expect(ready).rejects.toMatchObject({ code: 'PLUGIN_DISPOSED' });
    await expect(handle.ready).rejects.toMatchObject({ code: 'PLUGIN_DISPOSED' });
  });

  it('is a new promise while the plugin waits again', async () => {
    const { ctx } = aContext();
    const off = ctx.provide('hostTestClock', { now: () => 1 });
    const handle = ctx.plugin(aPlugin(() => undefined, { inject: ['hostTestClock'] }));
    await handle.ready;
    await off();
    const { ready } = handle;
    expect(await isSettled(ready)).toBe(false);
    ctx.provide('hostTestClock', { now: () => 2 });
    await ready;
  });
});

describe('a plugin that is disposed while it starts', () => {
  it('can register nothing any more, and its late cleanup is run', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    const cleanup = vi.fn();
    let refused: unknown;
    const handle = ctx.plugin(aPlugin(async (inner) => {
      await open.promise;
      try {
        inner.on('host-test/said', () => undefined);
      } catch (error) {
        refused = error;
      }
      return cleanup;
    }));
    const disposed = handle.dispose();
    expect(handle.status).toBe('disposed');
    open.on();
    await disposed;
    expect(refused).toMatchObject({ code: 'CONTEXT_DISPOSED' });
    expect(cleanup).toHaveBeenCalledOnce();
    expect(ctx.inspect().counts).toEqual(EMPTY);
  });

  it('is waited for at most a second; then its other cleanups run, and the late one when it comes', async () => {
    vi.useFakeTimers();
    const { ctx, logger } = aContext();
    const open = aSwitch();
    const log: string[] = [];
    const handle = ctx.plugin(aPlugin(async (inner) => {
      inner.effect(() => () => void log.push('effect'));
      await open.promise;
      return () => void log.push('late');
    }));
    const disposed = handle.dispose();
    await vi.advanceTimersByTimeAsync(999);
    expect(log).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await disposed;
    expect(log).toEqual(['effect']);
    open.on();
    await idle();
    expect(log).toEqual(['effect', 'late']);
    expect(ctx.inspect().counts).toEqual(EMPTY);
    expect(logger.error).not.toHaveBeenCalled();
  });

  it('reports a late cleanup that throws', async () => {
    vi.useFakeTimers();
    const { ctx, logger } = aContext();
    const open = aSwitch();
    const handle = ctx.plugin(aPlugin(async () => {
      await open.promise;
      return () => { throw new Error('late boom'); };
    }));
    const disposed = handle.dispose();
    await vi.advanceTimersByTimeAsync(1_000);
    await disposed;
    open.on();
    await idle();
    expect(logger.error.mock.calls[0]![0]).toContain('late cleanup failed');
  });

  it('may dispose itself in its own apply without waiting for itself', async () => {
    const { ctx } = aContext();
    const cleanup = vi.fn();
    const handle = ctx.plugin(aPlugin(async (inner) => {
      await inner.dispose();
      return cleanup;
    }));
    expect(handle.status).toBe('disposed');
    await idle();
    expect(cleanup).toHaveBeenCalledOnce();
    expect(ctx.inspect().counts).toEqual(EMPTY);
  });
});
