import { definePlugin, type Context, type Plugin } from '@sluice/core-context';
import { describe, expect, it, vi } from 'vitest';
import { aContext, aPlugin, aSwitch, EMPTY, idle, isSettled } from './support.ts';

const config = { type: 'object', properties: { word: { type: 'string', default: 'a' }, fail: { type: 'boolean' } } };

interface Given {
  word: string;
  fail?: boolean;
}

/** Says its word on the hook, and logs its life. */
function speaker(log: string[] = []): Plugin<Given> {
  return definePlugin<Given>({
    name: 'speaker',
    config,
    apply(ctx, { word, fail }) {
      log.push(`start ${word}`);
      ctx.on('host-test/ask', async (question, next) => `${word}(${await next()})`);
      ctx.effect(() => () => void log.push(`end ${word}`));
      if (fail === true) throw new Error(`${word} fails`);
    },
  });
}

const ask = (ctx: Context): Promise<string> => ctx.waterfall('host-test/ask', ['?'], () => '');

describe('update()', () => {
  it('has swapped a synchronous plugin when it returns its promise', async () => {
    const { ctx } = aContext();
    const handle = ctx.plugin(speaker());
    const updated = handle.update({ word: 'b' });
    expect(await ask(ctx)).toBe('b()');
    await updated;
    expect(handle.status).toBe('active');
  });

  it('keeps the slot in the order', async () => {
    const { ctx } = aContext();
    ctx.plugin(speaker(), { word: '1' });
    const second = ctx.plugin(speaker(), { word: '2' });
    ctx.plugin(speaker(), { word: '3' });
    await second.update({ word: 'two' });
    expect(await ask(ctx)).toBe('1(two(3()))');
  });

  it('starts the new instance before it ends the old one, and cleans the old one up', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    const handle = ctx.plugin(speaker(log));
    await handle.update({ word: 'b' });
    expect(log).toEqual(['start a', 'start b', 'end a']);
    expect(ctx.inspect().counts).toEqual({ ...EMPTY, plugins: 1, listeners: 1, effects: 1 });
  });

  it('applies defaults and refuses a wrong config, keeping the old instance', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    const handle = ctx.plugin(speaker(log), { word: 'old' });
    await expect(handle.update({ wrod: 'x' })).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    expect(log).toEqual(['start old']);
    expect(await ask(ctx)).toBe('old()');
    await handle.update(undefined);
    expect(await ask(ctx)).toBe('a()');
  });

  it('keeps the old instance when the new one throws, and undoes what that had registered', async () => {
    const { ctx, logger } = aContext();
    const log: string[] = [];
    const handle = ctx.plugin(speaker(log));
    await expect(handle.update({ word: 'b', fail: true })).rejects.toMatchObject({ code: 'PLUGIN_FAILED', message: 'core-context: plugin "speaker" failed to start: b fails' });
    expect(handle.status).toBe('active');
    expect(await ask(ctx)).toBe('a()');
    expect(log).toEqual(['start a', 'start b', 'end b']);
    expect(logger.error).not.toHaveBeenCalled();
  });

  it('keeps the old config for later restarts when the new one failed', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    let off = ctx.provide('hostTestClock', { now: () => 1 });
    const handle = ctx.plugin({ ...speaker(log), inject: ['hostTestClock'] }, { word: 'old' });
    await expect(handle.update({ word: 'bad', fail: true })).rejects.toThrow();
    await off();
    off = ctx.provide('hostTestClock', { now: () => 2 });
    await handle.update({ word: 'new' });
    await off();
    ctx.provide('hostTestClock', { now: () => 3 });
    expect(log.filter((line) => line.startsWith('start'))).toEqual(['start old', 'start bad', 'start old', 'start new', 'start new']);
  });

  it('leaves the old one in force until an asynchronous apply has ended', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    let starts = 0;
    const handle = ctx.plugin(aPlugin(async (inner) => {
      const me = ++starts;
      inner.on('host-test/ask', () => String(me));
      if (me > 1) await open.promise;
    }));
    await handle.ready;
    const updated = handle.update({});
    expect(await ask(ctx)).toBe('1');
    expect(handle.status).toBe('active');
    open.on();
    await updated;
    expect(await ask(ctx)).toBe('2');
  });

  it('runs one after the other, each with its own config', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    const handle = ctx.plugin(definePlugin<Given>({
      name: 'slow', config,
      async apply(_ctx, { word }) {
        log.push(`start ${word}`);
        await idle();
        log.push(`started ${word}`);
        return () => void log.push(`end ${word}`);
      },
    }));
    const all = [handle.update({ word: 'b' }), handle.update({ word: 'c' })];
    await Promise.all(all);
    expect(log).toEqual(['start a', 'started a', 'start b', 'started b', 'end a', 'start c', 'started c', 'end b']);
  });

  it('drains the old instance before cleaning it up', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    const log: string[] = [];
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.on('host-test/ask', async () => {
        await open.promise;
        log.push('answered');
        return '';
      });
      return () => void log.push('cleaned');
    }));
    const answer = ask(ctx);
    const updated = handle.update({});
    expect(await isSettled(updated)).toBe(false);
    expect(ctx.inspect().children).toMatchObject([{ status: 'disposed', running: ['1 call in host-test/ask'] }, { status: 'active' }]);
    open.on();
    await answer;
    await updated;
    expect(log).toEqual(['answered', 'cleaned']);
  });

  it('does not wait for more than a second for calls in flight, nor for itself from inside its own hook', async () => {
    vi.useFakeTimers();
    const { ctx, logger } = aContext();
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.on('host-test/ask', async () => {
        await Promise.resolve();
        await handle.update({});
        return 'done';
      });
    }));
    const answer = ask(ctx);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toBe('done');
    expect(logger.warn.mock.calls[0]![0]).toContain('the previous instance of plugin "sample"');
    await idle();
    expect(ctx.inspect().children).toHaveLength(1);
  });

  it('only stores the config of a plugin that waits', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    const handle = ctx.plugin({ ...speaker(log), inject: ['hostTestClock'] });
    await handle.update({ word: 'b' });
    expect(handle.status).toBe('waiting');
    ctx.provide('hostTestClock', { now: () => 1 });
    expect(log).toEqual(['start b']);
  });

  it('starts a failed plugin again, and rejects when that fails too', async () => {
    const { ctx } = aContext();
    const handle = ctx.plugin(speaker(), { fail: true });
    expect(handle.status).toBe('failed');
    await expect(handle.update({ word: 'b', fail: true })).rejects.toThrow('b fails');
    expect(handle.status).toBe('failed');
    await handle.update({ word: 'c' });
    expect(handle.status).toBe('active');
    expect(await ask(ctx)).toBe('c()');
  });

  it('waits for a plugin that is starting', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    const log: string[] = [];
    const handle = ctx.plugin(definePlugin<Given>({ name: 'slow', config, async apply(_ctx, { word }) { log.push(word); await open.promise; } }));
    const updated = handle.update({ word: 'b' });
    await idle();
    expect(log).toEqual(['a']);
    open.on();
    await updated;
    expect(log).toEqual(['a', 'b']);
  });

  it('rejects on a disposed plugin, and when it is disposed meanwhile', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    let starts = 0;
    const cleanup = vi.fn();
    const handle = ctx.plugin(aPlugin(async (inner) => {
      inner.effect(() => cleanup);
      if (++starts > 1) await open.promise;
    }));
    await handle.ready;
    const rejects = expect(handle.update({})).rejects.toMatchObject({ code: 'PLUGIN_DISPOSED' });
    const disposed = handle.dispose();
    open.on();
    await disposed;
    await rejects;
    expect(cleanup).toHaveBeenCalledTimes(2);
    await expect(handle.update({})).rejects.toMatchObject({ code: 'PLUGIN_DISPOSED' });
    expect(ctx.inspect().counts).toEqual(EMPTY);
  });

  it('goes on with the next instance when a service changes while it prepares', async () => {
    const { ctx } = aContext();
    const off = ctx.provide('hostTestClock', { now: () => 1 });
    const open = aSwitch();
    const log: string[] = [];
    const handle = ctx.plugin(definePlugin<Given>({
      name: 'slow', config, inject: ['hostTestClock'],
      async apply(inner, { word }) {
        log.push(`${word} at ${inner.hostTestClock.now()}`);
        if (word === 'b') await open.promise;
      },
    }));
    await handle.ready;
    const updated = handle.update({ word: 'b' });
    const gone = off();
    ctx.provide('hostTestClock', { now: () => 2 });
    open.on();
    await gone;
    await updated;
    await handle.ready;
    expect(log.at(-1)).toBe('b at 2');
    expect(ctx.inspect().children).toHaveLength(1);
  });
});

describe('an update whose new instance does not come to an end of its start', () => {
  it('is tried again when a service changes, which ends that instance', async () => {
    vi.useFakeTimers();
    const { ctx } = aContext();
    const off = ctx.provide('hostTestClock', { now: () => 1 });
    let starts = 0;
    const handle = ctx.plugin(aPlugin(() => (++starts === 2 ? new Promise(() => undefined) : undefined), { inject: ['hostTestClock'] }));
    const updated = handle.update({});
    const gone = off();
    ctx.provide('hostTestClock', { now: () => 2 });
    await vi.advanceTimersByTimeAsync(1_000);
    await gone;
    await updated;
    expect(handle.status).toBe('active');
    expect(starts).toBe(4);
  });
});

describe('the swap', () => {
  it('attaches contributions at the swap, in order, and detaches the old ones first, last first', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    let starts = 0;
    const handle = ctx.plugin(aPlugin((inner) => {
      const me = ++starts;
      for (const label of ['x', 'y']) {
        inner.contribute({ label, attach: () => void log.push(`+${label}${me}`), detach: () => void log.push(`-${label}${me}`) });
      }
      log.push(`applied ${me}`);
    }));
    await handle.update({});
    expect(log).toEqual(['+x1', '+y1', 'applied 1', 'applied 2', '-y1', '-x1', '+x2', '+y2']);
  });

  it('goes back to the old instance when a contribution of the new one cannot be attached', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    let starts = 0;
    const cleaned = vi.fn();
    const handle = ctx.plugin(aPlugin((inner) => {
      const me = ++starts;
      inner.contribute({ label: 'x', attach: () => void log.push(`+x${me}`), detach: () => void log.push(`-x${me}`) });
      inner.on('host-test/ask', () => String(me));
      inner.contribute({ label: 'y', attach: () => { if (me > 1) throw new Error('taken'); log.push('+y'); }, detach: () => void log.push('-y') });
      return () => void cleaned(me);
    }));
    await expect(handle.update({})).rejects.toThrow('taken');
    expect(log).toEqual(['+x1', '+y', '-y', '-x1', '+x2', '-x2', '+x1', '+y']);
    expect(await ask(ctx)).toBe('1');
    expect(handle.status).toBe('active');
    expect(cleaned).toHaveBeenCalledExactlyOnceWith(2);
    await handle.dispose();
    expect(log.slice(-2)).toEqual(['-y', '-x1']);
  });

  it('fails the plugin when even the old instance cannot be attached again', async () => {
    const { ctx, logger } = aContext();
    let attached = 0;
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.contribute({ label: 'x', attach: () => { if (++attached > 1) throw new Error(`no ${attached}`); }, detach: () => undefined });
    }, { gate: true }));
    await expect(handle.update({})).rejects.toThrow(/no \d/);
    expect(handle.status).toBe('failed');
    expect(ctx.closedGates()).toEqual(['sample']);
    expect(logger.error).toHaveBeenCalled();
  });

  it('lets disposers of the new instance work before and after it, and those of the old one do nothing', async () => {
    const { ctx } = aContext();
    const words: string[] = [];
    const offs: (() => void)[] = [];
    let starts = 0;
    const handle = ctx.plugin(aPlugin((inner) => {
      const me = ++starts;
      offs.push(inner.on('host-test/said', () => words.push(`kept ${me}`)));
      if (me === 2) inner.on('host-test/said', () => words.push('never'))();
    }));
    await handle.update({});
    ctx.emit('host-test/said', '');
    offs[0]!();
    ctx.emit('host-test/said', '');
    offs[1]!();
    ctx.emit('host-test/said', '');
    expect(words).toEqual(['kept 2', 'kept 2']);
  });

  it('restarts those that stand on its services, on the new ones', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    let starts = 0;
    const provider = ctx.plugin(aPlugin((inner) => {
      const me = ++starts;
      inner.provide('hostTestStore', { name: `store ${me}` });
      return () => void log.push(`provider ${me} ends`);
    }, { name: 'provider' }));
    ctx.plugin(aPlugin((inner) => {
      const { name } = inner.hostTestStore;
      log.push(`user of ${name}`);
      return () => void log.push(`user of ${inner.hostTestStore.name} ends`);
    }, { name: 'user', inject: ['hostTestStore'] }));
    await provider.update({});
    expect(log).toEqual(['user of store 1', 'user of store 1 ends', 'user of store 2', 'provider 1 ends']);
    expect(ctx.hostTestStore.name).toBe('store 2');
  });

  it('keeps services of the new instance to itself and its children until then', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    const log: string[] = [];
    let starts = 0;
    const bundle = ctx.plugin(aPlugin(async (inner) => {
      const me = ++starts;
      inner.provide('hostTestStore', { name: `store ${me}` });
      expect(inner.hostTestStore.name).toBe(`store ${me}`);
      await inner.plugin(aPlugin((child) => { log.push(`child on ${child.hostTestStore.name}`); }, { name: 'child', inject: ['hostTestStore'] })).ready;
      if (me > 1) await open.promise;
    }, { name: 'bundle' }));
    await bundle.ready;
    const updated = bundle.update({});
    await idle();
    expect(ctx.hostTestStore.name).toBe('store 1');
    open.on();
    await updated;
    expect(ctx.hostTestStore.name).toBe('store 2');
    expect(log).toEqual(['child on store 1', 'child on store 2']);
  });

  it('leaves no trace of a service of the new instance that is taken away later', async () => {
    const { ctx } = aContext();
    let off!: () => Promise<void>;
    let inner!: Context;
    const handle = ctx.plugin(aPlugin((given) => {
      inner = given;
      off = given.provide('hostTestStore', { name: 'x' });
    }));
    await handle.update({});
    expect(inner.hostTestStore.name).toBe('x');
    await off();
    expect(inner.get('hostTestStore')).toBeUndefined();
    expect(inner.plugin(aPlugin(() => undefined, { inject: ['hostTestStore'] })).status).toBe('waiting');
  });

  it('shows the new instance its own service as soon as it provides it, and the old one until then', async () => {
    const { ctx } = aContext();
    const seen: (string | undefined)[] = [];
    let starts = 0;
    const handle = ctx.plugin(aPlugin((inner) => {
      seen.push(inner.get('hostTestStore')?.name);
      inner.provide('hostTestStore', { name: String(++starts) });
      seen.push(inner.get('hostTestStore')?.name);
    }));
    await handle.update({});
    expect(seen).toEqual([undefined, '1', '1', '2']);
  });

  it('refuses the new instance a second provider of one service at once, as when it is live', async () => {
    const { ctx } = aContext();
    const refused: unknown[] = [];
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.provide('hostTestStore', { name: '1' });
      try {
        inner.provide('hostTestStore', { name: '2' });
      } catch (error) {
        refused.push((error as { code: string }).code);
      }
    }));
    await handle.update({});
    expect(refused).toEqual(['SERVICE_DUPLICATE', 'SERVICE_DUPLICATE']);
    expect(ctx.hostTestStore.name).toBe('1');
  });

  it('leaves out what is withdrawn while it is attached', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    let starts = 0;
    const handle = ctx.plugin(aPlugin((inner) => {
      const isNew = ++starts > 1;
      const off = inner.contribute({ label: 'x', attach: () => { log.push('+x'); if (isNew) off(); }, detach: () => void log.push('-x') });
    }));
    await handle.update({});
    expect(log).toEqual(['+x', '-x', '+x', '-x']);
    await handle.dispose();
    expect(log).toHaveLength(4);
  });

  it('takes nested plugins and scopes along, scopes by the same name too', async () => {
    const { ctx } = aContext();
    const agents: Context[] = [];
    let starts = 0;
    const bundle = ctx.plugin(aPlugin((inner) => {
      const me = ++starts;
      inner.plugin(aPlugin((nested) => { nested.on('host-test/ask', async (_q, next) => `n${me}(${await next()})`); }));
      const agent = inner.scope('agent');
      agent.on('host-test/ask', async (_q, next) => `a${me}(${await next()})`);
      agents.push(agent);
    }, { name: 'bundle' }));
    expect(await ask(agents[0]!)).toBe('n1(a1())');
    await bundle.update({});
    expect(await ask(agents[1]!)).toBe('n2(a2())');
    expect(await ask(ctx)).toBe('n2()');
    expect(agents[0]!.signal.aborted).toBe(true);
    expect(() => ctx.scope('agent')).toThrow(expect.objectContaining({ code: 'SCOPE_DUPLICATE' }));
    await bundle.dispose();
    ctx.scope('agent');
  });

  it('can update a plugin that is itself inside an instance being prepared', async () => {
    const { ctx } = aContext();
    const log: string[] = [];
    let starts = 0;
    const bundle = ctx.plugin(aPlugin(async (inner) => {
      const me = ++starts;
      const nested = inner.plugin(speaker(log), { word: `a${me}` });
      await nested.update({ word: `b${me}` });
    }, { name: 'bundle' }));
    await bundle.ready;
    await bundle.update({});
    expect(await ask(ctx)).toBe('b2()');
    expect(log.filter((line) => line.startsWith('end')).sort()).toEqual(['end a1', 'end a2', 'end b1']);
  });
});
