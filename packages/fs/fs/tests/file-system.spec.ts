import { createContext, type Context } from '@sluice/core-context';
import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { fileSystemFor, fileSystemOf, FsError, fsCodes, isFsError, type FsCode } from '../src/index.ts';
import { OneFile } from './support.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const opened: Context[] = [];
afterEach(async () => {
  for (const ctx of opened.splice(0)) await ctx.dispose();
});

function provided(): { ctx: Context; provider: OneFile } {
  const ctx = createContext({ logger: silent });
  const provider = new OneFile();
  ctx.provide('fs', fileSystemOf(provider));
  opened.push(ctx);
  return { ctx, provider };
}

describe('the service', () => {
  it('asks the provider for nothing but the change itself when nobody listens', async () => {
    const { ctx, provider } = provided();
    await ctx.fs.write('a', 'x');
    await ctx.fs.edit('a', [], { ifVersion: '1' });
    await ctx.fs.remove('a');
    expect(provider.calls).toEqual(['write', 'edit', 'remove']);
  });

  it('makes an error that is no error of the seam into FS_IO, without its words', async () => {
    const { ctx, provider } = provided();
    provider.fault = Object.assign(new Error('EIO: /secret/staging/path'), { code: 'EIO' });
    const error = await ctx.fs.readText('a').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'FS_IO', path: 'a', message: 'cannot read "a": it could not be accessed', cause: provider.fault });
    await expect(ctx.fs.walk('a')[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'FS_IO' });
    provider.fault = new FsError('FS_PERMISSION', 'a');
    await expect(ctx.fs.readText('a')).rejects.toBe(provider.fault);
  });

  it('refuses misuse with a TypeError', async () => {
    const { ctx } = provided();
    await expect(ctx.fs.write('a', 7 as never)).rejects.toThrow(TypeError);
    await expect(ctx.fs.edit('a', [], {} as never)).rejects.toThrow(TypeError);
    await expect(ctx.fs.readText(undefined as never)).rejects.toThrow(TypeError);
  });

  it('has watch and localPath only where the provider has', () => {
    const { ctx, provider } = provided();
    expect([ctx.fs.watch, ctx.fs.localPath]).toEqual([undefined, undefined]);
    const local = createContext({ logger: silent });
    opened.push(local);
    local.provide('fs', fileSystemOf(Object.assign(provider, { localPath: async () => '/real/a' })));
    return expect(local.fs.localPath?.('a')).resolves.toBe('/real/a');
  });

  it('gives a body the files and policies of the scope that its call was made in', async () => {
    const { ctx } = provided();
    const own = new OneFile();
    const agent = ctx.scope('agent');
    agent.provide('fs', fileSystemOf(own));
    const other = ctx.scope('other');
    other.on('fs/write-intent', () => ({ kind: 'deny', reason: 'is for others' }));
    await fileSystemFor(ctx, { scopePath: agent.scopePath }).write('a', 'mine');
    expect(own.text).toBe('mine');
    await expect(fileSystemFor(ctx, { scopePath: other.scopePath }).write('a', 'x')).rejects.toMatchObject({ code: 'FS_DENIED' });
    expect(fileSystemFor(ctx, { scopePath: ['copy'] })).toBe(ctx.fs);
  });
});

describe('policies', () => {
  it('that hang do not hold a change that is cancelled, and nothing stays on the signal', async () => {
    const { ctx, provider } = provided();
    let wakeUp!: () => void;
    const asleep = new Promise<void>((resolve) => { wakeUp = resolve; });
    ctx.on('fs/write-intent', (_intent, next) => asleep.then(next));
    const controller = new AbortController();
    const write = ctx.fs.write('a', 'x', { signal: controller.signal });
    await Promise.resolve();
    setImmediate(() => { controller.abort(); });
    await expect(write).rejects.toMatchObject({ code: 'FS_CANCELLED', name: 'AbortError' });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    wakeUp();
    await asleep;
    expect(provider.text).toBe('one');
  });

  it('that are mounted and not ready deny, before and after others were asked', async () => {
    const { ctx, provider } = provided();
    ctx.on('fs/edit-intent', (_intent, next) => {
      ctx.plugin({ name: 'late-gate', gate: true, inject: ['nothing' as never], apply() {} });
      return next();
    });
    await expect(ctx.fs.edit('a', [], { ifVersion: '1' })).rejects.toMatchObject({ code: 'FS_DENIED', message: expect.stringContaining('"late-gate"') as string });
    await expect(ctx.fs.write('a', 'x')).rejects.toMatchObject({ code: 'FS_DENIED' });
    expect(provider.calls).toEqual([]);
    expect((await ctx.fs.readText('a')).text).toBe('one');
  });

  it('narrow a change only to the version that it was meant for', async () => {
    const { ctx } = provided();
    let narrowed: string | null = '1';
    ctx.on('fs/write-intent', () => ({ kind: 'allow', ifVersion: narrowed }));
    await expect(ctx.fs.write('a', 'x', { ifVersion: '1' })).resolves.toMatchObject({ isNew: false });
    await expect(ctx.fs.write('a', 'x', { ifVersion: '2' })).rejects.toMatchObject({ code: 'FS_STALE' });
    narrowed = null;
    await expect(ctx.fs.write('a', 'x', { ifVersion: '2' })).rejects.toMatchObject({ code: 'FS_STALE' });
  });
});

describe('errors', () => {
  it('each have words that finish a sentence, and a hint', () => {
    for (const code of Object.keys(fsCodes) as FsCode[]) {
      const error = new FsError(code, 'dir/a', { operation: 'edit' });
      expect(error.message).toMatch(/^cannot edit "dir\/a": it [a-z]/);
      expect(error.hint).toMatch(/^[A-Z].*\.$/);
      expect([error.name, isFsError(error)]).toEqual([code === 'FS_CANCELLED' ? 'AbortError' : 'FsError', true]);
    }
  });

  it('show a path that cannot be mistaken, however it is written', () => {
    const { message } = new FsError('FS_NOT_FOUND', `a"\n\u202e\u001b[2J${'x'.repeat(5_000)}`);
    expect(message).toContain('a\\"\\n\\u202e\\u001b[2J');
    expect(message.length).toBeLessThan(400);
  });

  it('are recognised from another copy of the package, and nothing else is', () => {
    const brand = Symbol.for('sluice.fs-error');
    expect([isFsError({ [brand]: true }), isFsError(new Error('x')), isFsError(null), isFsError(new Proxy({}, { get() { throw new Error('no'); } }))]).toEqual([true, false, false, false]);
  });
});
