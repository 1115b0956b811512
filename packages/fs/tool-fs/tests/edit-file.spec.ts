import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EditValue } from '../src/index.ts';
import { aWorkspace, codeOf, hex, shown, valueOf } from './support.ts';

describe('what is written', () => {
  it('is the new text literally, and not one other byte [S12.23, H001]', async () => {
    await using space = aWorkspace({ 'a.sh': '# x\nPRICE=old\nrun\n' });
    valueOf(await space.call('edit_file', { path: 'a.sh', old: 'PRICE=old', new: 'P="$$ $& $1 $` $\' $<n> \\n"' }));
    expect(space.text('a.sh')).toBe('# x\nP="$$ $& $1 $` $\' $<n> \\n"\nrun\n');
  });

  it.each([
    ['LF text matches CRLF lines and becomes them', 'a\r\nb\r\nc\r\n', 'a\nb', 'A\nB\nX', 'A\r\nB\r\nX\r\nc\r\n'],
    ['CRLF text matches LF lines and becomes them', 'a\nb\nc\n', 'a\r\nb', 'A\r\nB\r\nX', 'A\nB\nX\nc\n'],
    ['LF text matches lines of old Macs', 'a\rb\rc\r', 'a\nb', 'A\nB\nX', 'A\rB\rX\rc\r'],
    ['in a file of mixed endings each line keeps its own', 'a\r\nb\nc\r\nd\n', 'a\nb\nc\nd\n', 'a\nB\nc\nD\n', 'a\r\nB\nc\r\nD\n'],
    ['a line put in takes the ending of the lines that were matched', 'a\r\nb\r\nc\n', 'a\nb\n', 'a\nx\nb\n', 'a\r\nx\r\nb\r\nc\n'],
    ['lines that grow out of one line take the ending of that line', 'a\nfoo()\r\nb\n', 'foo()', 'foo(\n  1,\n)', 'a\nfoo(\r\n  1,\r\n)\r\nb\n'],
    ['lines at the end of a file without a newline take the ending of the one before', 'a\r\nb', 'b', 'b\nc', 'a\r\nb\r\nc'],
    ['a text with a carriage return means just that where it is there', 'a\r\nb\na\nb\n', 'a\r\nb', 'X', 'X\na\nb\n'],
    ['a newline at the end can be removed', 'only\n', 'only\n', '', ''],
    ['no newline at the end comes or goes by itself', 'a\nb', 'a', 'A', 'A\nb'],
    ['a carriage return alone in the new text is text', 'a\nb\n', 'b', 'b\rc', 'a\nb\rc\n'],
    ['an empty line at the end of the old text is part of it', 'a\r\n\r\nb\r\n', 'a\n\n', 'a\n', 'a\r\nb\r\n'],
  ])('%s [S12.W, H003, H005]', async (_what, before, old, replacement, after) => {
    await using space = aWorkspace({ 'a.txt': before });
    valueOf(await space.call('edit_file', { path: 'a.txt', old, new: replacement }));
    expect(space.text('a.txt')).toBe(after);
  });

  it.each([
    ['a byte order mark', 'efbbbf6f6c640a', 'efbbbf6e65770a'],
    ['UTF-16LE', 'fffe6f006c0064000d000a00', 'fffe6e00650077000d000a00'],
    ['UTF-16BE', 'feff006f006c0064000a', 'feff006e00650077000a'],
  ])('keeps %s [H007, H011]', async (_what, before, after) => {
    await using space = aWorkspace({ 'a.txt': hex(before) });
    valueOf(await space.call('edit_file', { path: 'a.txt', old: 'old', new: 'new' }));
    expect(Buffer.from(space.bytes('a.txt') ?? []).toString('hex')).toBe(after);
  });

  it('replaces every occurrence only if told to [S12.23]', async () => {
    await using space = aWorkspace({ 'a.txt': 'x\ny\nx\r\n' });
    const result = await space.call('edit_file', { path: 'a.txt', old: 'x', new: 'xx', all: true });
    expect(valueOf<EditValue>(result).replacements).toBe(2);
    expect(space.text('a.txt')).toBe('xx\ny\nxx\r\n');
  });
});

describe('what is refused leaves the file as it is', () => {
  it.each([
    ['an empty old text', { old: '', new: 'Z' }, 'INVALID_ARGS', []],
    ['an empty old text with all', { old: '', new: 'Z', all: true }, 'INVALID_ARGS', []],
    ['a missing new text', { old: 'one' }, 'INVALID_ARGS', ['new']],
    ['a text that is there more than once', { old: 'e', new: 'E' }, 'EDIT_MANY_MATCHES', ['lines 1, 3', 'all']],
    ['a text that overlaps itself', { old: 'aa', new: 'b' }, 'EDIT_MANY_MATCHES', ['line 4']],
    ['the same text as before', { old: 'two', new: 'two' }, 'EDIT_NO_CHANGE', []],
    ['the same text in other endings', { old: 'one\ntwo', new: 'one\r\ntwo' }, 'EDIT_NO_CHANGE', []],
    ['a text that is nowhere', { old: 'qqqqqqqqqqqq', new: 'x' }, 'EDIT_NO_MATCH', ['Read the file again']],
  ])('%s [S12.23, H017]', async (_what, args, code, words) => {
    const before = 'one\ntwo\nthree\naaa\n';
    await using space = aWorkspace({ 'a.txt': before });
    const result = await space.call('edit_file', { path: 'a.txt', ...args });
    expect(codeOf(result)).toBe(code);
    for (const word of words) expect(shown(result)).toContain(word);
    expect(space.text('a.txt')).toBe(before);
  });

  it.each([
    ['white space', '\tif (n) {\n\t\treturn n;\n\t}\n', '    if (n) {\n        return n;\n    }', 'only in white space', '2: \t\treturn n;'],
    ['letter case', 'const Name = 1;\n', 'const name = 1;', 'only in letter case', '1: const Name = 1;'],
    ['quotes', 'x\nsay(‘hi’)\n', "say('hi')", 'how quotes', '2: say(‘hi’)'],
    ['a line', 'function load() {\n  return fetchAll();\n}\n', 'function load() {\n  return fetchOne();\n}', 'closest lines', '2:   return fetchAll();'],
    ['a word in the only line', 'x\nconst total = price * count;\n', 'const total = prize * count;', 'closest lines', '2: const total'],
  ])('a near miss in %s shows the closest lines [S12.W, H013, H015]', async (_what, before, old, words, line) => {
    await using space = aWorkspace({ 'a.txt': before });
    const result = await space.call('edit_file', { path: 'a.txt', old, new: 'changed' });
    expect(codeOf(result)).toBe('EDIT_NO_MATCH');
    expect(shown(result)).toContain(words);
    expect(shown(result)).toContain(`\n${line}`);
    expect(space.text('a.txt')).toBe(before);
  });

  it('a call that was cut off, however much of it has arrived', async () => {
    const before = 'one\ntwo\n';
    await using space = aWorkspace({ 'a.txt': before });
    const whole = JSON.stringify({ path: 'a.txt', old: 'one', new: 'half' });
    for (let end = 1; end < whole.length; end += 1) {
      const result = await space.ctx.tools.execute({ name: 'edit_file', argumentsText: whole.slice(0, end) });
      expect(codeOf(result)).toBe('INVALID_ARGS');
    }
    expect(space.text('a.txt')).toBe(before);
  });

  it('a file that changes between reading and writing is stale, and what the other wrote stays [S12.25]', async () => {
    await using space = aWorkspace({ 'a.txt': 'one\n' });
    space.ctx.on('fs/edit-intent', (_intent, next) => {
      space.volume.put('a.txt', 'one\nby somebody else\n');
      return next();
    });
    const result = await space.call('edit_file', { path: 'a.txt', old: 'one', new: 'two' });
    expect(codeOf(result)).toBe('FS_STALE');
    expect(shown(result)).toContain('Read it again');
    expect(space.text('a.txt')).toBe('one\nby somebody else\n');
  });

  it('what is missing, binary, a directory or in another encoding has its own code', async () => {
    await using space = aWorkspace({ 'd/a.txt': 'a', 'x.dat': hex('00ff00fe80'), 'l1.txt': hex('636166e9') });
    const codes = [];
    for (const path of ['gone.txt', 'd', 'x.dat', 'l1.txt', '../out.txt']) codes.push(codeOf(await space.call('edit_file', { path, old: 'a', new: 'b' })));
    expect(codes).toEqual(['FS_NOT_FOUND', 'FS_IS_DIRECTORY', 'FS_BINARY', 'FS_ENCODING', 'FS_OUTSIDE_WORKSPACE']);
  });
});

describe('properties', () => {
  const text = fc.array(fc.oneof(fc.constantFrom('\n', '\r\n', '\r', 'a', 'b', '\t', '$&', 'é', '👍'), fc.string({ maxLength: 4, unit: 'grapheme' })), { maxLength: 40 }).map((parts) => parts.join('').replace(/[\0\ufeff]/g, ''));
  const encodings = fc.constantFrom('utf-8', 'utf-8 with a mark', 'utf-16le', 'utf-16be');

  it('everything before and after the matched text is byte for byte what it was, in every encoding [S12.W]', async () => {
    await fc.assert(
      fc.asyncProperty(text, text.filter((one) => one !== ''), text, text, encodings, async (head, old, tail, replacement, encoding) => {
        const before = encoded(`${head}${old}${tail}`, encoding);
        await using space = aWorkspace({ 'a.txt': before });
        // As a model sees it.
        const result = await space.call('edit_file', { path: 'a.txt', old: old.replace(/\r\n?/g, '\n'), new: replacement });
        if (result.isError) {
          expect(space.bytes('a.txt')).toEqual(before);
          return;
        }
        const after = space.bytes('a.txt') as Uint8Array;
        const [start, end] = [encoded(head, encoding), encoded(tail, encoding).subarray(marks[encoding].length)];
        // A CRLF that the cut between head and old goes through is one ending, and belongs to the match.
        const isCut = (head.endsWith('\r') && old.startsWith('\n')) || (old.endsWith('\r') && tail.startsWith('\n'));
        if (isCut) return;
        expect(after.subarray(0, start.length)).toEqual(start);
        expect(after.subarray(after.length - end.length)).toEqual(end);
      }),
      { numRuns: 150 },
    );
  });

  it('in a file of one kind of ending nothing but that kind comes out', async () => {
    const lf = text.map((one) => one.replaceAll('\r', ''));
    await fc.assert(
      fc.asyncProperty(lf, lf.filter((one) => one !== ''), lf, lf, fc.constantFrom('\n', '\r\n'), async (head, old, tail, replacement, ending) => {
        const whole = `z\n${head}${old}${tail}`;
        await using space = aWorkspace({ 'a.txt': whole.replaceAll('\n', ending) });
        const result = await space.call('edit_file', { path: 'a.txt', old, new: replacement });
        if (result.isError) return;
        const at = whole.indexOf(old);
        expect(space.text('a.txt')).toBe(`${whole.slice(0, at)}${replacement}${whole.slice(at + old.length)}`.replaceAll('\n', ending));
      }),
      { numRuns: 150 },
    );
  });

  const marks = { 'utf-8': hex(''), 'utf-8 with a mark': hex('efbbbf'), 'utf-16le': hex('fffe'), 'utf-16be': hex('feff') } as const;
  function encoded(content: string, encoding: keyof typeof marks): Uint8Array {
    const body = encoding.startsWith('utf-8') ? Buffer.from(content) : Buffer.from(content, 'utf16le');
    if (encoding === 'utf-16be') body.swap16();
    return Uint8Array.from([...marks[encoding], ...body]);
  }
});

describe('what is told', () => {
  it('how the place reads now, with its lines, and nothing that a file could forge [S12.24, S12.W]', async () => {
    await using space = aWorkspace({ 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n' });
    const result = await space.call('edit_file', { path: 'a.txt', old: '5', new: 'five\n[end]' });
    expect(shown(result)).toBe('a.txt: replaced 1 place (+2 -1 lines)\n2: 2\n3: 3\n4: 4\n5: five\n6: [end]\n7: 6\n8: 7\n9: 8');
    expect(valueOf(result)).toMatchObject({ path: 'a.txt', replacements: 1, linesAdded: 2, linesRemoved: 1, ranges: [{ first: 5, last: 6 }], placesOmitted: 0 });
  });

  it('places far apart are hunks of their own, near ones share one; all of them together are the change', async () => {
    await using space = aWorkspace({ 'a.txt': Array.from({ length: 60 }, (_, i) => `line ${i} ${[5, 8, 40].includes(i) ? 'X' : ''}\n`).join('') });
    const value = valueOf<EditValue>(await space.call('edit_file', { path: 'a.txt', old: 'X\n', new: 'Y\nmore\n', all: true }));
    expect(value.hunks.map(({ oldStart, newStart }) => [oldStart, newStart])).toEqual([[3, 3], [38, 40]]);
    expect(value.ranges).toEqual([{ first: 6, last: 7 }, { first: 10, last: 11 }, { first: 43, last: 44 }]);
    expect(value.hunks[1]?.newText).toBe('line 37 \nline 38 \nline 39 \nline 40 Y\nmore\nline 41 \nline 42 \nline 43 \n');
  });

  it('cards hold the changed parts, also when they are drawn from a log', async () => {
    await using space = aWorkspace({ 'a.txt': '1\n2\n3\n' });
    const args = { path: 'a.txt', old: '2', new: 'two' };
    const { ctx } = space;
    expect(ctx.tools.present({ name: 'edit_file', arguments: args })).toMatchObject({ card: 'diff', title: 'Edit a.txt', diffs: [{ path: 'a.txt', oldText: '2', newText: 'two' }] });
    const result = await space.call('edit_file', args);
    const replayed = JSON.parse(JSON.stringify({ content: [], isError: false, meta: result.meta })) as typeof result;
    expect(ctx.tools.present({ name: 'edit_file', arguments: args }, replayed)).toEqual({
      card: 'diff', title: 'Edited a.txt (+1 -1)', diffs: [{ path: 'a.txt', oldText: '1\n2\n3\n', newText: '1\ntwo\n3\n' }],
    });
    expect(ctx.tools.present({ name: 'edit_file', arguments: args }, { content: [], isError: false, meta: { hunks: 'nonsense' } })).toMatchObject({ card: 'generic' });
  });

  it('an edit of 10,000 lines, or of everything in a long line, is quick and its card is bounded [S12.W]', async () => {
    const old = Array.from({ length: 10_000 }, (_, i) => `old line ${i}\n`).join('');
    await using space = aWorkspace({ 'a.txt': `head\n${old}tail\n`, 'b.txt': old, 'c.txt': 'ab'.repeat(50_000) }, { maxCardChars: 20_000 });
    const began = process.cpuUsage();
    const whole = valueOf<EditValue>(await space.call('edit_file', { path: 'a.txt', old, new: old.replaceAll('old', 'new') }));
    const each = await space.call('edit_file', { path: 'b.txt', old: 'old', new: 'new', all: true });
    const long = valueOf<EditValue>(await space.call('edit_file', { path: 'c.txt', old: 'a', new: 'A\n', all: true }));
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(3_000);
    expect(whole).toMatchObject({ linesAdded: 10_000, linesRemoved: 10_000, hunks: [], placesOmitted: 1 });
    expect(valueOf<EditValue>(each).ranges).toHaveLength(1_000);
    expect(shown(each)).toContain('more changed places');
    expect(long.replacements).toBe(50_000);
    expect(JSON.stringify(each.meta).length).toBeLessThan(40_000);
  });
});

describe('scheduling', () => {
  it('edits of one file queue, whatever path they use, and those of different files overlap [S12.3, H087]', async () => {
    await using space = aWorkspace({ 'a.txt': 'x', 'b.txt': 'x' });
    space.volume.link('link.txt', 'a.txt');
    const running = new Set<string>();
    const together: string[] = [];
    space.ctx.on('tools/execute', async ({ callId }, next) => {
      for (const other of running) together.push([other, callId].sort().join('+'));
      running.add(callId);
      try {
        await new Promise((resolve) => setImmediate(resolve));
        return await next();
      } finally {
        running.delete(callId);
      }
    });
    const edit = (callId: string, path: string): object => ({ name: 'edit_file', callId, arguments: { path, old: 'x', new: 'xx' } });
    await space.ctx.tools.executeAll([edit('a1', 'a.txt'), edit('a2', 'link.txt'), edit('a3', './a.txt'), edit('b1', 'b.txt')] as never);
    expect(together).toContain('a1+b1');
    expect(together.filter((pair) => /a.\+a/.test(pair))).toEqual([]);
  });

  it('1,000 edits of one file by 50 callers at once lose none', async () => {
    const lines = Array.from({ length: 1_000 }, (_, i) => `[${i}]`);
    await using space = aWorkspace({ 'a.txt': `${lines.join('\n')}\n` });
    const batches = Array.from({ length: 50 }, (_, caller) => lines.filter((_line, i) => i % 50 === caller));
    const results = await Promise.all(
      batches.map((own) => space.ctx.tools.executeAll(own.map((line) => ({ name: 'edit_file', arguments: { path: 'a.txt', old: line, new: `${line} done` } })))),
    );
    expect(results.flat().filter(({ isError }) => isError)).toEqual([]);
    expect(space.text('a.txt')).toBe(lines.map((line) => `${line} done\n`).join(''));
  });

  it('an abort before the write leaves the file as it is', async () => {
    await using space = aWorkspace({ 'a.txt': 'x' });
    const controller = new AbortController();
    space.ctx.on('fs/edit-intent', (_intent, next) => {
      controller.abort();
      return next();
    });
    const result = await space.ctx.tools.execute({ name: 'edit_file', arguments: { path: 'a.txt', old: 'x', new: 'y' }, signal: controller.signal });
    expect(codeOf(result)).toBe('ABORTED');
    expect(space.text('a.txt')).toBe('x');
  });

  it('a policy that denies is heard, and its words reach the model', async () => {
    await using space = aWorkspace({ 'a.txt': 'x' });
    space.ctx.on('fs/edit-intent', () => ({ kind: 'deny', code: 'FS_NOT_OBSERVED', reason: 'has not been read', hint: 'Read it first.' }));
    const result = await space.call('edit_file', { path: 'a.txt', old: 'x', new: 'y' });
    expect(codeOf(result)).toBe('FS_NOT_OBSERVED');
    expect(shown(result)).toContain('Read it first.');
  });
});
