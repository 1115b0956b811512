import { readdirSync, readFileSync } from 'node:fs';
import { defineTool } from '@sluice/core-tools';
import { fileSystemFor, type FsChange } from '@sluice/fs';
import { aHost, describePlugin, type Host } from '@sluice/testing';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { fsMemory, MemoryVolume, type FsMemoryConfig } from '../src/index.ts';

describePlugin(() => fsMemory, {
  config: { files: { a: 'x' } },
  proof: async (ctx) => {
    expect((await ctx.fs.readText('a')).text).toBe('x');
  },
});

const opened: Host[] = [];
afterEach(async () => {
  for (const host of opened.splice(0)) await host.dispose();
});
function mounted(config?: Partial<FsMemoryConfig>): Host['ctx'] {
  const host = aHost();
  opened.push(host);
  host.ctx.plugin(fsMemory, config);
  return host.ctx;
}

describe('config', () => {
  it('begins with the files it is given: text, bytes and empty directories', async () => {
    const { fs } = mounted({ files: { 'src/a.ts': 'text é', 'b.bin': new Uint8Array([0, 1]), 'empty/': '' } });
    expect((await fs.readText('src/a.ts')).text).toBe('text é');
    expect([...(await fs.readRange('b.bin')).bytes]).toEqual([0, 1]);
    expect((await fs.list('.')).map(({ name, type }) => [name, type])).toEqual([['b.bin', 'file'], ['empty', 'directory'], ['src', 'directory']]);
  });

  it('answers to the root it is given', async () => {
    const { fs } = mounted({ root: '/home/me/project/', files: { a: 'x' } });
    expect(fs.info).toMatchObject({ provider: 'fs-memory', roots: [{ name: '', path: '/home/me/project', isReadOnly: false }] });
    expect((await fs.readText('/home/me/project/a')).path).toBe('a');
    await expect(fs.readText('/workspace/a')).rejects.toMatchObject({ code: 'FS_OUTSIDE_WORKSPACE' });
  });

  it('refuses every change of a read-only workspace', async () => {
    const { fs } = mounted({ isReadOnly: true, files: { a: 'x', 'd/': '' } });
    const { version, isReadOnly } = { ...(await fs.stat('a')) };
    expect(isReadOnly).toBe(true);
    const changes = [fs.write('a', 'y'), fs.write('b', 'y'), fs.edit('a', [{ start: 0, end: 1, text: 'y' }], { ifVersion: version as string }), fs.remove('a'), fs.move('a', 'b'), fs.mkdir('e')];
    for (const change of changes) await expect(change).rejects.toMatchObject({ code: 'FS_READ_ONLY' });
    expect((await fs.mkdir('d')).isNew).toBe(false);
  });

  it('keeps within its bytes, whatever is replaced, removed and moved', async () => {
    const { fs } = mounted({ maxBytes: 10, files: { a: '12345' } });
    await fs.write('b', '12345');
    await expect(fs.write('c', '1')).rejects.toMatchObject({ code: 'FS_NO_SPACE', path: 'c' });
    await fs.write('a', '123');
    await fs.write('c', '12');
    await fs.move('c', 'b', { overwrite: true });
    await fs.remove('a');
    await fs.write('d', '12345678');
    await expect(fs.write('d', '123456789')).rejects.toMatchObject({ code: 'FS_NO_SPACE' });
    expect((await fs.readText('d')).text).toBe('12345678');
  });

  it('protects what it is told, and then nothing else', async () => {
    const { fs } = mounted({ protected: ['*.lock', '/secret/'] });
    await expect(fs.write('deep/x.lock', '')).rejects.toMatchObject({ code: 'FS_PROTECTED' });
    await expect(fs.write('secret/x', '')).rejects.toMatchObject({ code: 'FS_PROTECTED' });
    expect((await fs.write('.git/config', '')).isNew).toBe(true);
  });

  it.each<[object, RegExp]>([
    [{ root: 'relative' }, /root/], [{ maxBytes: -1 }, /maxBytes/], [{ readonly: true }, /readonly/], [{ protected: [''] }, /protected/],
  ])('refuses %j', async (config, message) => {
    await using host = aHost();
    expect(() => host.ctx.plugin(fsMemory, config)).toThrow(message);
  });

  it('refuses a volume together with files, and what is no volume', async () => {
    for (const config of [{ volume: new MemoryVolume(), files: {} }, { volume: 'no volume' as never }]) {
      const host = aHost();
      const handle = host.ctx.plugin(fsMemory, config);
      await expect(handle.ready).rejects.toMatchObject({ code: 'PLUGIN_FAILED' });
      await host.dispose();
    }
  });
});

describe('a volume', () => {
  it('is shared by those who hold it, and outlives the plugin', async () => {
    const volume = new MemoryVolume({ 'a.txt': 'one' });
    const first = aHost();
    first.ctx.plugin(fsMemory, { volume });
    await first.ctx.fs.write('b.txt', 'two');
    await first.dispose();
    const { fs } = mounted({ volume });
    expect((await fs.readText('b.txt')).text).toBe('two');
    expect(Object.entries(volume.files()).map(([path, bytes]) => [path, Buffer.from(bytes).toString()])).toEqual([['a.txt', 'one'], ['b.txt', 'two']]);
    volume.files()['a.txt']?.fill(0);
    expect((await fs.readText('a.txt')).text).toBe('one');
  });

  it('forgets its files when the plugin that made it is mounted anew', async () => {
    const host = aHost();
    opened.push(host);
    const handle = host.ctx.plugin(fsMemory);
    await host.ctx.fs.write('a', 'x');
    await handle.dispose();
    host.ctx.plugin(fsMemory);
    expect(await host.ctx.fs.list('.')).toEqual([]);
  });

  it('refuses a link where something is, and files where a directory is', () => {
    const volume = new MemoryVolume({ 'd/a': 'x' });
    expect(() => { volume.link('d', 'x'); }).toThrow(/exists/);
    expect(() => { volume.put('d', 'x'); }).toThrow(/directory/);
    expect(() => { volume.remove('none'); }).toThrow(/does not exist/);
  });

  it('tells watchers of changes below what they watch, until they stop or are aborted', async () => {
    const volume = new MemoryVolume({ 'd/a': 'x' });
    const { fs } = mounted({ volume });
    const seen: FsChange[] = [];
    const controller = new AbortController();
    const stop = await fs.watch?.('d', (change) => seen.push(change), { signal: controller.signal });
    await fs.write('d/b', 'x');
    await fs.write('other', 'x');
    volume.put('d/a', 'y');
    await fs.remove('d/b');
    expect(seen).toEqual([{ path: 'd/b', kind: 'changed' }, { path: 'd/a', kind: 'changed' }, { path: 'd/b', kind: 'removed' }]);
    controller.abort();
    stop?.();
    await fs.write('d/c', 'x');
    expect(seen).toHaveLength(3);
  });
});

describe('with tools', () => {
  it('a tool changes files of the scope it is called in, and its failures reach the model with code and hint', async () => {
    const ctx = mounted({ files: { 'a.txt': 'root' } });
    ctx.tools.register(
      defineTool({
        name: 'upper',
        description: 'Writes a text in capitals.',
        parameters: { path: { type: 'string', required: true } },
        output: { schema: { type: 'string' }, render: (_args, text) => [{ type: 'text', text }] },
        locks: async ({ path }: { path: string }) => ({ write: [(await ctx.fs.resolve(path)).key] }),
        async execute({ path }: { path: string }, exec) {
          const fs = fileSystemFor(ctx, exec);
          const { text, version } = await fs.readText(path, { signal: exec.signal });
          await fs.write(path, text.toUpperCase(), { ifVersion: version, signal: exec.signal });
          return text.toUpperCase();
        },
      }),
    );
    const agent = ctx.scope('agent');
    agent.plugin(fsMemory, { files: { 'a.txt': 'agent' } });
    const call = { name: 'upper', arguments: { path: 'a.txt' } };
    expect(await agent.tools.execute(call)).toMatchObject({ isError: false, value: 'AGENT' });
    expect(await ctx.tools.execute(call)).toMatchObject({ isError: false, value: 'ROOT' });
    ctx.on('fs/write-intent', () => ({ kind: 'deny', reason: 'is finished' }));
    expect(await ctx.tools.execute(call)).toMatchObject({
      isError: true,
      error: { message: 'cannot write "a.txt": it is finished', hint: 'It was not changed. Choose another way.', info: { code: 'FS_DENIED' } },
    });
    expect(await ctx.tools.execute({ name: 'upper', arguments: { path: '../x' } })).toMatchObject({ isError: true, error: { info: { code: 'FS_OUTSIDE_WORKSPACE' } } });
  });
});

interface Step {
  readonly do: 'write' | 'append' | 'remove' | 'move' | 'mkdir';
  readonly path: string;
  readonly to: string;
  readonly text: string;
}

describe('whatever is done', () => {
  it('the files are those of a plain map, and the bytes add up [property]', async () => {
    const path = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'));
    const step: fc.Arbitrary<Step> = fc.record({ do: fc.constantFrom('write', 'append', 'remove', 'move', 'mkdir'), path, to: path, text: fc.string({ maxLength: 5 }).map((text) => text.replaceAll('\0', '')) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const volume = new MemoryVolume();
        const { fs } = mounted({ volume });
        const model = new Map<string, string>();
        for (const { do: what, path: at, to, text } of steps) {
          try {
            if (what === 'write') {
              await fs.write(at, text);
              model.set(at, text);
            } else if (what === 'append') {
              const { text: before, version } = await fs.readText(at);
              await fs.edit(at, [{ start: before.length, end: before.length, text }], { ifVersion: version });
              model.set(at, before + text);
            } else if (what === 'remove') {
              await fs.remove(at, { recursive: true });
              for (const key of [...model.keys()]) if (key === at || key.startsWith(`${at}/`)) model.delete(key);
            } else if (what === 'move') {
              await fs.move(at, to, { overwrite: true });
              if (at !== to) {
                for (const [key, value] of [...model]) {
                  if (key !== at && !key.startsWith(`${at}/`)) continue;
                  model.delete(key);
                  model.set(to + key.slice(at.length), value);
                }
              }
            } else await fs.mkdir(at);
          } catch (error) {
            expect((error as { code?: string }).code).toMatch(/^FS_(NOT_FOUND|IS_DIRECTORY|NOT_DIRECTORY|EXISTS|BAD_PATH|BAD_EDIT)$/);
          }
        }
        const files = Object.entries(volume.files()).map(([at, bytes]) => [at, Buffer.from(bytes).toString()]);
        expect(Object.fromEntries(files)).toEqual(Object.fromEntries([...model].map(([at, text]) => [at, text])));
        expect(volume.bytes).toBe([...model.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0));
        await opened.pop()?.dispose();
      }),
      { numRuns: 60 },
    );
  });

  it('150 edits by 10 callers at once lose none', async () => {
    const { fs } = mounted({ files: { a: Array.from({ length: 150 }, (_, i) => `line ${i}\r\n`).join('') } });
    const edit = async (i: number): Promise<void> => {
      for (;;) {
        const { text, version } = await fs.readText('a');
        const start = text.indexOf(`line ${i}\r`);
        const done = await fs.edit('a', [{ start, end: start + 4, text: 'LINE' }], { ifVersion: version }).then(() => true, () => false);
        if (done) return;
      }
    };
    await Promise.all(Array.from({ length: 10 }, async (_, caller) => {
      for (let i = 0; i < 15; i += 1) await edit(caller * 15 + i);
    }));
    expect((await fs.readText('a')).text).toBe(Array.from({ length: 150 }, (_, i) => `LINE ${i}\r\n`).join(''));
  });
});

it('neither it nor the seam needs Node.js for more than the core does', () => {
  for (const folder of [new URL('../src/', import.meta.url), new URL('../../fs/src/', import.meta.url)]) {
    // `bytes.ts` uses what it finds, and does without; its own tests say so.
    for (const file of readdirSync(folder).filter((name) => name !== 'bytes.ts')) {
      const source = readFileSync(new URL(file, folder), 'utf8');
      expect(source, file).not.toMatch(/from 'node:|\bBuffer\b|\bprocess\./);
    }
  }
});
