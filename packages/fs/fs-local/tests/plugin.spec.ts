import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, defineTool, tools } from '@sluice/core-tools';
import { fileSystemFor } from '@sluice/fs';
import { describePlugin } from '@sluice/testing';
import { describe, expect, it, vi } from 'vitest';
import fsLocalDefault, { fsLocal } from '../src/index.ts';
import { os } from '../src/os.ts';
import { assertWindowsNames } from '../src/windows-names.ts';
import { aDirectory, aWorkspace, link, pipe } from './support.ts';

const here = process.cwd();
describePlugin(() => fsLocal, {
  config: { root: here },
  async proof(ctx) {
    const entries = await ctx.fs.list('.');
    if (entries.length === 0) throw new Error('it lists nothing');
  },
});

const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('the configuration', () => {
  it('names what is wrong with it when it is mounted', () => {
    const { root, elsewhere, put } = aWorkspace();
    put('file', 'x');
    put('inner/x', 'x');
    const mount = (config: object) => () => {
      const ctx = createContext({ logger: silent });
      const handle = ctx.plugin(fsLocal, config);
      handle.ready.catch(() => {});
      if (handle.status === 'failed') throw new Error('it failed');
    };
    for (const config of [
      {}, { root, roots: { a: root } }, { root: '' }, { root: `${root}/none` }, { root: `${root}/file` }, { roots: {} }, { roots: { 'a/b': root } }, { roots: { '..': root } },
      { roots: { '': root } }, { roots: { a: root, b: `${root}/inner` } }, { roots: { a: root, b: root } }, { root, protected: [''] }, { root, hardLinks: 'keep' }, { root, rot: 'x' }, { roots: { a: { path: root, isReadonly: true } } },
    ]) expect(mount(config), JSON.stringify(config)).toThrow();
    for (const config of [{ root }, { root, protected: [] }, { roots: { a: root, b: { path: elsewhere, isReadOnly: true } } }]) expect(mount(config)).not.toThrow();
  });

  it('takes a root by a path with links in it, and both spellings of what is in it', async () => {
    const parent = aDirectory();
    mkdirSync(join(parent, 'real/dir'), { recursive: true });
    symlinkSync('real', join(parent, 'alias'));
    const ctx = createContext({ logger: silent });
    ctx.plugin(fsLocal, { root: join(parent, 'alias') });
    const { fs } = ctx;
    await fs.write(join(parent, 'alias/dir/a'), 'one');
    expect((await fs.readText(join(parent, 'real/dir/a'))).path).toBe('dir/a');
    symlinkSync(join(parent, 'alias/dir/new'), join(parent, 'real/l'));
    expect((await fs.resolve('l')).key).toBe('dir/new');
    expect(fs.info.roots).toEqual([{ name: '', path: join(parent, 'alias'), isReadOnly: false }]);
    expect(await fs.localPath?.('dir/a')).toBe(join(parent, 'real/dir/a'));
    await ctx.dispose();
  });

  it('makes a workspace of several roots, which look like directories of one that is none [S10.W]', async () => {
    const parent = aDirectory();
    for (const name of ['one', 'two', 'out']) mkdirSync(join(parent, name));
    writeFileSync(join(parent, 'two/b'), 'B');
    const ctx = createContext({ logger: silent });
    ctx.plugin(fsLocal, { roots: { lib: { path: join(parent, 'two'), isReadOnly: true }, app: join(parent, 'one') } });
    const { fs } = ctx;
    expect((await fs.list('.')).map(({ name, path, type }) => [name, path, type])).toEqual([['app', 'app', 'directory'], ['lib', 'lib', 'directory']]);
    expect(await fs.stat('.')).toMatchObject({ type: 'directory', isReadOnly: true });
    await fs.write('app/a', 'A');
    expect(readFileSync(join(parent, 'one/a'), 'utf8')).toBe('A');
    expect((await fs.readText(join(parent, 'two/b'))).path).toBe('lib/b');
    expect((await fs.readText('app/../lib/b')).text).toBe('B');
    link(join(parent, 'one/across'), '../two');
    expect((await fs.readText('app/across/b')).key).toBe('lib/b');
    link(join(parent, 'one/out'), '../out');
    const paths: string[] = [];
    for await (const { path } of fs.walk('.')) paths.push(path);
    expect(paths).toEqual(['app', 'app/a', 'app/across', 'app/out', 'lib', 'lib/b']);
    for (const change of [() => fs.write('lib/c', 'x'), () => fs.write('app/across/c', 'x'), () => fs.write('none/x', 'x'), () => fs.mkdir('none'), () => fs.remove('lib/b'), () => fs.move('lib/b', 'app/b')]) {
      await expect(change()).rejects.toMatchObject({ code: 'FS_READ_ONLY' });
    }
    expect(await fs.stat('none')).toBeUndefined();
    await expect(fs.readText('none/x')).rejects.toMatchObject({ code: 'FS_NOT_FOUND' });
    await expect(fs.readText('.')).rejects.toMatchObject({ code: 'FS_IS_DIRECTORY' });
    await expect(fs.write('.', 'x')).rejects.toMatchObject({ code: 'FS_IS_DIRECTORY' });
    await expect(fs.list('none')).rejects.toMatchObject({ code: 'FS_NOT_FOUND' });
    await expect(fs.readText('app/out/x')).rejects.toMatchObject({ code: 'FS_OUTSIDE_WORKSPACE' });
    await expect(fs.localPath?.('.')).rejects.toMatchObject({ code: 'FS_UNSUPPORTED' });
    expect((await fs.mkdir('.')).isNew).toBe(false);
    for (const path of ['.', 'app', 'lib']) await expect(fs.remove(path, { recursive: true })).rejects.toMatchObject({ code: 'FS_PROTECTED' });
    await ctx.dispose();
  });

  it('may refuse every change [S10.3]', async () => {
    const { fs, put, text } = aWorkspace({ isReadOnly: true });
    put('a', 'kept');
    for (const change of [() => fs.write('a', 'x'), () => fs.write('new/b', 'x'), () => fs.mkdir('d'), () => fs.remove('a'), () => fs.move('a', 'b')]) await expect(change()).rejects.toMatchObject({ code: 'FS_READ_ONLY' });
    expect(text('a')).toBe('kept');
    expect((await fs.stat('a'))?.isReadOnly).toBe(true);
  });

  it('protects what it says, by every path, link and letter case [S10.W]', async () => {
    const { fs, put, at, text } = aWorkspace({ protected: ['*.lock', '/secret/'] });
    put('a.lock', 'kept');
    put('secret/x', 'kept');
    put('.git/config', 'c');
    link(at('l'), 'a.lock');
    link(at('s'), 'secret');
    for (const path of ['a.lock', 'A.LOCK', 'l', 's/x', 's/new', 'secret/new', 'SECRET/x', './secret/../secret/x', 'd/b.lock']) {
      await expect(fs.write(path, 'x'), path).rejects.toMatchObject({ code: 'FS_PROTECTED' });
    }
    await expect(fs.remove('secret', { recursive: true })).rejects.toMatchObject({ code: 'FS_PROTECTED' });
    put('dir/deep/x.lock', 'kept');
    await expect(fs.remove('dir', { recursive: true })).rejects.toMatchObject({ code: 'FS_PROTECTED', message: expect.stringContaining('contains "deep/x.lock"') as string });
    await expect(fs.move('dir', 'moved')).rejects.toMatchObject({ code: 'FS_PROTECTED' });
    expect([text('a.lock'), text('secret/x'), text('dir/deep/x.lock')]).toEqual(['kept', 'kept', 'kept']);
    await fs.write('.git/config', 'mine now');
    await fs.remove('l');
  });
});

describe('names', () => {
  it('that Windows takes for something else are refused there', () => {
    for (const bad of ['a:stream', 'NUL', 'dir/con.txt', 'COM1', 'lpt9.log', '.git.', 'x/.git ', 'a/b?', 'a*', 'a\u0007']) {
      expect(() => { assertWindowsNames(bad, bad, 'write'); }, bad).toThrow(expect.objectContaining({ code: 'FS_BAD_PATH', path: bad }) as Error);
    }
    for (const good of ['.', 'a', 'console.log', 'dir/.gitignore', 'com', 'com10', 'null', 'a b', 'é.txt']) expect(() => { assertWindowsNames(good, good, 'write'); }, good).not.toThrow();
  });
});

describe('the plugin', () => {
  it('is the default export, and leaves nothing open or registered', async () => {
    expect(fsLocalDefault).toBe(fsLocal);
    const { ctx, fs, put, root } = aWorkspace();
    put('a/b/c', 'x');
    pipe(join(root, 'pipe'));
    const before = readdirSync('/proc/self/fd').length;
    for (let i = 0; i < 20; i += 1) {
      await fs.write(`d${i}/e/f`, 'x');
      await fs.readText('a/b/c');
      await fs.list('a');
      for await (const { path } of fs.walk('.')) if (path === 'a/b') break;
      await fs.readText('pipe').catch(() => {});
      await fs.write('a', 'x').catch(() => {});
      await fs.write('a/b/c/d', 'x').catch(() => {});
      await fs.move('a', 'z');
      await fs.move('z', 'a');
      await fs.remove(`d${i}`, { recursive: true });
      await fs.mkdir('a/b/c').catch(() => {});
      await fs.stat('none/x/y');
    }
    expect(readdirSync('/proc/self/fd').length).toBe(before);
    await ctx.dispose();
    expect(Object.values(ctx.inspect().counts).every((count) => count === 0)).toBe(true);
  });

  it('serves tools: the same tool reads here, and elsewhere where another scope has other files', async () => {
    const { root, elsewhere, put } = aWorkspace();
    put('a', 'from here');
    const ctx = createContext({ logger: silent });
    ctx.plugin(tools);
    ctx.plugin(fsLocal, { root });
    ctx.tools.register(defineTool({
      name: 'read', description: 'Reads.', parameters: { path: { type: 'string', required: true } }, output: { schema: { type: 'string' }, render: (_args, text) => [{ type: 'text', text }] },
      execute: async ({ path }, exec) => (await fileSystemFor(ctx, exec).readText(path, { signal: exec.signal })).text,
    }));
    const read = (path: string) => ctx.tools.execute({ name: 'read', arguments: { path } });
    expect(await read('a')).toMatchObject({ isError: false, value: 'from here' });
    const failed = await read('../elsewhere/canary.txt');
    expect(failed).toMatchObject({ isError: true, error: { info: { code: 'FS_OUTSIDE_WORKSPACE' } } });
    expect(JSON.stringify(failed)).not.toContain(root);
    const agent = ctx.scope('agent');
    agent.plugin(fsLocal, { root: elsewhere });
    expect(await agent.tools.execute({ name: 'read', arguments: { path: 'canary.txt' } })).toMatchObject({ value: 'CANARY' });
    await ctx.dispose();
  });
});

describe('a signal', () => {
  it('ends a long read and a long walk in the middle, and a write before it is seen [S9.8, S9.13]', async () => {
    const { fs, put, root } = aWorkspace();
    put('big', Buffer.alloc(40 * 1_048_576));
    for (let i = 0; i < 300; i += 1) put(`d/${i}`, '');
    const cancelled = { code: 'FS_CANCELLED', name: 'AbortError' };
    for (const call of ['read', 'write'] as const) {
      const controller = new AbortController();
      const real = os[call];
      let calls = 0;
      vi.spyOn(os, call).mockImplementation((...args: unknown[]) => {
        calls += 1;
        if (calls === 2) controller.abort();
        return (real as (...given: unknown[]) => Promise<number>)(...args);
      });
      const { signal } = controller;
      await expect(call === 'read' ? fs.readRange('big', { signal }) : fs.write('big2', Buffer.alloc(40 * 1_048_576), { signal })).rejects.toMatchObject(cancelled);
      expect(calls).toBe(2);
      vi.restoreAllMocks();
    }
    const controller = new AbortController();
    const { names } = os;
    vi.spyOn(os, 'names').mockImplementation(async (...args) => {
      setImmediate(() => { controller.abort(); });
      return names(...args);
    });
    await expect(fs.list('d', { signal: controller.signal })).rejects.toMatchObject(cancelled);
    const removal = new AbortController();
    const { unlink } = os;
    vi.spyOn(os, 'unlink').mockImplementation((path) => {
      removal.abort();
      return unlink(path);
    });
    await expect(fs.remove('d', { recursive: true, signal: removal.signal })).rejects.toMatchObject(cancelled);
    vi.restoreAllMocks();
    expect(readdirSync(join(root, 'd'))).toHaveLength(299);
    expect(readdirSync(root).sort()).toEqual(['big', 'd']);
  });
});

describe('a move', () => {
  it('never replaces what came in between, and keeps the mode', async () => {
    const { fs, put, at, text } = aWorkspace();
    chmodSync(put('a', 'mine'), 0o755);
    const { link: hardLink } = os;
    vi.spyOn(os, 'link').mockImplementation((from, to) => {
      vi.restoreAllMocks();
      put('b', 'theirs');
      return hardLink(from, to);
    });
    await expect(fs.move('a', 'b')).rejects.toMatchObject({ code: 'FS_EXISTS' });
    expect([text('a'), text('b')]).toEqual(['mine', 'theirs']);
    await fs.move('a', 'b', { overwrite: true });
    expect([text('b'), (await os.lstat(at('b'))).mode & 0o777n]).toEqual(['mine', 0o755n]);
  });

  it('does not let a directory replace an empty one', async () => {
    const { fs, put, at } = aWorkspace();
    put('d/x', 'x');
    mkdirSync(at('e'));
    for (const overwrite of [false, true]) await expect(fs.move('d', 'e', { overwrite })).rejects.toMatchObject({ code: 'FS_EXISTS' });
    const { mkdir } = os;
    vi.spyOn(os, 'mkdir').mockImplementationOnce(async (path) => {
      await mkdir(path);
      throw Object.assign(new Error('EEXIST'), { code: 'EEXIST' });
    });
    await expect(fs.move('d', 'f')).rejects.toMatchObject({ code: 'FS_EXISTS' });
    expect(readdirSync(at('.')).sort()).toEqual(['d', 'e', 'f']);
  });

  it('of one name of a file onto another leaves the one', async () => {
    const { fs, put, at } = aWorkspace();
    put('a', 'x');
    await os.link(at('a'), at('b'));
    await fs.move('a', 'b', { overwrite: true });
    expect(readdirSync(at('.'))).toEqual(['b']);
  });
});
