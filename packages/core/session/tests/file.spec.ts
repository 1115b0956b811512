import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openSession, readSession, type Session } from '../src/index.ts';
import { os } from '../src/log-file.ts';
import { aDirectory, aFile, aTurn, text } from './support.ts';

/** Open until the test is over. */
function opened(file: string, more: object = {}): Session {
  const session = openSession({ file, ...more });
  onTestFinished(() => session.close().catch(() => undefined));
  return session;
}

async function written(file: string, turns = 2, words = 'grüße 👋 \u2028 \ud800', calls = ['a', 'b']): Promise<Session> {
  const session = openSession({ file, id: 'kept' });
  for (let turn = 1; turn <= turns; turn += 1) aTurn(session, { turn, words, calls });
  await session.close();
  return session;
}

const code = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe('a log in a file', () => {
  it('comes back as it was: id, events, messages', async () => {
    const file = join(aDirectory(), 'deep', 'er', 'log.jsonl');
    const before = await written(file);
    const after = opened(file, { id: 'ignored' });
    expect([after.id, after.createdAt, after.events]).toEqual(['kept', before.createdAt, before.events]);
    expect(after.deriveMessages()).toEqual(before.deriveMessages());
    expect(after.append('turn/start', { turn: 3 }).seq).toBe(before.events.length + 1);
    expect(Object.isFrozen((after.events[1]?.data as { content: object }).content)).toBe(true);
  });

  it('can be read while it is written, and reading changes nothing', async () => {
    const file = aFile();
    const session = opened(file);
    aTurn(session);
    await session.flush();
    appendFileSync(file, '{"seq":99,"half');
    const bytes = readFileSync(file);
    expect(readSession(file).events).toEqual(session.events);
    expect(readFileSync(file)).toEqual(bytes);
  });

  it('has everything on the disk when flush is over, with one sync for all who wait', async () => {
    const file = aFile();
    const session = opened(file);
    const fsync = vi.spyOn(os, 'fsync');
    aTurn(session);
    await Promise.all([session.flush(), session.flush(), session.flush()]);
    expect(readSession(file).events).toEqual(session.events);
    expect(fsync).toHaveBeenCalledTimes(1);
    await session.flush();
    expect(fsync).toHaveBeenCalledTimes(1);
    session.append('turn/start', { turn: 2 });
    await session.flush();
    expect(fsync).toHaveBeenCalledTimes(2);
  });

  it('is written in order and whole by a system that takes a few bytes at a time', async () => {
    const file = aFile();
    const session = opened(file);
    const { write } = os;
    vi.spyOn(os, 'write').mockImplementation(((fd: number, bytes: Buffer, offset: number, length: number) => write(fd, bytes, offset, Math.min(length, 7), null)) as never);
    for (let turn = 1; turn <= 5; turn += 1) {
      aTurn(session, { turn });
      await Promise.resolve();
    }
    await session.flush();
    expect(readSession(file).events).toEqual(session.events);
  });

  it('takes nothing more after a write that failed, says why, and is whole when opened again', async () => {
    const file = aFile();
    const session = openSession({ file });
    aTurn(session);
    await session.flush();
    const { write } = os;
    vi.spyOn(os, 'write').mockImplementationOnce((async (fd: number, bytes: Buffer, offset: number) => {
      await write(fd, bytes, offset, 5, null);
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    }) as never);
    session.append('turn/start', { turn: 2 });
    await expect(session.flush()).rejects.toMatchObject({ code: 'SESSION_WRITE_FAILED', message: expect.stringContaining('ENOSPC') as string });
    expect(code(() => session.append('turn/end', { turn: 2, reason: 'x' }))).toBe('SESSION_WRITE_FAILED');
    await expect(session.flush()).rejects.toMatchObject({ code: 'SESSION_WRITE_FAILED' });
    await expect(session.close()).rejects.toMatchObject({ code: 'SESSION_WRITE_FAILED' });
    expect(opened(file).events).toEqual(session.events.slice(0, -1));
  });
});

describe('a file that lost its end', () => {
  it('opens at any length, with every whole line and nothing else, and goes on', { timeout: 60_000 }, async () => {
    const file = aFile();
    const whole = await written(file, 1, 'ü👋', []);
    const bytes = readFileSync(file);
    const lines = bytes.toString('utf8').split('\n');
    for (let length = 0; length <= bytes.length; length += 1) {
      writeFileSync(file, bytes.subarray(0, length));
      const newlines = bytes.subarray(0, length).filter((byte) => byte === 10).length;
      // A last line that lacks nothing but its newline is whole.
      const isWholeLine = bytes[length] === 10 && length > 0;
      const kept = Math.max(0, newlines - 1 + (isWholeLine ? 1 : 0));
      expect(readSession(file).events, `length ${length}`).toEqual(whole.events.slice(0, kept));
      // Each costs three syncs of the disk.
      if (length % 5 > 0 && length < bytes.length - 100) continue;
      const session = openSession({ file });
      expect(session.events).toEqual(whole.events.slice(0, kept));
      session.append('user/message', { content: text('on') });
      await session.close();
      const again = readSession(file);
      expect(again.events.length).toBe(kept + 1);
      expect(readFileSync(file, 'utf8').split('\n').slice(1, kept + 1)).toEqual(lines.slice(1, kept + 1));
    }
  });

  it('loses no more than the turn that was not finished', async () => {
    const file = aFile();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.nat(), async (turns, cut) => {
        writeFileSync(file, '');
        await written(file, turns, 'x');
        const firstTurns = readFileSync(file, 'utf8').lastIndexOf('{"seq"', readFileSync(file, 'utf8').lastIndexOf('"turn/start"'));
        const size = readFileSync(file).length;
        truncateSync(file, firstTurns + (cut % (size - firstTurns)));
        const session = openSession({ file });
        session.repair();
        await session.close();
        const ends = session.events.filter(({ type, data }) => type === 'turn/end' && (data as { reason: string }).reason === 'done');
        expect(ends.length).toBeGreaterThanOrEqual(turns - 1);
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ['zeros, as some filesystems leave them', Buffer.alloc(100)],
    ['half a character', Buffer.from([0x7b, 0x22, 0xc3])],
    ['a line that is no JSON', Buffer.from('{"seq":\n')],
  ])('drops %s', async (_name, tail) => {
    const file = aFile();
    const whole = await written(file, 1);
    appendFileSync(file, tail);
    expect(opened(file).events).toEqual(whole.events);
  });

  it('starts anew from a file of zeros', () => {
    const file = aFile();
    writeFileSync(file, Buffer.alloc(50));
    expect(opened(file).events).toEqual([]);
  });
});

describe('a file that it cannot go on with', () => {
  it.each([
    ['another format', 'hello\nworld\n', 'SESSION_NOT_A_LOG'],
    ['one word', 'hello', 'SESSION_NOT_A_LOG'],
    ['other JSON lines', '{"seq":1}\n{"seq":2}\n', 'SESSION_NOT_A_LOG'],
    ['a newer version', '{"log":"sluice/session","version":2,"id":"x","createdAt":1}\n', 'SESSION_VERSION'],
  ])('is refused and left as it is: %s', (_name, content, expected) => {
    const file = aFile();
    writeFileSync(file, content);
    expect(code(() => openSession({ file }))).toBe(expected);
    expect(readFileSync(file, 'utf8')).toBe(content);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it.each([
    ['a damaged line', (lines: string[]) => lines.with(3, `x${lines[3] ?? ''}`)],
    ['a line twice', (lines: string[]) => lines.toSpliced(3, 0, lines[3] ?? '')],
    ['a line less', (lines: string[]) => lines.toSpliced(3, 1)],
    ['a line that is no event', (lines: string[]) => lines.with(3, '{"seq":3}')],
  ])('is refused with the line, and left as it is: %s', async (_name, damage) => {
    const file = aFile();
    await written(file, 1);
    const content = damage(readFileSync(file, 'utf8').split('\n')).join('\n');
    writeFileSync(file, content);
    expect(() => openSession({ file })).toThrow(/line \d+ is damaged/);
    expect(code(() => openSession({ file }))).toBe('SESSION_CORRUPT');
    expect(readFileSync(file, 'utf8')).toBe(content);
  });

  it('holds an event that one must understand; it opens for who does', async () => {
    const file = aFile();
    const session = openSession({ file });
    session.append('test/note', { note: 'fine to miss' });
    session.append('future/compaction' as never, { kept: 2 } as never, { required: true });
    await session.close();
    expect(() => readSession(file)).toThrow(/"future\/compaction".*knownEvents/s);
    expect(code(() => openSession({ file }))).toBe('SESSION_UNKNOWN_EVENT');
    expect(opened(file, { knownEvents: ['future/compaction'] }).events).toHaveLength(2);
  });
});

describe('the one writer', () => {
  it('keeps others out until it is done', async () => {
    const file = aFile();
    const session = openSession({ file });
    expect(() => openSession({ file })).toThrow(new RegExp(`process ${process.pid} on .* one writer`));
    await session.close();
    expect(existsSync(`${file}.lock`)).toBe(false);
    await openSession({ file }).close();
  });

  it.each([
    ['a process that has ended', { pid: 2 ** 22 + 1, host: hostname(), token: 't' }],
    ['an earlier process of this number', { pid: process.pid, host: hostname(), token: 't' }],
  ])('takes over from %s', (_name, holder) => {
    const file = aFile();
    writeFileSync(`${file}.lock`, JSON.stringify(holder));
    expect(opened(file).events).toEqual([]);
    expect(existsSync(`${file}.lock.takeover`)).toBe(false);
  });

  it.each([
    ['a process that lives', { pid: process.ppid, host: hostname(), token: 't' }],
    ['another machine', { pid: 2 ** 22 + 1, host: 'elsewhere', token: 't' }],
    ['somebody who is just writing its name', undefined],
  ])('does not take over from %s', (_name, holder) => {
    const file = aFile();
    writeFileSync(`${file}.lock`, holder === undefined ? '' : JSON.stringify(holder));
    expect(code(() => openSession({ file }))).toBe('SESSION_LOCKED');
    expect(existsSync(`${file}.lock`)).toBe(true);
  });

  it('does not take over while somebody else does', () => {
    const file = aFile();
    writeFileSync(`${file}.lock`, JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), token: 't' }));
    writeFileSync(`${file}.lock.takeover`, '');
    expect(code(() => openSession({ file }))).toBe('SESSION_LOCKED');
  });

  it('does not remove the lock of a successor', async () => {
    const file = aFile();
    const session = openSession({ file });
    writeFileSync(`${file}.lock`, JSON.stringify({ pid: 1, host: 'elsewhere', token: 'theirs' }));
    await session.close();
    expect(existsSync(`${file}.lock`)).toBe(true);
  });
});
