import type { Context } from '@sluice/core-context';
import { describe, expect, it, vi } from 'vitest';
import { aContext, aPlugin, aSwitch, EMPTY, idle, isSettled } from './support.ts';

const at = (time: number): { now: () => number } => ({ now: () => time });

/** A plugin that notes each start with the clock it got, and each end. */
function clockUser(log: string[], name = 'user') {
  return aPlugin((ctx) => {
    const started = ctx.hostTestClock.now();
    log.push(`${name} starts at ${started}`);
    return () => void log.push(`${name} of ${started} ends at ${ctx.hostTestClock.now()}`);
  }, { name, inject: ['hostTestClock'] });
}

describe('providing', () => {
  it('makes a service readable as a property and through get', () => {
    const { ctx } = aContext();
    const clock = at(1);
    expect(ctx.get('hostTestClock')).toBeUndefined();
    ctx.provide('hostTestClock', clock);
    expect(ctx.hostTestClock).toBe(clock);
    expect(ctx.get('hostTestClock')).toBe(clock);
  });

  it('takes it away with the disposer, once and for all', async () => {
    const { ctx } = aContext();
    const off = ctx.provide('hostTestClock', at(1));
    const first = off();
    expect(ctx.get('hostTestClock')).toBeUndefined();
    ctx.provide('hostTestClock', at(2));
    expect(off()).toBe(first);
    await first;
    expect(ctx.hostTestClock.now()).toBe(2);
  });

  it('takes it away when the plugin that provided it ends', async () => {
    const { ctx } = aContext();
    const handle = ctx.plugin(aPlugin((inner) => { inner.provide('hostTestClock', at(1)); }));
    expect(ctx.hostTestClock.now()).toBe(1);
    await handle.dispose();
    expect(ctx.get('hostTestClock')).toBeUndefined();
  });

  it('refuses a second provider in the same scope, naming both', () => {
    const { ctx } = aContext();
    ctx.plugin(aPlugin((inner) => { inner.provide('hostTestClock', at(1)); }, { name: 'first' }));
    const second = ctx.plugin(aPlugin((inner) => { inner.provide('hostTestClock', at(2)); }, { name: 'second' }));
    return expect(second.ready).rejects.toMatchObject({
      cause: expect.objectContaining({ code: 'SERVICE_DUPLICATE', message: expect.stringMatching(/"hostTestClock" of plugin "second" is already provided in this scope by plugin "first"/) }),
    });
  });

  it('lets a scope shadow it for itself and for those below', () => {
    const { ctx } = aContext();
    ctx.provide('hostTestClock', at(1));
    const agent = ctx.scope('agent');
    const sub = agent.scope('sub');
    const other = ctx.scope('other');
    agent.provide('hostTestClock', at(2));
    expect([ctx, agent, sub, other].map((c) => c.hostTestClock.now())).toEqual([1, 2, 2, 1]);
  });

  it('shows the outer one again when the inner one goes', async () => {
    const { ctx } = aContext();
    ctx.provide('hostTestClock', at(1));
    const agent = ctx.scope('agent');
    const off = agent.provide('hostTestClock', at(2));
    await off();
    expect(agent.hostTestClock.now()).toBe(1);
  });

  it.each(['plugin', 'on', 'signal', 'then', 'constructor', 'toString', 'hasOwnProperty', '__proto__', 'toJSON', 'inspect', 'contribute', 'a-b', '1x', '', '_x', '$x'])(
    'refuses the name %j',
    (name) => {
      const { ctx } = aContext();
      expect(() => ctx.provide(name as never, {} as never)).toThrow(expect.objectContaining({ code: 'SERVICE_NAME_RESERVED' }));
      expect(() => ctx.plugin(aPlugin(() => undefined, { inject: [name as never] }))).toThrow(expect.objectContaining({ code: 'SERVICE_NAME_RESERVED' }));
      expect(ctx.inspect().counts).toEqual(EMPTY);
    },
  );

  it('refuses no service at all', () => {
    const { ctx } = aContext();
    expect(() => ctx.provide('hostTestClock', undefined as never)).toThrow('must be a value, received undefined');
    expect(() => ctx.provide(5 as never, {} as never)).toThrow('a service name must be a string');
  });

  it('takes a function for a service as it is', () => {
    const { ctx } = aContext();
    const service = Object.assign(() => 1, { now: () => 3 });
    ctx.provide('hostTestClock', service);
    expect(ctx.hostTestClock).toBe(service);
  });
});

describe('bound services', () => {
  const bound = () => ({ bind: vi.fn((ctx: Context) => ({ reader: `${ctx.owner} in /${ctx.scopePath.join('/')}` })) });

  it('are bound to the context that reads them', () => {
    const { ctx } = aContext();
    ctx.provide('hostTestBound', bound());
    const seen: string[] = [ctx.hostTestBound.reader, ctx.scope('a').scope('b').hostTestBound.reader];
    ctx.plugin(aPlugin((inner) => { seen.push(inner.hostTestBound.reader); }));
    ctx.plugin(aPlugin((inner) => { seen.push(inner.hostTestBound.reader); }, { name: 'injecting', inject: ['hostTestBound'] }));
    expect(seen).toEqual(['app in /', 'app in /a/b', 'sample in /', 'injecting in /']);
  });

  it('are bound once per context, whatever else is provided meanwhile', () => {
    const { ctx } = aContext();
    const service = bound();
    ctx.provide('hostTestBound', service);
    const first = ctx.hostTestBound;
    ctx.provide('hostTestClock', at(1));
    expect(ctx.hostTestBound).toBe(first);
    expect(ctx.get('hostTestBound')).toBe(first);
    expect(service.bind).toHaveBeenCalledOnce();
  });

  it('are bound anew when the provider changes', async () => {
    const { ctx } = aContext();
    const off = ctx.provide('hostTestBound', bound());
    const first = ctx.hostTestBound;
    await off();
    expect(ctx.get('hostTestBound')).toBeUndefined();
    ctx.provide('hostTestBound', bound());
    expect(ctx.hostTestBound).not.toBe(first);
  });

  it('are bound for each reading once the context has ended', async () => {
    const { ctx } = aContext();
    const service = bound();
    ctx.provide('hostTestBound', service);
    const agent = ctx.scope('agent');
    expect(agent.hostTestBound.reader).toBe('app in /agent');
    await agent.dispose();
    expect(agent.hostTestBound.reader).toBe('app in /agent');
    expect(service.bind).toHaveBeenCalledTimes(2);
  });

  it('let what bind throws reach the reader, and try again the next time', () => {
    const { ctx } = aContext();
    const bind = vi.fn<() => { reader: string }>().mockImplementationOnce(() => { throw new Error('not yet'); }).mockReturnValue({ reader: 'me' });
    ctx.provide('hostTestBound', { bind });
    expect(() => ctx.hostTestBound).toThrow('not yet');
    expect(ctx.hostTestBound.reader).toBe('me');
  });
});

describe('a missing service', () => {
  const read = (ctx: Context, name: string): unknown => (ctx as unknown as Record<string, unknown>)[name];

  it('throws SERVICE_MISSING, naming the packages that provide a known one', () => {
    const { ctx } = aContext();
    ctx.provide('hostTestClock', at(1));
    const reading = (): unknown => read(ctx.scope('agent'), 'fs');
    expect(reading).toThrow(expect.objectContaining({ code: 'SERVICE_MISSING' }));
    expect(() => read(ctx, 'fs')).toThrow(/no service "fs".*@sluice\/fs-local or @sluice\/fs-memory.*hostTestClock/);
    expect(() => read(ctx, 'tools')).toThrow(/@sluice\/core-tools/);
    expect(() => read(ctx, 'codeRuntime')).toThrow(/@sluice\/code-runtime-worker-thread or @sluice\/code-runtime-quickjs/);
  });

  it('throws for a name nobody has heard of', () => {
    const { ctx } = aContext();
    expect(() => read(ctx, 'toolz')).toThrow(/no service "toolz".*ctx\.get\(\)/);
    ctx.plugin(aPlugin((inner) => {
      expect(() => read(inner, 'toolz')).toThrow(/plugin "sample"/);
    }));
  });

  it('throws again once a provided one has gone', async () => {
    const { ctx } = aContext();
    const off = ctx.provide('hostTestClock', at(1));
    await off();
    expect(() => ctx.hostTestClock).toThrow(expect.objectContaining({ code: 'SERVICE_MISSING' }));
  });

  it('cannot be assigned, and says how to offer one', () => {
    const { ctx } = aContext();
    expect(() => { (ctx as unknown as Record<string, unknown>)['mine'] = 1; }).toThrow("offer a service with ctx.provide('mine', ...)");
    expect(() => { (ctx as unknown as Record<string, unknown>)['hostTestClock'] = 1; }).toThrow(TypeError);
  });
});

describe('inject', () => {
  it('holds a plugin back until every service is there', () => {
    const { ctx } = aContext();
    const apply = vi.fn();
    const handle = ctx.plugin(aPlugin(apply, { inject: ['hostTestClock', 'hostTestStore'] }));
    expect(handle.status).toBe('waiting');
    ctx.provide('hostTestClock', at(1));
    expect(handle.status).toBe('waiting');
    expect(ctx.inspect().children[0]).toMatchObject({ name: 'sample', status: 'waiting', waitingFor: ['hostTestStore'] });
    expect(apply).not.toHaveBeenCalled();
    ctx.provide('hostTestStore', { name: 's' });
    expect(handle.status).toBe('active');
  });

  it('makes the order of composition indifferent', () => {
    const { ctx } = aContext();
    const log: string[] = [];
    ctx.plugin(aPlugin(() => void log.push('c'), { name: 'c', inject: ['hostTestStore'] }));
    ctx.plugin(aPlugin((inner) => { log.push('b'); inner.provide('hostTestStore', { name: 'b' }); }, { name: 'b', inject: ['hostTestClock'] }));
    ctx.plugin(aPlugin((inner) => { log.push('a'); inner.provide('hostTestClock', at(1)); }, { name: 'a' }));
    expect(log).toEqual(['a', 'b', 'c']);
  });

  it('ends the plugin when the service goes, which it can still use while it ends', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    const off = ctx.provide('hostTestClock', at(1));
    const handle = ctx.plugin(clockUser(log));
    await off();
    expect(handle.status).toBe('waiting');
    expect(log).toEqual(['user starts at 1', 'user of 1 ends at 1']);
  });

  it('starts it again with the next provider', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    const off = ctx.provide('hostTestClock', at(1));
    ctx.plugin(clockUser(log));
    await off();
    ctx.provide('hostTestClock', at(2));
    expect(log).toEqual(['user starts at 1', 'user of 1 ends at 1', 'user starts at 2']);
  });

  it('starts it again with the outer provider when a scoped one goes', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    ctx.provide('hostTestClock', at(1));
    const agent = ctx.scope('agent');
    const off = agent.provide('hostTestClock', at(2));
    const handle = agent.plugin(clockUser(log));
    await off();
    expect(handle.status).toBe('active');
    expect(log).toEqual(['user starts at 2', 'user of 2 ends at 2', 'user starts at 1']);
  });

  it('restarts those below a scoped provider that appears, and nobody else', () => {
    const { ctx } = aContext();
    const log: string[] = [];
    ctx.provide('hostTestClock', at(1));
    const agent = ctx.scope('agent');
    ctx.plugin(clockUser(log, 'root'));
    agent.plugin(clockUser(log, 'agent'));
    agent.scope('sub').plugin(clockUser(log, 'sub'));
    ctx.scope('other').plugin(clockUser(log, 'other'));
    log.length = 0;
    agent.provide('hostTestClock', at(2));
    expect(log).toEqual(['sub of 1 ends at 1', 'agent of 1 ends at 1', 'agent starts at 2', 'sub starts at 2']);
  });

  it('ends users last mounted first and starts them first mounted first', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    const off = ctx.provide('hostTestClock', at(1));
    for (const name of ['a', 'b', 'c']) ctx.plugin(clockUser(log, name));
    log.length = 0;
    await off();
    ctx.provide('hostTestClock', at(2));
    expect(log).toEqual(['c of 1 ends at 1', 'b of 1 ends at 1', 'a of 1 ends at 1', 'a starts at 2', 'b starts at 2', 'c starts at 2']);
  });

  it('ends what stands on a plugin before the plugin itself, over several steps', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    ctx.plugin(aPlugin(() => () => void log.push('top'), { name: 'top', inject: ['hostTestStore'] }));
    ctx.plugin(aPlugin((inner) => {
      inner.provide('hostTestStore', { name: 'x' });
      return async () => { await idle(); log.push('middle'); };
    }, { name: 'middle', inject: ['hostTestClock'] }));
    const base = ctx.plugin(aPlugin((inner) => {
      inner.provide('hostTestClock', at(1));
      return () => void log.push('base');
    }, { name: 'base' }));
    await base.dispose();
    expect(log).toEqual(['top', 'middle', 'base']);
  });

  it('awaits the cleanups of users before the provider goes on with its own', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    const log: string[] = [];
    const provider = ctx.plugin(aPlugin((inner) => {
      inner.provide('hostTestClock', at(1));
      return () => void log.push('provider cleaned');
    }, { name: 'provider' }));
    ctx.plugin(aPlugin(() => async () => { await open.promise; log.push('user cleaned'); }, { name: 'user', inject: ['hostTestClock'] }));
    const disposed = provider.dispose();
    expect(await isSettled(disposed)).toBe(false);
    open.on();
    await disposed;
    expect(log).toEqual(['user cleaned', 'provider cleaned']);
  });

  it('ends users first also when a plugin that starts ends their provider', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    const provider = ctx.plugin(aPlugin((inner) => { inner.provide('hostTestClock', at(1)); return () => void log.push('provider'); }, { name: 'provider' }));
    ctx.plugin(aPlugin(() => () => void log.push('user'), { name: 'user', inject: ['hostTestClock'] }));
    ctx.plugin(aPlugin(() => void provider.dispose(), { name: 'ender', inject: ['hostTestStore'] }));
    ctx.provide('hostTestStore', { name: 'go' });
    await idle();
    expect(log).toEqual(['user', 'provider']);
  });

  it('waits for users also when a plugin that starts takes the service away', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    const off = ctx.provide('hostTestClock', at(1));
    ctx.plugin(aPlugin(() => async () => { await idle(); log.push('user'); }, { inject: ['hostTestClock'] }));
    ctx.plugin(aPlugin(() => void off().then(() => log.push('gone')), { name: 'ender', inject: ['hostTestStore'] }));
    ctx.provide('hostTestStore', { name: 'go' });
    await vi.waitFor(() => expect(log).toHaveLength(2));
    expect(log).toEqual(['user', 'gone']);
  });

  it('starts those that waited for different services of one plugin in the order they were mounted', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    const bundle = ctx.plugin(aPlugin((inner) => {
      inner.provide('hostTestStore', { name: 'x' });
      inner.provide('hostTestClock', at(1));
    }, { name: 'bundle' }));
    ctx.plugin(aPlugin(() => { log.push('a'); return () => void log.push('a ends'); }, { name: 'a', inject: ['hostTestStore'] }));
    ctx.plugin(aPlugin(() => { log.push('b'); return () => void log.push('b ends'); }, { name: 'b', inject: ['hostTestClock'] }));
    log.length = 0;
    await bundle.update({});
    expect(log).toEqual(['b ends', 'a ends', 'a', 'b']);
  });

  it('holds also when the whole tree ends, whoever was mounted first', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    ctx.plugin(aPlugin(() => () => void log.push('user'), { name: 'user', inject: ['hostTestClock'] }));
    ctx.plugin(aPlugin((inner) => { inner.provide('hostTestClock', at(1)); return () => void log.push('provider'); }, { name: 'provider' }));
    await ctx.dispose();
    expect(log).toEqual(['user', 'provider']);
  });

  it('does not start before the old instance has ended', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    const log: string[] = [];
    const off = ctx.provide('hostTestClock', at(1));
    const handle = ctx.plugin(aPlugin(() => {
      log.push('start');
      return async () => { await open.promise; log.push('end'); };
    }, { inject: ['hostTestClock'] }));
    const gone = off();
    ctx.provide('hostTestClock', at(2));
    expect(log).toEqual(['start']);
    expect(handle.status).toBe('waiting');
    open.on();
    await gone;
    await handle.ready;
    expect(log).toEqual(['start', 'end', 'start']);
  });

  it('reports a cleanup that fails during a restart, and restarts all the same', async () => {
    const { ctx, logger } = aContext();
    const off = ctx.provide('hostTestClock', at(1));
    const handle = ctx.plugin(aPlugin(() => () => { throw new Error('boom'); }, { inject: ['hostTestClock'] }));
    await off();
    ctx.provide('hostTestClock', at(2));
    expect(handle.status).toBe('active');
    expect(logger.error).toHaveBeenCalledExactlyOnceWith('core-context: plugin "sample": a cleanup failed: boom', expect.any(Error));
  });

  it('tries a failed plugin again with the next provider, and not with the same', async () => {
    const { ctx } = aContext();
    const apply = vi.fn<(ctx: Context) => void>().mockImplementationOnce(() => { throw new Error('first'); });
    const off = ctx.provide('hostTestClock', at(1));
    const handle = ctx.plugin(aPlugin(apply, { inject: ['hostTestClock'] }));
    ctx.scope('elsewhere').provide('hostTestClock', at(9));
    expect(apply).toHaveBeenCalledOnce();
    expect(handle.status).toBe('failed');
    await off();
    expect(handle.status).toBe('waiting');
    ctx.provide('hostTestClock', at(2));
    expect(handle.status).toBe('active');
    expect(apply).toHaveBeenCalledTimes(2);
  });

  it('stays waiting when the service goes while it starts', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    const cleanup = vi.fn();
    const off = ctx.provide('hostTestClock', at(1));
    const handle = ctx.plugin(aPlugin(async () => { await open.promise; return cleanup; }, { inject: ['hostTestClock'] }));
    const gone = off();
    expect(handle.status).toBe('waiting');
    open.on();
    await gone;
    expect(cleanup).toHaveBeenCalledOnce();
    expect(handle.status).toBe('waiting');
  });

  it('survives a plugin that removes, in apply, the very service it was started on', async () => {
    const { ctx } = aContext();
    const off = ctx.provide('hostTestClock', at(1));
    const handle = ctx.plugin(aPlugin(() => { void off(); }, { inject: ['hostTestClock'] }));
    expect(handle.status).toBe('waiting');
    await idle();
    expect(ctx.inspect().children[0]).toMatchObject({ status: 'waiting', waitingFor: ['hostTestClock'], children: [] });
  });

  it('lets a scoped plugin wrap a service and provide the wrapped one, without restarting for ever', async () => {
    const { ctx } = aContext();
    ctx.provide('hostTestClock', at(10));
    const agent = ctx.scope('agent');
    const starts = vi.fn();
    const wrapper = agent.plugin(aPlugin((inner) => {
      starts();
      const { hostTestClock: outer } = inner;
      inner.provide('hostTestClock', { now: () => outer.now() + 1 });
      expect(inner.hostTestClock.now()).toBe(10);
    }, { name: 'wrapper', inject: ['hostTestClock'] }));
    const log: string[] = [];
    agent.plugin(clockUser(log));
    expect(log).toEqual(['user starts at 11']);
    expect(starts).toHaveBeenCalledOnce();
    await wrapper.dispose();
    expect(log).toEqual(['user starts at 11', 'user of 11 ends at 11', 'user starts at 10']);
  });

  it('settles when two scoped plugins each wrap what the other stands on', () => {
    const { ctx } = aContext();
    ctx.provide('hostTestClock', at(1));
    ctx.provide('hostTestStore', { name: 'root' });
    const agent = ctx.scope('agent');
    const starts: string[] = [];
    agent.plugin(aPlugin((inner) => { starts.push('clock'); inner.provide('hostTestClock', at(2)); }, { name: 'clock', inject: ['hostTestStore'] }));
    agent.plugin(aPlugin((inner) => { starts.push('store'); inner.provide('hostTestStore', { name: 'agent' }); }, { name: 'store', inject: ['hostTestClock'] }));
    expect(starts).toEqual(['clock', 'store']);
    expect([agent.hostTestClock.now(), agent.hostTestStore.name]).toEqual([2, 'agent']);
  });

  it('fails a plugin whose start replaces, each time, the service it stands on', async () => {
    const { ctx, logger } = aContext();
    let off = ctx.provide('hostTestClock', at(0));
    let starts = 0;
    const handle = ctx.plugin(aPlugin(() => {
      void off();
      off = ctx.provide('hostTestClock', at(++starts));
    }, { inject: ['hostTestClock'] }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(handle.status).toBe('failed');
    expect(starts).toBeLessThan(200);
    expect(logger.error.mock.calls.at(-1)![0]).toMatch(/restart/);
  });
});
