import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { isFsError } from '@sluice/fs';
import { describe, expect, it, vi } from 'vitest';
import { aged, isCoarse } from '../src/freshness.ts';
import { os, type OsStat } from '../src/os.ts';
import { aWorkspace, isThere } from './support.ts';

/** Does something at the last moment that the provider waits: everything is checked and staged, and not yet in its place. */
function atTheLastMoment(what: () => void, times = 1): void {
  const fsync = os.fsync;
  let done = 0;
  vi.spyOn(os, 'fsync').mockImplementation(async (fd) => {
    await fsync(fd);
    done += 1;
    if (done <= times) what();
  });
}

describe('another program that changes the file between check and change', () => {
  const changes: Readonly<Record<string, (path: string) => void>> = {
    'writes into it': (path) => { writeFileSync(path, 'two'); },
    'appends to it': (path) => { appendFileSync(path, '+'); },
    'puts another file in its place': (path) => {
      writeFileSync(`${path}.new`, 'two');
      renameSync(`${path}.new`, path);
    },
    'writes as much, and puts its times back': (path) => {
      const old = new Date(0);
      utimesSync(path, old, old);
      writeFileSync(path, 'two');
      utimesSync(path, old, old);
    },
  };

  it.each(Object.entries(changes))('is not overwritten, when it %s [S9.6, S9.38]', async (_name, change) => {
    const { fs, put, text, root, at } = aWorkspace();
    put('a', 'one');
    const { version } = await fs.readText('a');
    atTheLastMoment(() => { change(at('a')); });
    await expect(fs.edit('a', [{ start: 0, end: 3, text: 'mine' }], { ifVersion: version })).rejects.toMatchObject({ code: 'FS_STALE', path: 'a' });
    expect(text('a')).not.toBe('mine');
    expect(readdirSync(root)).toEqual(['a']);
    vi.restoreAllMocks();
    const again = await fs.readText('a');
    atTheLastMoment(() => { change(at('a')); });
    await expect(fs.write('a', 'mine', { ifVersion: again.version })).rejects.toMatchObject({ code: 'FS_STALE' });
    expect(text('a')).not.toBe('mine');
  });

  it('is stale when it takes the file away', async () => {
    const { fs, put, at, root } = aWorkspace();
    put('a', 'one');
    const { version } = await fs.readText('a');
    atTheLastMoment(() => { rmSync(at('a')); });
    await expect(fs.write('a', 'mine', { ifVersion: version })).rejects.toMatchObject({ code: 'FS_STALE' });
    expect(readdirSync(root)).toEqual([]);
  });

  it('wins when it creates the file that was to be new [S9.18, S9.19]', async () => {
    const { fs, text, at, put, root } = aWorkspace();
    atTheLastMoment(() => { put('a', 'theirs'); });
    await expect(fs.write('a', 'mine', { ifVersion: null })).rejects.toMatchObject({ code: 'FS_EXISTS' });
    expect([text('a'), readdirSync(root)]).toEqual(['theirs', ['a']]);
    vi.restoreAllMocks();
    atTheLastMoment(() => { mkdirSync(at('b')); });
    await expect(fs.write('b', 'mine', { ifVersion: null })).rejects.toMatchObject({ code: 'FS_EXISTS' });
    expect(isThere(at('b'))).toBe(true);
  });

  it('is followed by a change that holds for whatever is there, with the mode that the file has by then', async () => {
    const { fs, put, text, at } = aWorkspace();
    put('a', 'one');
    atTheLastMoment(() => {
      writeFileSync(at('a'), 'two');
      chmodSync(at('a'), 0o600);
    });
    expect(await fs.write('a', 'mine')).toMatchObject({ isNew: false });
    expect([text('a'), ((await os.lstat(at('a'))).mode & 0o777n).toString(8)]).toEqual(['mine', '600']);
  });

  it('makes the file busy when it never stops, and loses nothing', async () => {
    const { fs, put, text, at } = aWorkspace();
    put('a', 'one');
    atTheLastMoment(() => { appendFileSync(at('a'), '+'); }, 100);
    await expect(fs.write('a', 'mine')).rejects.toMatchObject({ code: 'FS_BUSY', retryable: true });
    expect(text('a')).toMatch(/^one\++$/);
  });

  it('is found out when the file system has no hard links either', async () => {
    const { fs, text, put, root } = aWorkspace();
    vi.spyOn(os, 'link').mockRejectedValue(Object.assign(new Error('EPERM'), { code: 'EPERM' }));
    expect(await fs.write('d/a', 'mine', { ifVersion: null })).toMatchObject({ isNew: true });
    expect(text('d/a')).toBe('mine');
    atTheLastMoment(() => { put('b', 'theirs'); });
    await expect(fs.write('b', 'mine', { ifVersion: null })).rejects.toMatchObject({ code: 'FS_EXISTS' });
    expect([text('b'), readdirSync(root).sort()]).toEqual(['theirs', ['b', 'd']]);
    await fs.move('b', 'c');
    expect(text('c')).toBe('theirs');
  });

  it('and writes into what was just published is not taken for us', async () => {
    const { fs, put, at, text } = aWorkspace();
    put('a', 'one');
    const { fstat } = os;
    atTheLastMoment(() => {
      // What is staged is looked at once more in its place, to know its version.
      vi.spyOn(os, 'fstat').mockImplementation((fd) => {
        if (!readdirSync(at('.')).some((name) => name.startsWith('.sluice'))) writeFileSync(at('a'), 'theirs');
        return fstat(fd);
      });
    });
    const { version } = await fs.write('a', 'mine');
    vi.restoreAllMocks();
    expect(text('a')).toBe('theirs');
    await expect(fs.write('a', 'again', { ifVersion: version })).rejects.toMatchObject({ code: 'FS_STALE' });
  });
});

describe('many callers', { timeout: 120_000 }, () => {
  it('lose none of 1,000 edits that 50 of them make at once [S9.29]', async () => {
    const { fs, put, text } = aWorkspace();
    const lines = 200;
    const files = ['a', 'b', 'c', 'd', 'e'];
    for (const file of files) put(file, Array.from({ length: lines }, (_, i) => `line ${i}\r\n`).join(''));
    const edit = async (file: string, i: number): Promise<void> => {
      for (;;) {
        const { text: now, version } = await fs.readText(file);
        const start = now.indexOf(`line ${i}\r`);
        try {
          await fs.edit(file, [{ start, end: start + 4, text: 'LINE' }], { ifVersion: version });
          return;
        } catch (error) {
          if (!isFsError(error) || error.code !== 'FS_STALE') throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: 50 }, async (_, caller) => {
      for (let i = Math.floor(caller / 5); i < lines; i += 10) await edit(files[caller % 5] as string, i);
    }));
    for (const file of files) expect(text(file)).toBe(Array.from({ length: lines }, (_, i) => `LINE ${i}\r\n`).join(''));
  });

  it('in many scopes and by many paths change one file in turn [S9.4, S9.29]', async () => {
    const { fs, put, text, at, root } = aWorkspace();
    put('dir/a', '');
    await fs.mkdir('x');
    symlinkSync('../dir', at('x/l'));
    const paths = ['dir/a', 'x/l/a', 'x/../dir/a', `${root}/dir/a`];
    await Promise.all(Array.from({ length: 60 }, async (_, i) => {
      for (;;) {
        const path = paths[i % 4] as string;
        const { text: now, version } = await fs.readText(path);
        const done = await fs.write(path, `${now}${i};`, { ifVersion: version }).then(() => true, () => false);
        if (done) return;
      }
    }));
    expect(text('dir/a').split(';').filter((each) => each !== '').map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i));
  });
});

describe('an edit', () => {
  const unit = fc.constantFrom('a', 'é', '😀', '\n', '\r\n', '\r', '\t', '$&', '\u2028', '\ufeff', 'x'.repeat(50));
  const format = fc.constantFrom<{ encoding: 'utf8' | 'utf16le'; mark: number[]; swap: boolean }>(
    { encoding: 'utf8', mark: [], swap: false }, { encoding: 'utf8', mark: [0xef, 0xbb, 0xbf], swap: false },
    { encoding: 'utf16le', mark: [0xff, 0xfe], swap: false }, { encoding: 'utf16le', mark: [0xfe, 0xff], swap: true },
  );

  it('leaves every byte outside of its spans, whatever they are [S9.12, S9.34, S9.35]', async () => {
    const { fs, put, at } = aWorkspace();
    await fc.assert(fc.asyncProperty(fc.array(unit, { maxLength: 30 }), fc.array(fc.tuple(fc.nat(), fc.nat(3), unit), { minLength: 1, maxLength: 5 }), format, async (units, edits, { encoding, mark, swap }) => {
      // A mark at the beginning is the format's business.
      const pieces = units[0] === '\ufeff' ? units.slice(1) : units;
      const bytesOf = (text: string): Buffer => (swap ? Buffer.from(text, encoding).swap16() : Buffer.from(text, encoding));
      put('f', Buffer.concat([Buffer.from(mark), bytesOf(pieces.join(''))]));
      const starts = [...new Set(edits.map(([at_]) => at_ % (pieces.length + 1)))].sort((a, b) => a - b);
      const spans: { start: number; end: number; text: string }[] = [];
      const expected: string[] = [];
      let done = 0;
      for (const [index, from] of starts.entries()) {
        if (from < done) continue;
        const [, count, text] = edits[index] as [number, number, string];
        const to = Math.min(from + count, pieces.length);
        const replacement = from === 0 && text === '\ufeff' ? 'b' : text;
        const offset = pieces.slice(0, from).join('').length;
        spans.push({ start: offset, end: offset + pieces.slice(from, to).join('').length, text: replacement });
        expected.push(...pieces.slice(done, from), replacement);
        done = to;
      }
      expected.push(...pieces.slice(done));
      if (mark.length === 0 && expected.join('').startsWith('\ufeff')) return;
      const { version } = await fs.readText('f');
      await fs.edit('f', spans, { ifVersion: version });
      expect([...readFileSync(at('f'))]).toEqual([...mark, ...bytesOf(expected.join(''))]);
    }), { numRuns: 150 });
  });

  it('that changes nothing touches nothing [S9.37]', async () => {
    const { fs, put } = aWorkspace();
    put('a', 'one\r\n');
    const { version } = await fs.readText('a');
    expect(await fs.edit('a', [{ start: 0, end: 3, text: 'one' }], { ifVersion: version })).toMatchObject({ version, isNew: false, size: 5 });
    expect((await fs.stat('a'))?.version).toBe(version);
  });
});

describe('a version', () => {
  it('of a file that was only just changed is given a tick later, where the clock is coarse', async () => {
    const now = 1_000_000;
    const stat = (ms: number): OsStat => ({ ctimeNs: BigInt(ms) * 1_000_000n }) as OsStat;
    const waits: number[] = [];
    let clock = now;
    const wait = async (ms: number): Promise<void> => {
      waits.push(ms);
      clock += ms;
    };
    const look = vi.fn(async () => stat(now - 5));
    expect(await aged(look, wait, () => clock)).toEqual(stat(now - 5));
    expect([look.mock.calls.length, waits.length]).toEqual([2, 1]);
    expect(await aged(async () => stat(clock), wait, () => clock)).toEqual(stat(clock));
    expect(waits).toHaveLength(4);
    await aged(async () => stat(clock - 60_000), wait, () => clock);
    expect(waits).toHaveLength(4);
  });

  it('needs that on old kernels and unknown filesystems only', () => {
    expect([isCoarse('/', 'linux', '5.15.0'), isCoarse('/', 'linux', '6.12.9'), isCoarse('/', 'darwin', '23.0'), isCoarse('/proc', 'linux', '6.18.1'), isCoarse('/none', 'linux', '7.0')]).toEqual([true, true, false, true, true]);
  });
});
