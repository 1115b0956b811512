import { isSluiceError } from '@sluice/core-schema';
import * as ours from '@sluice/core-context';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { aLogger, aPlugin } from './support.ts';

// A second copy of the package, with its own copy of core-schema, as npm installs it when versions do not match.
let theirs: typeof ours;

beforeAll(async () => {
  vi.resetModules();
  theirs = await import('@sluice/core-context');
});

describe('two copies of the package in one process', () => {
  it('are two', () => {
    expect(theirs.createContext).not.toBe(ours.createContext);
    expect(theirs.DisposeError).not.toBe(ours.DisposeError);
  });

  it('recognise each other\'s plugins', () => {
    const plugin = aPlugin(() => undefined);
    expect(ours.isPlugin(theirs.definePlugin(plugin))).toBe(true);
    expect(theirs.isPlugin(ours.definePlugin(plugin))).toBe(true);
  });

  it('mount each other\'s plugins, which then work in the tree of the copy that mounted them', async () => {
    const ctx = ours.createContext({ logger: aLogger() });
    const words: string[] = [];
    ctx.plugin(theirs.definePlugin({
      name: 'provider',
      apply(inner) {
        inner.provide('hostTestClock', { now: () => 5 });
      },
    }));
    ctx.plugin(theirs.definePlugin({
      name: 'foreign',
      inject: ['hostTestClock'],
      config: { type: 'object', properties: { word: { type: 'string', default: 'hi' } } },
      apply(inner, config: { word: string }) {
        inner.on('host-test/said', () => words.push(`${config.word} at ${inner.hostTestClock.now()}`));
      },
    }));
    ctx.emit('host-test/said', '');
    expect(words).toEqual(['hi at 5']);
    await ctx.dispose();
    expect(ctx.inspect().children).toEqual([]);
  });

  it('recognise each other\'s errors', async () => {
    const { ctx } = { ctx: theirs.createContext({ logger: aLogger() }) };
    ctx.effect(() => () => { throw new Error('boom'); });
    const errors = [
      await ctx.dispose().catch((error: unknown) => error),
      await ctx.ready().catch((error: unknown) => error),
    ];
    expect(errors.map((error) => isSluiceError(error) && error.code)).toEqual(['DISPOSE_FAILED', 'CONTEXT_DISPOSED']);
    expect(errors[0]).not.toBeInstanceOf(ours.DisposeError);
  });

  it('each have their own services on their own contexts', () => {
    const [a, b] = [ours.createContext(), theirs.createContext()];
    a.provide('hostTestStore', { name: 'a' });
    expect(a.hostTestStore.name).toBe('a');
    expect(() => b.hostTestStore).toThrow(expect.objectContaining({ code: 'SERVICE_MISSING' }));
  });
});
