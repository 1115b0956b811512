import { describe, expect, it } from 'vitest';
import { aContext, aPlugin, EMPTY } from './support.ts';

describe('scope()', () => {
  it('knows its path and identity, which are frozen', () => {
    const { ctx } = aContext();
    const sub = ctx.scope('planner').scope('sub');
    expect(ctx.scopePath).toEqual([]);
    expect(sub.scopePath).toEqual(['planner', 'sub']);
    expect(sub.scopeRef).toMatchObject({ name: 'sub', path: ['planner', 'sub'], parent: { name: 'planner', parent: { name: 'root', path: [] } } });
    expect(ctx.scopeRef).not.toHaveProperty('parent');
    expect([sub.scopeRef, sub.scopePath, sub.scopeRef.path].map((value) => Object.isFrozen(value))).toEqual([true, true, true]);
  });

  it('is the same for all plugins that are mounted in it', () => {
    const { ctx } = aContext();
    const agent = ctx.scope('agent');
    agent.plugin(aPlugin((inner) => {
      expect(inner.scopeRef).toBe(agent.scopeRef);
      expect(inner.scopePath).toBe(agent.scopePath);
      expect(inner.scope('own').scopePath).toEqual(['agent', 'own']);
    }));
  });

  it('refuses a name twice under one parent until the first is disposed', async () => {
    const { ctx } = aContext();
    const first = ctx.scope('a');
    expect(() => ctx.scope('a')).toThrow(expect.objectContaining({ code: 'SCOPE_DUPLICATE', message: expect.stringContaining('already a scope "a"') }));
    ctx.plugin(aPlugin((inner) => {
      expect(() => inner.scope('a')).toThrow(expect.objectContaining({ code: 'SCOPE_DUPLICATE' }));
    }));
    first.scope('a');
    ctx.scope('b').scope('a');
    await first.dispose();
    const second = ctx.scope('a');
    expect(second.scopeRef).not.toBe(first.scopeRef);
    expect(ctx.inspect().counts.scopes).toBe(3);
  });

  it('refuses names that are none', () => {
    const { ctx } = aContext();
    expect(() => ctx.scope('')).toThrow(TypeError);
    expect(() => ctx.scope(undefined as never)).toThrow(TypeError);
  });

  it('takes names of Object.prototype like any other', () => {
    const { ctx } = aContext();
    for (const name of ['__proto__', 'constructor']) expect(ctx.scope(name).scopePath).toEqual([name]);
  });

  it('ends with the plugin that made it', async () => {
    const { ctx } = aContext();
    const handle = ctx.plugin(aPlugin((inner) => { inner.scope('mine').on('host-test/said', () => undefined); }));
    await handle.dispose();
    expect(ctx.inspect().counts).toEqual(EMPTY);
    ctx.scope('mine');
  });

  it('removes on disposal all that was registered in it and below, and nothing else', async () => {
    const { ctx } = aContext();
    ctx.on('host-test/said', () => undefined);
    const agent = ctx.scope('agent');
    agent.on('host-test/said', () => undefined);
    agent.provide('hostTestClock', { now: () => 1 });
    agent.scope('sub').plugin(aPlugin((inner) => { inner.effect(() => () => undefined); }));
    await agent.dispose();
    expect(ctx.inspect().counts).toEqual({ ...EMPTY, listeners: 1 });
    expect(agent.inspect().counts).toEqual(EMPTY);
  });

  it('can still read what is above, once disposed, but register nothing', async () => {
    const { ctx } = aContext();
    ctx.provide('hostTestClock', { now: () => 1 });
    ctx.on('host-test/ask', async (_q, next) => `root(${await next()})`);
    const agent = ctx.scope('agent');
    agent.provide('hostTestStore', { name: 'agent' });
    await agent.dispose();
    expect(agent.hostTestClock.now()).toBe(1);
    expect(agent.get('hostTestStore')).toBeUndefined();
    expect(await agent.waterfall('host-test/ask', ['?'], () => '')).toBe('root()');
    for (const register of [
      () => agent.on('host-test/said', () => undefined),
      () => agent.provide('hostTestStore', { name: 'x' }),
      () => agent.plugin(aPlugin(() => undefined)),
      () => agent.scope('x'),
      () => agent.effect(() => undefined),
      () => agent.contribute({ label: 'x', attach: () => undefined, detach: () => undefined }),
    ]) {
      expect(register).toThrow(expect.objectContaining({ code: 'CONTEXT_DISPOSED', message: expect.stringContaining('scope "agent" is disposed') }));
    }
    await expect(agent.ready()).rejects.toMatchObject({ code: 'CONTEXT_DISPOSED' });
  });

  it('keeps a plugin of its own apart from the same plugin in another scope', async () => {
    const { ctx } = aContext();
    const words: string[] = [];
    const plugin = aPlugin((inner) => { inner.on('host-test/said', (word) => words.push(`${inner.scopePath.join('/')}: ${word}`)); });
    const [a, b] = [ctx.scope('a'), ctx.scope('b')];
    a.plugin(plugin);
    b.plugin(plugin);
    a.emit('host-test/said', '1');
    b.emit('host-test/said', '2');
    ctx.emit('host-test/said', '3');
    expect(words).toEqual(['a: 1', 'b: 2']);
    await a.dispose();
    b.emit('host-test/said', '4');
    expect(words).toEqual(['a: 1', 'b: 2', 'b: 4']);
  });
});
