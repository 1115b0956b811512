import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Glob } from '../src/pattern/glob.ts';
import { aWorkspace, codeOf, shown, valueOf } from './support.ts';

const sorted = (paths: readonly string[]): string[] => [...paths].sort();

describe('patterns', () => {
  const tree = { 'a.ts': '', 'src/b.ts': '', 'src/deep/c.ts': '', 'src/deep/d.js': '', '.github/e.ts': '', 'app/[id]/page.tsx': '', 'app/i/page.tsx': '', 'x{1}.md': '', '-f': '' };

  it.each<[pattern: string, found: string[]]>([
    ['*.ts', ['.github/e.ts', 'a.ts', 'src/b.ts', 'src/deep/c.ts']],
    ['**/*.ts', ['.github/e.ts', 'a.ts', 'src/b.ts', 'src/deep/c.ts']],
    ['src/*.ts', ['src/b.ts']],
    ['src/**', ['src/b.ts', 'src/deep/c.ts', 'src/deep/d.js']],
    ['src/**/*.{js,ts}', ['src/b.ts', 'src/deep/c.ts', 'src/deep/d.js']],
    ['{src,.github}/*.ts', ['.github/e.ts', 'src/b.ts']],
    ['src/?.ts', ['src/b.ts']],
    ['src/deep/[cd].*', ['src/deep/c.ts', 'src/deep/d.js']],
    ['src/deep/[!c].*', ['src/deep/d.js']],
    ['src/deep/', ['src/deep/c.ts', 'src/deep/d.js']],
    ['./src/b.ts', ['src/b.ts']],
    ['src/b.ts', ['src/b.ts']],
    ['/workspace/src/*.ts', ['src/b.ts']],
    ['app/[id]/page.tsx', ['app/[id]/page.tsx', 'app/i/page.tsx']],
    ['app/[id]/*', ['app/[id]/page.tsx', 'app/i/page.tsx']],
    ['app/\\[id\\]/*', ['app/[id]/page.tsx']],
    ['x{1}.md', ['x{1}.md']],
    ['-f', ['-f']],
    ['src', []],
    ['nowhere/**', []],
    ['a.ts/x', []],
  ])('%s finds %j [S13.4, S13.5, S13.7, S13.W]', async (pattern, found) => {
    await using space = aWorkspace(tree);
    expect(sorted(await space.glob(pattern))).toEqual(found);
  });

  it('begin where path says, whose characters mean nothing [S13.W]', async () => {
    await using space = aWorkspace(tree);
    expect(await space.glob('*.tsx', { path: 'app/[id]' })).toEqual(['app/[id]/page.tsx']);
    expect(await space.glob('../*.ts', { path: 'src/deep' })).toEqual(['src/b.ts']);
  });

  it.each([
    ['../*.ts', 'FS_OUTSIDE_WORKSPACE'],
    ['/etc/*', 'FS_OUTSIDE_WORKSPACE'],
    ['src/../../*', 'GLOB_BAD_PATTERN'],
    ['!*.ts', 'GLOB_BAD_PATTERN'],
    [' ', 'INVALID_ARGS'],
    ['{a,b}'.repeat(12), 'GLOB_BAD_PATTERN'],
  ])('%j is refused: %s [S13.5, H037]', async (pattern, code) => {
    await using space = aWorkspace(tree);
    expect(codeOf(await space.call('glob', { pattern }))).toBe(code);
  });

  it('a directory in place of a file is told', async () => {
    await using space = aWorkspace(tree);
    expect(shown(await space.call('glob', { pattern: 'src' }))).toContain('it is a directory');
    expect(codeOf(await space.call('glob', { pattern: '*', path: 'a.ts' }))).toBe('FS_NOT_DIRECTORY');
    expect(codeOf(await space.call('glob', { pattern: '*', path: 'gone' }))).toBe('FS_NOT_FOUND');
  });

  it('agree with a plain definition of what they mean', () => {
    const name = fc.stringMatching(/^[ab.]{1,3}$/).filter((one) => one !== '.' && one !== '..');
    const segment = fc.oneof(fc.constant('**'), fc.stringMatching(/^[ab.*?]{1,4}$/).filter((one) => one !== '.' && one !== '..'));
    fc.assert(
      fc.property(fc.array(segment, { minLength: 2, maxLength: 4 }), fc.array(name, { minLength: 1, maxLength: 4 }), (segments, names) => {
        const plain = (steps: string[], rest: string[]): boolean => {
          const [step, ...others] = steps;
          if (step === undefined) return rest.length === 0;
          if (step === '**') return rest.length > 0 && (rest.some((_one, i) => plain(others, rest.slice(i))) || others.length === 0);
          const regex = new RegExp(`^${step.replace(/\./g, '\\.').replace(/\*+/g, '[^/]*').replace(/\?/g, '[^/]')}$`);
          return rest.length > 0 && regex.test(rest[0] as string) && plain(others, rest.slice(1));
        };
        const glob = new Glob(segments.join('/'), { isCaseSensitive: true });
        expect(glob.matches(names.join('/'))).toBe(plain(segments, names));
        // Nothing that matches is below a directory that is not entered.
        if (glob.matches(names.join('/'))) for (let depth = 1; depth < names.length; depth += 1) expect(glob.reaches(names.slice(0, depth).join('/'))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('cannot be made slow', () => {
    const began = performance.now();
    expect(new Glob(`${'*a'.repeat(60)}b`, { isCaseSensitive: true }).matches('a'.repeat(255))).toBe(false);
    expect(new Glob(`${'**/a/'.repeat(60)}b`, { isCaseSensitive: true }).matches('a/'.repeat(300) + 'a')).toBe(false);
    expect(performance.now() - began).toBeLessThan(500);
  });

  it('letter case counts where it counts for files', () => {
    expect(new Glob('*.TS', { isCaseSensitive: true }).matches('a.ts')).toBe(false);
    expect(new Glob('*.TS', { isCaseSensitive: false }).matches('a.ts')).toBe(true);
  });
});

describe('results', () => {
  it('are newest first, a page at a time, and every page says how to go on [S13.W]', async () => {
    await using space = aWorkspace({}, { maxPaths: 2 });
    for (const name of ['old', 'middle', 'new']) {
      space.volume.put(`${name}.txt`, name);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    const first = await space.call('glob', { pattern: '*' });
    expect(shown(first)).toBe('3 files, 2 shown, newest first\nnew.txt\nmiddle.txt\n[1 more file; go on with offset 2]');
    expect(valueOf(first)).toMatchObject({ total: 3, nextOffset: 2 });
    expect(await space.glob('*', { offset: 2 })).toEqual(['old.txt']);
    expect(shown(await space.call('glob', { pattern: 'zzz' }))).toBe('No files found.');
  });

  it('leave out what .gitignore excludes, say how much and how to have it; what is named is searched [S13.W, H051]', async () => {
    await using space = aWorkspace({ '.gitignore': 'dist/\n*.log\n', 'dist/a.js': '', 'dist/b.js': '', 'x.log': '', 'c.js': '', '.git/d.js': '' });
    const result = await space.call('glob', { pattern: '**/*.js' });
    expect(shown(result)).toBe('1 file\nc.js\n[left out, because .gitignore says so: 1 entry (dist/); includeIgnored: true, or naming one as path, searches them too]');
    expect(sorted(await space.glob('**/*.js', { includeIgnored: true }))).toEqual(['c.js', 'dist/a.js', 'dist/b.js']);
    expect(sorted(await space.glob('*.js', { path: 'dist' }))).toEqual(['dist/a.js', 'dist/b.js']);
    expect(await space.glob('dist/b.js')).toEqual(['dist/b.js']);
    expect(shown(await space.call('glob', { pattern: '*.md' }))).not.toContain('x.log');
  });

  it('links that lead in circles, nowhere or out end, and no file is found twice through them [S13.W, H035]', async () => {
    await using space = aWorkspace({ 'sub/a.txt': '' });
    space.volume.link('sub/loop', '.');
    space.volume.link('up', '..');
    space.volume.link('x', 'y');
    space.volume.link('y', 'x');
    expect(await space.glob('**/a.txt')).toEqual(['sub/a.txt']);
    expect(shown(await space.call('glob', { pattern: '**/a.txt' }))).toBe('1 file\nsub/a.txt');
  });

  it('a name cannot pass for another path or for a note', async () => {
    await using space = aWorkspace({ 'a\nb.txt': '', '[x]': '' });
    expect(shown(await space.call('glob', { pattern: '*' })).split('\n').slice(1).sort()).toEqual(['"[x]"', '"a\\nb.txt"']);
  });

  it('have a card, which a log can draw', async () => {
    await using space = aWorkspace({ 'a.txt': '', 'b.txt': '' }, { maxCardChars: 6 });
    const call = { name: 'glob', arguments: { pattern: '*.txt' } };
    expect(space.ctx.tools.present(call)).toEqual({ card: 'generic', kind: 'search', title: 'Find *.txt' });
    const { meta } = await space.ctx.tools.execute(call);
    expect(space.ctx.tools.present(call, { content: [], isError: false, ...JSON.parse(JSON.stringify({ meta })) as object })).toMatchObject({ card: 'search', shape: 'paths', total: 2, truncated: true, paths: [expect.any(String)] });
    expect(space.ctx.tools.present(call, { content: [], isError: false, meta: { shape: 'paths', paths: 7 } })).toMatchObject({ card: 'generic' });
  });

  it('searches run side by side [S13.W]', async () => {
    await using space = aWorkspace();
    for (const name of ['glob', 'grep']) expect(space.ctx.tools.executionMode({ name, arguments: { pattern: 'x' } })).toBe('parallel');
  });

  it('end after so many entries, and say so', async () => {
    await using space = aWorkspace(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}`, ''])), { maxEntries: 5 });
    expect(shown(await space.call('glob', { pattern: '*' }))).toContain('not all was searched: too many entries');
  });
});
