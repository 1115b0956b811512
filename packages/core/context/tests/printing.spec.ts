import { inspect, isDeepStrictEqual } from 'node:util';
import { createContext, type Context } from '@sluice/core-context';
import { describe, expect, it, vi } from 'vitest';
import { aContext, aLogger, aPlugin } from './support.ts';

describe('a context on a screen', () => {
  it('prints in a line that says what it is', () => {
    const { ctx } = aContext();
    ctx.provide('hostTestClock', { now: () => 1 });
    expect(inspect(ctx)).toBe('Context <the root context, owner app, services: hostTestClock>');
    expect(inspect({ deep: { ctx: ctx.scope('a') } })).toContain('Context <scope "a", owner app, services: hostTestClock>');
    ctx.plugin(aPlugin((inner) => {
      expect(inspect(inner)).toContain('Context <plugin "sample", owner sample');
    }));
  });

  it('survives everything that printers, test frameworks and runtimes do to a value', async () => {
    const { ctx } = aContext();
    for (const value of [ctx, ctx.scope('a')]) {
      expect(() => inspect(value, { showHidden: true, depth: 9, getters: true, customInspect: false })).not.toThrow();
      // eslint-disable-next-line @typescript-eslint/no-base-to-string -- that it does not throw is what is asked
      expect(String(value)).toBe('[object Object]');
      expect(JSON.stringify({ value })).toBe('{"value":{}}');
      expect(await Promise.resolve(value)).toBe(value);
      expect(isDeepStrictEqual(value, value)).toBe(true);
      expect(Object.keys(value)).toEqual([]);
      expect({ ...value }).toEqual({});
      expect(value).toEqual(value);
      expect([value]).toContain(value);
      expect(vi.isMockFunction(value)).toBe(false);
      expect(value instanceof Object).toBe(true);
      expect('tools' in value).toBe(true);
      expect('hostTestNeverProvided' in value).toBe(false);
      expect((value as unknown as Record<symbol, unknown>)[Symbol('any')]).toBeUndefined();
    }
  });

  it('can be in a failing assertion, which then says why it failed', () => {
    const { ctx } = aContext();
    expect(() => expect(ctx).toEqual({ a: 1 })).toThrow(/Context <|expected/);
    expect(() => expect(ctx).toBe(5)).toThrow(/to be 5/);
    expect(() => expect({ ctx }).toMatchObject({ ctx: { scopePath: ['x'] } })).toThrow(/expected/);
    expect(ctx).toMatchObject({ scopePath: [] });
  });

  it('can be spied on', () => {
    const { ctx } = aContext();
    const spy = vi.spyOn(ctx, 'emit');
    ctx.emit('host-test/said', 'x');
    expect(spy).toHaveBeenCalledExactlyOnceWith('host-test/said', 'x');
  });
});

describe('inspect()', () => {
  it('gives a plain picture of the live tree with counts', () => {
    const { ctx } = aContext();
    ctx.provide('hostTestClock', { now: () => 1 });
    ctx.contribute({ label: 'tool read', attach: () => undefined, detach: () => undefined });
    ctx.scope('agent').plugin(aPlugin((inner) => {
      inner.on('host-test/said', () => undefined);
      inner.on('host-test/said', () => undefined);
      inner.effect(() => () => undefined, 'timer');
    }));
    const empty = { services: [], listeners: {}, contributions: [], effects: [], children: [] };
    const counts = { plugins: 1, scopes: 1, services: 0, listeners: 2, contributions: 0, effects: 1, running: 0 };
    expect(ctx.inspect()).toEqual({
      ...empty,
      name: 'root', kind: 'root', status: 'active', scopePath: [], services: ['hostTestClock'], contributions: ['tool read'],
      children: [{
        ...empty,
        name: 'agent', kind: 'scope', status: 'active', scopePath: ['agent'],
        children: [{
          ...empty,
          name: 'sample', kind: 'plugin', status: 'active', scopePath: ['agent'], listeners: { 'host-test/said': 2 }, effects: ['timer'],
          counts: { ...counts, scopes: 0 },
        }],
        counts,
      }],
      counts: { ...counts, services: 1, contributions: 1 },
    });
    expect(structuredClone(ctx.inspect())).toEqual(ctx.inspect());
  });
});

describe('createContext()', () => {
  it('sends warnings and errors to the console unless told otherwise, and nothing else', () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
    const error = vi.spyOn(console, 'error').mockReturnValue(undefined);
    const log = vi.spyOn(console, 'log').mockReturnValue(undefined);
    const { logger } = createContext();
    logger.debug('d');
    logger.info('i');
    logger.warn('w');
    logger.error('e', 1);
    expect([warn.mock.calls, error.mock.calls, log.mock.calls]).toEqual([[['w']], [['e', 1]], []]);
  });

  it('refuses a logger that is none', () => {
    expect(() => createContext({ logger: { ...aLogger(), warn: undefined as never } })).toThrow('logger.warn must be a function, received undefined');
  });

  it('makes trees that share nothing', async () => {
    const [a, b] = [createContext(), createContext()];
    a.provide('hostTestClock', { now: () => 1 });
    a.on('host-test/said', () => undefined);
    expect(b.get('hostTestClock')).toBeUndefined();
    expect(b.listeners('host-test/said')).toEqual([]);
    await a.dispose();
    b.provide('hostTestClock', { now: () => 2 });
  });

  it('calls a logger that is an object with a life of its own as a method', () => {
    class Kept {
      readonly lines: string[] = [];
      debug(): void {}
      info(): void {}
      warn(message: string): void {
        this.lines.push(message);
      }
      error(): void {}
    }
    const kept = new Kept();
    const ctx: Context = createContext({ logger: kept });
    ctx.logger.warn('hello');
    expect(kept.lines).toEqual(['hello']);
  });
});
