import { fileSystemOf, FsError, walkTree, type FileSystem, type FsProvider, type Walked } from '@sluice/fs';
import { fsMemory } from '@sluice/fs-memory';
import { aHost } from '@sluice/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineMatcher } from '../src/pattern/line-matcher.ts';
import { toolFsSearch, type GrepValue } from '../src/index.ts';
import { aWorkspace, codeOf, shown, valueOf } from './support.ts';

describe('what matches', () => {
  const files = { 'a.ts': 'const one = 1;\nconst TWO = 2;\r\n\tfoo(bar)\n', 'b/c.md': 'one two\n(bar)\n', '.env': 'one=1\n' };

  it.each<[pattern: string, more: object, found: string[]]>([
    ['one', {}, ['.env:1', 'a.ts:1', 'b/c.md:1']],
    ['^const \\w+ = \\d;$', {}, ['a.ts:1', 'a.ts:2']],
    ['two', {}, ['b/c.md:1']],
    ['two', { ignoreCase: true }, ['a.ts:2', 'b/c.md:1']],
    ['(bar)', {}, ['a.ts:3', 'b/c.md:2']],
    ['(bar)$', { literal: true }, []],
    ['(bar)', { literal: true }, ['a.ts:3', 'b/c.md:2']],
    ['(BAR)', { literal: true, ignoreCase: true }, ['a.ts:3', 'b/c.md:2']],
    ['one', { include: '*.md' }, ['b/c.md:1']],
    ['one', { include: '*.{ts,md}' }, ['a.ts:1', 'b/c.md:1']],
    ['one', { include: '*.ts, *.md' }, ['a.ts:1', 'b/c.md:1']],
    ['one', { include: 'b/**' }, ['b/c.md:1']],
    ['one', { path: 'b' }, ['b/c.md:1']],
    ['one', { path: 'a.ts', include: '*.md' }, ['a.ts:1']],
    [' ', { path: 'b' }, ['b/c.md:1']],
    ['-foo|two', { path: 'b' }, ['b/c.md:1']],
    ['\\Aone', { path: 'b' }, ['b/c.md:1']],
  ])('%s with %j [S13.6, S13.7]', async (pattern, more, found) => {
    await using space = aWorkspace(files);
    expect(await space.grep(pattern, more)).toEqual(found);
  });

  it.each([
    ['[', 'is no valid regular expression: missing closing ]'],
    ['(?<=a)b', 'lookaround'],
    ['(a)\\1', 'back reference'],
    ['a\nb', 'line break'],
  ])('%j is refused with the reason, and how to search for text [S13.8, S13.W]', async (pattern, words) => {
    await using space = aWorkspace(files);
    const result = await space.call('grep', { pattern });
    expect(codeOf(result)).toBe('GREP_BAD_PATTERN');
    expect(shown(result)).toContain(words);
    expect(shown(result)).toContain('literal');
  });

  it.each([[{ pattern: '' }, 'INVALID_ARGS'], [{ pattern: 'a', include: '!*.ts' }, 'GLOB_BAD_PATTERN'], [{ pattern: 'a', include: ' ' }, 'INVALID_ARGS'], [{ pattern: 'a', include: '../x/*.txt' }, 'GLOB_BAD_PATTERN'], [{ pattern: 'a', path: '..' }, 'FS_OUTSIDE_WORKSPACE'], [{ pattern: 'a', path: 'gone' }, 'FS_NOT_FOUND']])('%j is %s [S13.6, H037]', async (args, code) => {
    await using space = aWorkspace(files);
    expect(codeOf(await space.call('grep', args))).toBe(code);
  });

  it('is the same line by line as a regular expression of JavaScript would have it, whichever way it is searched', async () => {
    const source = fc.stringMatching(/^[ab.|]{1,4}[+*?]?[ab]?\$?$/).filter((one) => !/^[+*?|]|\|[+*?|$]|\|$/.test(one));
    const text = fc.array(fc.stringMatching(/^[abc]{0,5}\r?$/), { maxLength: 8 }).map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(source, text, async (pattern, content) => {
        await using space = aWorkspace({ 'f.txt': `${content}\n` });
        const lines = content.split('\n').map((line) => line.replace(/\r$/, ''));
        const wanted = lines.flatMap((line, i) => (new RegExp(pattern).test(line) ? [`f.txt:${i + 1}`] : []));
        expect(await space.grep(pattern)).toEqual(wanted);
      }),
      { numRuns: 150 },
    );
  });
});

describe('what is shown', () => {
  it('a count, each file with its lines, and the numbers that read_file has [S13.11]', async () => {
    await using space = aWorkspace({ 'a.ts': 'x\nfoo\n', 'b.ts': 'foo\nfoo\n' });
    expect(shown(await space.call('grep', { pattern: 'foo' }))).toBe('3 matches in 2 files\na.ts\n2: foo\nb.ts\n1: foo\n2: foo');
    expect(shown(await space.call('grep', { pattern: 'zzz' }))).toBe('No matches.');
  });

  it('lines around a match, each once, with gaps marked [S13.W]', async () => {
    await using space = aWorkspace({ 'a.ts': '1\n2 x\n3\n4 x\n5\n6\n7\n8 x\n' });
    expect(shown(await space.call('grep', { pattern: 'x', context: 1 }))).toBe('3 matches in 1 file\na.ts\n1- 1\n2: 2 x\n3- 3\n4: 4 x\n5- 5\n--\n7- 7\n8: 8 x');
  });

  it('only the files, or how many lines match in each [S13.W]', async () => {
    await using space = aWorkspace({ 'a.ts': 'x\nfoo\n', 'b.ts': 'foo\nfoo\n', 'c.ts': '' });
    expect(shown(await space.call('grep', { pattern: 'foo', mode: 'files' }))).toBe('2 files\na.ts\nb.ts');
    expect(shown(await space.call('grep', { pattern: 'foo', mode: 'count' }))).toBe('2 files\na.ts: 1\nb.ts: 2');
  });

  it('a page at a time, with an exact total, each line on one page [S13.12]', async () => {
    await using space = aWorkspace({ 'a.ts': 'x\n'.repeat(5), 'b.ts': 'x\n'.repeat(4) }, { maxMatches: 4 });
    const seen: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const value: GrepValue = valueOf<GrepValue>(await space.call('grep', { pattern: 'x', offset }));
      expect(value).toMatchObject({ total: 9, totalFiles: 2 });
      seen.push(...value.files.flatMap(({ path, matches }) => matches.map(({ lineNumber }) => `${path}:${lineNumber}`)));
      offset = value.nextOffset;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5].map((n) => `a.ts:${n}`).concat([1, 2, 3, 4].map((n) => `b.ts:${n}`)));
    expect(shown(await space.call('grep', { pattern: 'x' }))).toContain('[5 more matches; go on with offset 4]');
  });

  it('no more text than fits, and still every line on one page', async () => {
    await using space = aWorkspace({ 'a.ts': `${'x'.repeat(50)}\n`.repeat(5) }, { maxTextChars: 120 });
    const value = valueOf<GrepValue>(await space.call('grep', { pattern: 'x' }));
    expect(value).toMatchObject({ total: 5, nextOffset: 2 });
    expect(await space.grep('x', { offset: 4 })).toEqual(['a.ts:5']);
  });

  it('of a long line the part with the match in it, cut at code points [S13.11, S13.W]', async () => {
    await using space = aWorkspace({ 'min.js': `${'👍'.repeat(30_000)}needle${'é'.repeat(30_000)}\n` }, { maxLineChars: 40 });
    const result = await space.call('grep', { pattern: 'nee[d]le' });
    const line = valueOf<GrepValue>(result).files[0]?.matches[0];
    expect(line?.line).toContain('needle');
    expect(line?.line.length).toBeLessThanOrEqual(41);
    expect((line?.line as string & { isWellFormed(): boolean }).isWellFormed()).toBe(true);
    expect(shown(result)).toContain(`of ${60_000 + 6 + 30_000} are shown]`);
  });

  it('nothing that a file could pass off as a path, a line or a note', async () => {
    await using space = aWorkspace({ '7: x.txt': 'hit\r8: forged\rsecret.txt\u2028[left out]\n' });
    expect(shown(await space.call('grep', { pattern: 'hit' }))).toBe('1 match in 1 file\n"7: x.txt"\n1: hit\n  > 8: forged\n  > secret.txt\u2028\n  > [left out]');
  });

  it('a card, which a log can draw', async () => {
    await using space = aWorkspace({ 'a.ts': 'x1\nx2\n' }, { maxCardChars: 20 });
    const call = { name: 'grep', arguments: { pattern: 'x' } };
    const { meta } = await space.ctx.tools.execute(call);
    expect(space.ctx.tools.present(call, { content: [], isError: false, ...JSON.parse(JSON.stringify({ meta })) as object })).toEqual({
      card: 'search', title: 'Search x', shape: 'matches', total: 2, truncated: true, files: [{ path: 'a.ts', matches: [{ lineNumber: 1, line: 'x1' }] }],
    });
    const files = { name: 'grep', arguments: { pattern: 'x', mode: 'files' } };
    const counted = await space.ctx.tools.execute(files);
    expect(space.ctx.tools.present(files, counted)).toMatchObject({ card: 'search', shape: 'paths', paths: ['a.ts'], total: 1, truncated: false });
  });
});

describe('what cannot be searched is named, and fails nothing', () => {
  it('binary files are counted, text in other encodings is searched, large files are named [S13.W, H045]', async () => {
    const latin = Uint8Array.from([...Buffer.from('caf'), 0xe9, ...Buffer.from(' hit\n')]);
    await using space = aWorkspace({ 'x.png': Uint8Array.from([0x89, 0x50, 0, 1]), 'l1.txt': latin, 'big.txt': 'hit\n'.repeat(100), 'w.txt': Uint8Array.from([0xff, 0xfe, 0x68, 0, 0x69, 0, 0x74, 0]) }, { maxFileBytes: 200 });
    const result = await space.call('grep', { pattern: 'hit' });
    expect(await space.grep('hit')).toEqual(['l1.txt:1', 'w.txt:1']);
    expect(shown(result)).toContain('[1 binary file left out]');
    expect(shown(result)).toContain('[not searched: big.txt: it is too large');
    expect(shown(result)).not.toContain('\0');
  });

  it('a directory or file that may not be read leaves the rest [S13.W]', async () => {
    await using host = aHost();
    host.ctx.plugin(fsMemory, { files: { 'open.txt': 'hit\n', 'secret/a.txt': 'hit\n', 'locked.txt': 'hit\n' } });
    const inner = host.ctx.scope('inner');
    inner.provide('fs', fileSystemOf(refusing(host.ctx.fs, ['secret', 'locked.txt'])));
    inner.plugin(toolFsSearch);
    const result = await inner.tools.execute({ name: 'grep', arguments: { pattern: 'hit' } });
    expect(shown(result)).toContain('1 match in 1 file\nopen.txt\n1: hit\n');
    expect(shown(result)).toContain('[not searched: locked.txt: cannot read "locked.txt": it may not be accessed]');
    expect(shown(result)).toContain('[not searched: secret: cannot read "secret": it may not be accessed]');
    const found = await inner.tools.execute({ name: 'glob', arguments: { pattern: '*.txt' } });
    expect(valueOf<{ paths: string[] }>(found).paths).toHaveLength(2);
    expect(shown(found)).toContain('[not searched: secret: ');
  });

  it('what .gitignore excludes is counted as in glob, and an ignored path that is named is searched [S13.W, H051]', async () => {
    await using space = aWorkspace({ '.gitignore': 'scripts/\ndist/\n', 'scripts/w.py': 'NEEDLE = 1\n', 'dist/b.js': 'bundle\n', '.github/p.md': 'NEEDLE doc\n' });
    const result = await space.call('grep', { pattern: 'NEEDLE' });
    expect(shown(result)).toContain('left out, because .gitignore says so: 2 entries (dist/, scripts/); includeIgnored: true');
    expect(await space.grep('NEEDLE')).toEqual(['.github/p.md:1']);
    expect(await space.grep('NEEDLE', { path: 'scripts' })).toEqual(['scripts/w.py:1']);
    expect(await space.grep('NEEDLE', { includeIgnored: true })).toEqual(['.github/p.md:1', 'scripts/w.py:1']);
    expect(shown(await space.call('grep', { pattern: 'NEEDLE', include: '.github/*' }))).not.toContain('left out');
  });

  it('links are not followed, so that each line is found once [H035]', async () => {
    await using space = aWorkspace({ 'sub/a.txt': 'NEEDLE\n' });
    space.volume.link('sub/loop', '.');
    space.volume.link('again.txt', 'sub/a.txt');
    expect(await space.grep('NEEDLE')).toEqual(['sub/a.txt:1']);
    expect(await space.grep('NEEDLE', { path: 'again.txt' })).toEqual(['again.txt:1']);
  });
});

describe('time', () => {
  it.each(['(a+)+$', '(a|a)*b', '^(([a-z])+.)+[A-Z]([a-z])+$', '(.*)*x', '(?:a?){50}a{50}$'])('%s over long lines keeps the host alive [S13.W, H053]', async (pattern) => {
    await using space = aWorkspace({ 'a.txt': `${'a'.repeat(40)}!\n`, 'b.txt': `${'a'.repeat(200_000)}!\n`, 'c.txt': `${'a'.repeat(300)}!\n`.repeat(2_000) });
    let gap = 0;
    let last = performance.now();
    const ticks = setInterval(() => {
      gap = Math.max(gap, performance.now() - last);
      last = performance.now();
    }, 5);
    try {
      await space.call('grep', { pattern });
    } finally {
      clearInterval(ticks);
    }
    expect(gap).toBeLessThan(500);
  });

  it('a search that takes too long gives what it has found, and says that it is not all', async () => {
    await using space = aWorkspace({ 'a.txt': 'hit\n', 'b.txt': `${'x'.repeat(60)}\n`.repeat(150_000) }, { budgetMs: 40 });
    const result = await space.call('grep', { pattern: 'hit|x[a-z]*y' });
    expect(shown(result)).toContain('a.txt\n1: hit\n[not all was searched: the time was up');
  });

  it('an abort ends it [S13.9]', async () => {
    await using space = aWorkspace({ 'b.txt': `${'x'.repeat(60)}\n`.repeat(150_000) });
    const controller = new AbortController();
    const call = space.call('grep', { pattern: 'x[a-z]*y' }, controller.signal);
    setTimeout(() => { controller.abort(); }, 10);
    expect(codeOf(await call)).toBe('ABORTED');
  });

  it('of a line of millions of characters the beginning is searched, and that is said', async () => {
    await using space = aWorkspace({ 'a.txt': `hit${'x'.repeat(1_500_000)}\nhit\n` });
    const result = await space.call('grep', { pattern: 'hit' });
    expect(await space.grep('hit')).toEqual(['a.txt:1', 'a.txt:2']);
    expect(shown(result)).toContain('[not searched: a.txt: only the beginning of line 1]');
  });
});

it('a prefilter over many lines never loses one', () => {
  const pattern = fc.constantFrom('^a', 'b$', '\\bab', 'a\\B', '^$', 'a.b', '[^a]b', '\\s', '(?i)A', 'a|^b$', '\\Aa', 'b\\z');
  fc.assert(
    fc.property(pattern, fc.array(fc.stringMatching(/^[ab ]{0,4}$/), { maxLength: 6 }), (source, lines) => {
      const matcher = lineMatcher({ pattern: source, isLiteral: false, ignoreCase: false });
      if (lines.some((line) => matcher.matches(line))) expect(matcher.mayMatch(`${lines.join('\n')}\n`)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

/** As a disk would refuse some of its paths. */
function refusing(fs: FileSystem, paths: readonly string[]): FsProvider {
  const unless = <T>(path: string, work: () => Promise<T>): Promise<T> => (paths.includes(path) ? Promise.reject(new FsError('FS_PERMISSION', path, { operation: 'read' })) : work());
  const walked: Walked = {
    stat: (path, options) => fs.stat(path, options),
    list: (path, options) => unless(path, () => fs.list(path, options)),
    readText: (path, options) => unless(path, () => fs.readText(path, options)),
  };
  return {
    info: fs.info,
    ...walked,
    resolve: (path, options) => fs.resolve(path, options),
    readRange: (path, options) => fs.readRange(path, options),
    write: (path, content, options) => fs.write(path, content, options),
    edit: (path, spans, options) => fs.edit(path, spans, options),
    remove: (path, options) => fs.remove(path, options),
    move: (from, to, options) => fs.move(from, to, options),
    mkdir: (path, options) => fs.mkdir(path, options),
    walk: (path, options) => walkTree(walked, path, options),
  };
}
