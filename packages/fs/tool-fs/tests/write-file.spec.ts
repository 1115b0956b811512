import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare } from '../src/diff/compare.ts';
import { changesOf } from '../src/diff/changes.ts';
import type { WriteValue } from '../src/index.ts';
import { aWorkspace, codeOf, hex, shown, valueOf } from './support.ts';

describe('write_file', () => {
  it('makes a file and the directories above it, and says so [S12.21, S12.22]', async () => {
    await using space = aWorkspace();
    const result = await space.call('write_file', { path: 'src/new/a.ts', content: 'a\nb\n' });
    expect(shown(result)).toBe('src/new/a.ts: made (2 lines, 4 bytes)');
    expect(valueOf(result)).toMatchObject({ path: 'src/new/a.ts', isNew: true, ranges: [{ first: 1, last: 2 }], hunks: [] });
    expect(space.text('src/new/a.ts')).toBe('a\nb\n');
  });

  it('replaces a file, tells how many lines changed, and does not repeat the content [S12.21]', async () => {
    await using space = aWorkspace({ 'a.txt': 'a\nb\nc\n' });
    const result = await space.call('write_file', { path: 'a.txt', content: 'a\nB\nc\nd\n' });
    expect(shown(result)).toBe('a.txt: replaced (4 lines, 8 bytes; +2 -1 lines)');
    expect(valueOf<WriteValue>(result).hunks).toEqual([{ oldStart: 1, newStart: 1, oldText: 'a\nb\nc\n', newText: 'a\nB\nc\nd\n' }]);
  });

  it('empties a file only when told to: content that is left out is an invalid call [S12.20, H021]', async () => {
    await using space = aWorkspace({ 'keep.txt': 'precious\n', 'clear.txt': 'x\n' });
    const missing = await space.call('write_file', { path: 'keep.txt' });
    expect(codeOf(missing)).toBe('INVALID_ARGS');
    expect(shown(missing)).toContain('content');
    expect(space.text('keep.txt')).toBe('precious\n');
    valueOf(await space.call('write_file', { path: 'clear.txt', content: '' }));
    expect(space.text('clear.txt')).toBe('');
  });

  it('writes nothing of a call that was cut off', async () => {
    await using space = aWorkspace({ 'a.txt': 'whole\n' });
    const whole = JSON.stringify({ path: 'a.txt', content: 'new content\n' });
    for (let end = 1; end < whole.length; end += 1) expect(codeOf(await space.ctx.tools.execute({ name: 'write_file', argumentsText: whole.slice(0, end) }))).toBe('INVALID_ARGS');
    expect(space.text('a.txt')).toBe('whole\n');
  });

  it('keeps a byte order mark and UTF-16, and says so [H009]', async () => {
    await using space = aWorkspace({ 'v.txt': hex('efbbbf6f6c640a'), 'w.txt': hex('fffe6f000a00') });
    const marked = await space.call('write_file', { path: 'v.txt', content: 'né\n' });
    expect(Buffer.from(space.bytes('v.txt') ?? []).toString('hex')).toBe('efbbbf6ec3a90a');
    expect(shown(marked)).toContain('[the byte order mark is kept]');
    const wide = await space.call('write_file', { path: 'w.txt', content: 'n\n' });
    expect(Buffer.from(space.bytes('w.txt') ?? []).toString('hex')).toBe('fffe6e000a00');
    expect(shown(wide)).toContain('UTF-16LE');
  });

  it('writes line endings as they are given, and says when they are others than before', async () => {
    await using space = aWorkspace({ 'a.txt': 'a\r\nb\r\n' });
    expect(shown(await space.call('write_file', { path: 'a.txt', content: 'a\nb\n' }))).toContain('[line endings changed from CRLF to LF]');
    expect(space.text('a.txt')).toBe('a\nb\n');
  });

  it('replaces what cannot be compared, and says that it was not', async () => {
    await using space = aWorkspace({ 'x.dat': hex('00ff00'), 'big.txt': 'x\n'.repeat(2_200_000) });
    expect(shown(await space.call('write_file', { path: 'x.dat', content: 'text\n' }))).toContain('no text that can be compared');
    expect(shown(await space.call('write_file', { path: 'big.txt', content: 'text\n' }))).toContain('too large for a comparison');
  });

  it('says that the content is what it was', async () => {
    await using space = aWorkspace({ 'a.txt': 'a\n' });
    expect(shown(await space.call('write_file', { path: 'a.txt', content: 'a\n' }))).toContain('[the content is what it was]');
  });

  it('refuses directories, places outside and protected files, each with its code', async () => {
    await using space = aWorkspace({ 'd/a.txt': 'a' });
    const codes = [];
    for (const path of ['d', '../out.txt', '/etc/passwd', '.git/config', 'd/a.txt/b']) codes.push(codeOf(await space.call('write_file', { path, content: 'x' })));
    expect(codes).toEqual(['FS_IS_DIRECTORY', 'FS_OUTSIDE_WORKSPACE', 'FS_OUTSIDE_WORKSPACE', 'FS_PROTECTED', 'FS_NOT_DIRECTORY']);
  });

  it('what somebody else writes at the same moment is not lost', async () => {
    await using space = aWorkspace({ 'a.txt': 'a\n' });
    space.ctx.on('fs/write-intent', (_intent, next) => {
      space.volume.put('a.txt', 'by somebody else\n');
      return next();
    });
    expect(codeOf(await space.call('write_file', { path: 'a.txt', content: 'mine\n' }))).toBe('FS_STALE');
    expect(space.text('a.txt')).toBe('by somebody else\n');
  });

  it('has cards that can be drawn from a log: a new file whole, a replaced one by its changed parts', async () => {
    await using space = aWorkspace({ 'a.txt': 'a\n' });
    const { ctx } = space;
    for (const [path, title, diff] of [
      ['a.txt', 'Wrote a.txt (+1 -1)', { path: 'a.txt', oldText: 'a\n', newText: 'b\n' }],
      ['b.txt', 'Made b.txt', { path: 'b.txt', oldText: null, newText: 'b\n' }],
    ] as const) {
      const call = { name: 'write_file', arguments: { path, content: 'b\n' } };
      expect(ctx.tools.present(call)).toMatchObject({ card: 'diff', diffs: [{ path, oldText: null, newText: 'b\n' }] });
      const { meta } = await ctx.tools.execute(call);
      expect(ctx.tools.present(call, { content: [], isError: false, ...JSON.parse(JSON.stringify({ meta })) as object })).toEqual({ card: 'diff', title, diffs: [diff] });
    }
  });
});

describe('comparing', () => {
  it('finds spans of whole lines that make one text of the other', () => {
    const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\r\n', '\n', 'd'), { maxLength: 30 }).map((lines) => lines.join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { spans } = compare(before, after, 1_000);
        let made = '';
        let at = 0;
        for (const { start, end, text: piece } of spans) {
          expect(start).toBeGreaterThanOrEqual(at);
          made += before.slice(at, start) + piece;
          at = end;
        }
        expect(made + before.slice(at)).toBe(after);
        const { hunks, linesAdded, linesRemoved } = changesOf(before, spans, 1_000_000);
        const lines = (whole: string): number => whole.split('\n').length - (whole.endsWith('\n') || whole === '' ? 1 : 0);
        expect(linesAdded - linesRemoved).toBe(lines(after) - lines(before));
        for (const { oldStart, oldText, newStart, newText } of hunks) {
          const from = (whole: string, line: number): string => whole.split('\n').slice(line - 1).join('\n');
          expect(from(before, oldStart).startsWith(oldText)).toBe(true);
          expect(from(after, newStart).startsWith(newText)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('of texts that have nothing in common ends in time, with one span for all of it [S12.W]', () => {
    const lines = (word: string): string => Array.from({ length: 12_000 }, (_, i) => `${word} ${i}\n`).join('');
    const began = performance.now();
    const { spans, isCoarse } = compare(`same\n${lines('old')}`, `same\n${lines('new')}`, 50);
    expect(performance.now() - began).toBeLessThan(1_500);
    expect(isCoarse).toBe(true);
    expect(spans).toHaveLength(1);
    expect(spans[0]?.start).toBe(5);
  });
});
