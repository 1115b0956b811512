import { chmodSync, chownSync, linkSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { fsLocal } from '../src/index.ts';
import { os } from '../src/os.ts';
import { aWorkspace, pipe } from './support.ts';

const isRoot = process.getuid?.() === 0;
const modeOf = (path: string): number => statSync(path).mode & 0o7777;

describe('what a file has besides its content', () => {
  it.each([0o755, 0o600, 0o640, 0o4755, 0o2755, 0o1644])('stays when it is written and edited: mode %o [S9.20, S9.21, H023]', async (mode) => {
    const { fs, put, at, text } = aWorkspace();
    chmodSync(put('run.sh', '#!/bin/sh\necho 1\n'), mode);
    const before = modeOf(at('run.sh'));
    await fs.write('run.sh', 'echo 2\n');
    expect(modeOf(at('run.sh'))).toBe(before);
    const { version } = await fs.readText('run.sh');
    await fs.edit('run.sh', [{ start: 5, end: 6, text: '3' }], { ifVersion: version });
    expect([modeOf(at('run.sh')), text('run.sh')]).toEqual([before, 'echo 3\n']);
  });

  it('stays when it is written: owner and group, or nothing is changed [S9.21]', async () => {
    const { fs, put, at, text } = aWorkspace();
    put('a', 'old');
    if (isRoot) chownSync(at('a'), 12_345, 23_456);
    else vi.spyOn(os, 'fstat').mockImplementation(async () => Object.assign(statSync(at('a'), { bigint: true }), { uid: 12_345n }));
    chmodSync(at('a'), 0o4755);
    if (isRoot) {
      await fs.write('a', 'new');
      expect(statSync(at('a'))).toMatchObject({ uid: 12_345, gid: 23_456 });
      expect(modeOf(at('a'))).toBe(0o4755);
      vi.spyOn(os, 'fchown').mockRejectedValue(Object.assign(new Error('EPERM'), { code: 'EPERM' }));
    }
    const before = text('a');
    await expect(fs.write('a', 'newer')).rejects.toMatchObject({ code: 'FS_PERMISSION', message: 'cannot write "a": it was not changed: its owner would be lost' });
    expect(text('a')).toBe(before);
  });

  it('is not lost without a word when the system keeps less than it was told', async () => {
    const { fs, put, at, text } = aWorkspace();
    chmodSync(put('a', 'old'), 0o4755);
    vi.spyOn(os, 'fchmod').mockResolvedValue();
    await expect(fs.write('a', 'new')).rejects.toMatchObject({ code: 'FS_PERMISSION', message: expect.stringContaining('a part of its permissions would be lost') as string });
    expect([text('a'), modeOf(at('a'))]).toEqual(['old', 0o4755]);
  });

  it('stays: its other names. A change is refused, unless it was said to part them [S9.21]', async () => {
    const { fs, put, at, text, root, ctx } = aWorkspace();
    linkSync(put('a', 'one'), at('b'));
    const { version } = await fs.readText('a');
    for (const change of [() => fs.write('a', 'x'), () => fs.edit('a', [{ start: 0, end: 1, text: 'x' }], { ifVersion: version })]) {
      await expect(change()).rejects.toMatchObject({ code: 'FS_UNSUPPORTED', message: expect.stringContaining('has 2 names (hard links)') as string });
    }
    expect([text('a'), text('b'), statSync(at('a')).nlink]).toEqual(['one', 'one', 2]);
    const scope = ctx.scope('parting');
    scope.plugin(fsLocal, { root, hardLinks: 'part' });
    await scope.fs.write('a', 'two');
    expect([text('a'), text('b')]).toEqual(['two', 'one']);
  });

  it('is decided for new files and directories by the umask [S9.20]', async () => {
    const { fs, at } = aWorkspace();
    const before = process.umask(0o027);
    try {
      await fs.write('d/a', 'x');
      await fs.mkdir('e');
    } finally {
      process.umask(before);
    }
    expect([modeOf(at('d/a')), modeOf(at('d')), modeOf(at('e'))]).toEqual([0o640, 0o750, 0o750]);
  });

  it('is shown to nobody else while the file is being written', async () => {
    const { fs, put, root } = aWorkspace();
    chmodSync(put('key', 'k=1'), 0o600);
    const modes: number[] = [];
    const write = os.write;
    vi.spyOn(os, 'write').mockImplementation(async (fd, ...rest) => {
      modes.push(Number((await os.fstat(fd)).mode & 0o777n));
      return write(fd, ...rest);
    });
    await fs.write('key', 'k=2');
    expect(modes).toEqual([0o600]);
    expect(modeOf(join(root, 'key'))).toBe(0o600);
  });

  it('has no effect on a name as long as names may be [S9.24]', async () => {
    const { fs, text } = aWorkspace();
    const name = `${'n'.repeat(251)}.txt`;
    await fs.write(name, 'one');
    await fs.write(name, 'two');
    expect(text(name)).toBe('two');
    await expect(fs.write(`${name}x`, 'x')).rejects.toMatchObject({ code: 'FS_BAD_PATH', message: expect.stringContaining('has a name that is too long') as string });
    await expect(fs.readText(`${name}x`)).rejects.toMatchObject({ code: 'FS_BAD_PATH' });
  });

  it('says no when nobody may write it, also in a directory that one may write [S9.22]', async () => {
    const { fs, put, text } = aWorkspace();
    chmodSync(put('a', 'kept'), 0o444);
    await expect(fs.write('a', 'x')).rejects.toMatchObject({ code: 'FS_READ_ONLY' });
    put('b', 'new');
    await expect(fs.move('b', 'a', { overwrite: true })).rejects.toMatchObject({ code: 'FS_READ_ONLY' });
    expect([text('a'), text('b')]).toEqual(['kept', 'new']);
  });
});

describe('what is no regular file', () => {
  it('is refused at once, whatever is done with it: a pipe, a socket, a device [S9.10, H041]', async () => {
    const { fs, at } = aWorkspace();
    const descriptors = (): number => execFileSync('ls', ['/proc/self/fd']).length;
    pipe(at('pipe'));
    const server = createServer().listen(at('socket'));
    await once(server, 'listening');
    const names = ['pipe', 'socket'];
    if (isRoot) {
      execFileSync('mknod', [at('null'), 'c', '1', '3']);
      names.push('null');
    }
    const before = descriptors();
    try {
      for (const name of names) {
        const { version } = (await fs.stat(name)) ?? { version: '' };
        for (const operation of [
          () => fs.readText(name), () => fs.readRange(name, { length: 1 }), () => fs.write(name, 'x'),
          () => fs.write(name, 'x', { ifVersion: version }), () => fs.edit(name, [{ start: 0, end: 0, text: 'x' }], { ifVersion: version }),
        ]) await expect(operation(), name).rejects.toMatchObject({ code: 'FS_NOT_REGULAR', path: name });
        expect((await fs.stat(name))?.type).toBe('other');
      }
    } finally {
      server.close();
    }
    expect(descriptors()).toBe(before);
    expect((await fs.list('.')).map(({ type }) => type)).not.toContain('file');
    await fs.remove('pipe');
  });

  it('is refused where the system makes files up', async () => {
    const { ctx } = aWorkspace();
    const scope = ctx.scope('proc');
    scope.plugin(fsLocal, { root: '/proc/sys/kernel' });
    await expect(scope.fs.readText('hostname')).rejects.toMatchObject({ code: 'FS_NOT_REGULAR', message: expect.stringContaining('made up by the system') as string });
    await expect(scope.fs.write('hostname', 'x')).rejects.toMatchObject({ code: expect.stringMatching(/^FS_/) as string });
    expect((await scope.fs.list('.')).some(({ name }) => name === 'hostname')).toBe(true);
  });

  it('is told from an empty file', async () => {
    const { fs, put } = aWorkspace();
    put('empty');
    expect((await fs.readText('empty')).text).toBe('');
    expect((await fs.readRange('empty')).bytes).toHaveLength(0);
  });
});

describe('another user', () => {
  it('is told what it may not do, with the path that was asked for [S9.23, S9.39]', async () => {
    const { fs, put, at, text } = aWorkspace();
    put('closed/a', 'x');
    mkdirSync(at('unlisted'));
    put('sealed/a', 'kept');
    // Root may do all of it, so the system's answer is given in its place.
    const refusing = (...calls: ('open' | 'lstat' | 'access' | 'names')[]): void => {
      for (const call of calls) vi.spyOn(os, call).mockRejectedValue(Object.assign(new Error('EACCES: /machine/x'), { code: 'EACCES' }));
    };
    refusing('lstat');
    await expect(fs.readText('closed/a')).rejects.toMatchObject({ code: 'FS_PERMISSION', message: 'cannot read "closed/a": it may not be accessed' });
    vi.restoreAllMocks();
    refusing('names');
    await expect(fs.list('unlisted')).rejects.toMatchObject({ code: 'FS_PERMISSION' });
    vi.restoreAllMocks();
    refusing('access');
    await expect(fs.write('sealed/a', 'x')).rejects.toMatchObject({ code: 'FS_PERMISSION' });
    expect((await fs.stat('sealed/a'))?.isReadOnly).toBe(true);
    vi.restoreAllMocks();
    const open = os.open;
    vi.spyOn(os, 'open').mockImplementation((path, flags, mode) => (mode === 0o600 ? Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' })) : open(path, flags, mode)));
    await expect(fs.write('sealed/a', 'x')).rejects.toMatchObject({ code: 'FS_PERMISSION', message: 'cannot write "sealed/a": it is in a directory that may not be written' });
    expect(text('sealed/a')).toBe('kept');
  });

  it('finds an entry that cannot be looked at in the listing, with the reason [S9.15]', async () => {
    const { fs, put, at } = aWorkspace();
    put('a', 'x');
    const bad = Buffer.concat([Buffer.from(`${at('.')}/bad-`), Buffer.from([0xff, 0xfe])]);
    writeFileSync(bad, 'x');
    const entries = await fs.list('.');
    expect(entries.map(({ name, problem }) => [name, problem])).toEqual([['a', undefined], ['bad-\ufffd\ufffd', 'FS_BAD_PATH']]);
    const problems: string[] = [];
    for await (const entry of fs.walk('.', { onProblem: ({ code }) => problems.push(code) })) expect(entry.path).not.toBe('');
    expect(problems).toEqual(['FS_BAD_PATH']);
    expect(readFileSync(bad, 'utf8')).toBe('x');
  });
});
