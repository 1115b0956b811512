import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FsError } from '@sluice/fs';
import { os } from '../src/os.ts';
import { aDirectory, aWorkspace, isThere } from './support.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
/** Core loads Ajv when it is first needed, past the bundler. */
const env = { ...process.env, NODE_PATH: here('../../../../node_modules/.pnpm/node_modules') };
const failing = (code: string): Error => Object.assign(new Error(`${code}: /machine/path/.sluice-1-x.tmp`), { code });

describe('another process', { timeout: 120_000 }, () => {
  let out: string;
  beforeAll(async () => {
    out = mkdtempSync(join(tmpdir(), 'fs-local-out-'));
    await build({
      configFile: false, logLevel: 'silent', root: here('..'),
      ssr: { noExternal: true, resolve: { conditions: ['@sluice/source', 'node', 'import', 'default'] } },
      build: { ssr: here('fixtures/overwrite.ts'), outDir: out, target: 'node20', rolldownOptions: { output: { entryFileNames: 'main.mjs' } } },
    });
  }, 60_000);
  afterAll(() => { rmSync(out, { recursive: true, force: true }); });

  it('that may write no more leaves the old file whole, and nothing beside it [S9.25]', async () => {
    const root = aDirectory();
    writeFileSync(join(root, 'a'), 'old');
    // 8 blocks, of 512 or 1,024 bytes.
    const script = `ulimit -f 8; exec "$0" "$@"`;
    const { stdout } = await promisify(execFile)('sh', ['-c', script, process.execPath, join(out, 'main.mjs'), root, 'a', '1000000', '1'], { env });
    const [, told = ''] = stdout.split('\n');
    expect(JSON.parse(told)).toEqual({ code: 'FS_NO_SPACE', message: 'cannot write "a": it could not be written: it would be larger than a file may be' });
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('old');
    expect(readdirSync(root)).toEqual(['a']);
    const created = await promisify(execFile)('sh', ['-c', script, process.execPath, join(out, 'main.mjs'), root, 'new/dir/b', '1000000', '1'], { env });
    expect(created.stdout).toContain('FS_NO_SPACE');
    expect(readdirSync(root)).toEqual(['a']);
  });

  it('of another user changes nothing that it may not, or that would be its own afterwards [S9.21, S9.23]', async () => {
    const root = aDirectory();
    const isRoot = process.getuid?.() === 0;
    const other = isRoot ? { uid: 65_534, gid: 65_534 } : {};
    for (const path of [out, root]) chmodSync(path, 0o755);
    mkdirSync(join(root, 'closed'));
    mkdirSync(join(root, 'open'));
    for (const [path, mode] of [['closed/theirs', 0o644], ['closed/writable', 0o666], ['open/shared', 0o666]] as const) {
      writeFileSync(join(root, path), 'old');
      chmodSync(join(root, path), mode);
    }
    chmodSync(join(root, 'open'), 0o777);
    chmodSync(join(root, 'closed'), 0o555);
    const write = async (path: string): Promise<string> => {
      const { stdout } = await promisify(execFile)(process.execPath, [join(out, 'main.mjs'), root, path, '10', '1'], { ...other, env });
      const [, told = ''] = stdout.split('\n');
      return told === '' ? 'written' : (JSON.parse(told) as { message: string }).message;
    };
    const nowhere = 'it is in a directory that may not be written';
    const results = [await write('closed/writable'), await write('closed/new'), await write('closed/theirs'), await write('open/shared'), await write('open/new')];
    chmodSync(join(root, 'closed'), 0o755);
    expect(results).toEqual([
      `cannot write "closed/writable": ${nowhere}`,
      `cannot write "closed/new": ${nowhere}`,
      `cannot write "closed/theirs": ${isRoot ? 'it may not be accessed' : nowhere}`,
      isRoot ? 'cannot write "open/shared": it was not changed: its owner would be lost' : 'written',
      'written',
    ]);
    expect(readdirSync(join(root, 'closed')).sort()).toEqual(['theirs', 'writable']);
    expect(readFileSync(join(root, 'closed/writable'), 'utf8')).toBe('old');
    expect(readdirSync(join(root, 'open')).sort()).toEqual(['new', 'shared']);
  });

  it('that is killed in the middle of a write leaves one whole content [S9.17]', async () => {
    const root = aDirectory();
    const bytes = 400_000;
    writeFileSync(join(root, 'a'), 'a'.repeat(bytes));
    for (let round = 0; round < 12; round += 1) {
      const child = spawn(process.execPath, [join(out, 'main.mjs'), root, 'a', String(bytes), '100000'], { stdio: ['ignore', 'pipe', 'inherit'], env });
      let writes = 0;
      const enough = 1 + Math.floor(Math.random() * 40);
      child.stdout.on('data', (data: Buffer) => {
        writes += data.length / 2;
        if (writes >= enough) child.kill('SIGKILL');
      });
      const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
      expect(signal).toBe('SIGKILL');
      const text = readFileSync(join(root, 'a'), 'utf8');
      expect([text.length, text === (text[0] as string).repeat(bytes)]).toEqual([bytes, true]);
    }
    const left = readdirSync(root).filter((name) => name !== 'a');
    expect(left.every((name) => /^\.sluice-\d+-[0-9a-f]{16}\.tmp$/.test(name))).toBe(true);
  });
});

describe('a call to the system that fails', () => {
  it.each(['write', 'fsync', 'fchmod', 'rename', 'link'] as const)('leaves the old file, nothing beside it, and no directory: %s [S9.25]', async (call) => {
    const { fs, put, text, root } = aWorkspace();
    put('a', 'old');
    vi.spyOn(os, call).mockImplementation((() => Promise.reject(failing('EIO'))));
    const results = [await fs.write('a', 'new').catch((error: unknown) => error), await fs.write('d/e/new', 'new').catch((error: unknown) => error)];
    vi.restoreAllMocks();
    for (const error of results.filter((result) => result instanceof Error)) {
      expect(error).toMatchObject({ code: 'FS_IO', cause: { code: 'EIO' } });
      expect((error).message).not.toContain('machine');
    }
    expect(results.some((result) => result instanceof Error)).toBe(call !== 'rename');
    if (results[0] instanceof Error) expect(text('a')).toBe('old');
    if (results[1] instanceof Error) expect(isThere(join(root, 'd'))).toBe(false);
    expect(readdirSync(root).filter((name) => name.startsWith('.sluice'))).toEqual([]);
  });

  it.each([
    ['EACCES', 'FS_PERMISSION'], ['EPERM', 'FS_PERMISSION'], ['EROFS', 'FS_READ_ONLY'], ['ENOSPC', 'FS_NO_SPACE'], ['EDQUOT', 'FS_NO_SPACE'], ['EFBIG', 'FS_NO_SPACE'],
    ['EBUSY', 'FS_BUSY'], ['EMFILE', 'FS_BUSY'], ['EISDIR', 'FS_IS_DIRECTORY'], ['ELOOP', 'FS_LINK_LOOP'], ['ENAMETOOLONG', 'FS_BAD_PATH'], ['EXDEV', 'FS_UNSUPPORTED'],
    ['EIO', 'FS_IO'], ['EWHATEVER', 'FS_IO'], ['ERR_OUT_OF_RANGE', 'FS_IO'],
  ])('becomes a code with a hint and a cause, and says nothing of the machine: %s [S9.39]', async (code, expected) => {
    const { fs, put } = aWorkspace();
    put('a', 'old');
    const cause = failing(code);
    vi.spyOn(os, 'write').mockRejectedValue(cause);
    const error: unknown = await fs.write('a', 'new').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FsError);
    expect(error).toMatchObject({ code: expected, cause, path: 'a' });
    expect((error as FsError).message).not.toMatch(/machine|sluice-|root/);
    expect((error as FsError).hint).not.toBe('');
  });

  it('is undone where it comes between two names of one file', async () => {
    const { fs, put, root } = aWorkspace();
    put('a', 'x');
    for (const change of [() => fs.write('d/new', 'x'), () => fs.move('a', 'b')]) {
      vi.spyOn(os, 'unlink').mockRejectedValueOnce(failing('EIO'));
      await expect(change()).rejects.toMatchObject({ code: 'FS_IO' });
      vi.restoreAllMocks();
      expect(readdirSync(root)).toEqual(['a']);
    }
    await fs.write('a', 'y');
  });

  it('after the change is said to be after it [S9.27]', async () => {
    const { fs, put, text } = aWorkspace();
    put('a', 'old');
    const fsync = os.fsync;
    let calls = 0;
    vi.spyOn(os, 'fsync').mockImplementation((fd) => ((calls += 1) === 1 ? fsync(fd) : Promise.reject(failing('EIO'))));
    await expect(fs.write('a', 'new')).rejects.toMatchObject({ code: 'FS_IO', message: 'cannot write "a": it was written, but the disk did not confirm it' });
    expect(text('a')).toBe('new');
  });
});
