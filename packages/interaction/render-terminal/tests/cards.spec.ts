import { describe, expect, it } from 'vitest';
import { drawCall } from './a-log.ts';

const rows = (drawn: string) => drawn.split('\n').slice(1);

describe('pending cards', () => {
  it('generic: the arguments stand beside the bare name of a tool', () => {
    expect(drawCall({ argumentsText: '{"path":"a.ts","limit":2}' })).toEqual(['… do_it {"path":"a.ts","limit":2}']);
    expect(drawCall({ pending: { card: 'generic', title: 'Do it', rawInput: { path: 'a.ts' } } })).toEqual(['… Do it']);
  });

  it('generic: text input is drawn line by line, then locations and content', () => {
    const pending = { card: 'generic', title: 'Do it', rawInput: 'a\nb', locations: [{ path: 'a.ts', line: 3 }], content: [{ type: 'image', data: '', mimeType: 'image/png' }] };
    expect(drawCall({ pending })).toEqual(rows(`
… Do it
│   a
│   b
│   at a.ts:3
│   [image, image/png]`));
  });

  it('terminal: the whole command, and where', () => {
    expect(drawCall({ pending: { card: 'terminal', title: 'cd x\nnpm test', description: 'Runs the tests', cwd: '/repo' } })).toEqual(rows(`
… $ cd x
┆   npm test
│   Runs the tests
│   in /repo`));
  });

  it('diff: what is going to change', () => {
    const diffs = [{ path: 'a.ts', oldText: 'one\ntwo\nthree\n', newText: 'one\n2\nthree\n' }, { path: 'b.ts', oldText: null, newText: 'new\n' }];
    expect(drawCall({ pending: { card: 'diff', title: 'Edit two files', diffs } })).toEqual(rows(`
… Edit two files
│   file a.ts
│   @ line 1
│     one
│   - two
│   + 2
│     three
│   new file b.ts
│   + new`));
  });

  it('locations', () => {
    expect(drawCall({ pending: { card: 'locations', title: 'Look', locations: [{ path: 'a.ts' }, { path: 'b.ts', line: 7 }] } })).toEqual(rows(`
… Look
│   at a.ts
│   at b.ts:7`));
  });

  it('one of an unknown kind is drawn as a generic one', () => {
    expect(drawCall({ pending: { card: 'hologram', title: 'Do it in 3D', beams: 7 } })).toEqual(['… Do it in 3D']);
  });
});

describe('completed cards', () => {
  const pending = { card: 'generic', title: 'Do it' };

  it('generic: the content of the result', () => {
    expect(drawCall({ content: 'done\nand dusted\n' })).toEqual(['✓ do_it', '│   done', '│   and dusted']);
  });

  it('generic after a command: the command stays', () => {
    expect(drawCall({ pending: { card: 'terminal', title: 'ls' }, completed: { card: 'generic' }, content: 'a.ts' })).toEqual(['✓ $ ls', '│   a.ts']);
  });

  it('terminal: how it ended; of long output the end is kept', () => {
    const output = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join('\n');
    const terminal = { card: 'terminal', title: 'npm test' };
    expect(drawCall({ pending: terminal, completed: { card: 'terminal', output, exitCode: 1 }, content: '', maxRows: 4 })).toEqual(rows(`
✓ $ npm test
│   … 28 more lines before
│   line 29
│   line 30
│   exit 1`));
    expect(drawCall({ pending: terminal, completed: { card: 'terminal', signal: 'SIGKILL' }, content: '' })).toEqual(['✓ $ npm test', '│   ended by SIGKILL']);
  });

  it('diff: a title that names the file is enough', () => {
    const completed = { card: 'diff', title: 'Edit a.ts', diffs: [{ path: 'a.ts', oldText: 'x', newText: 'y\n' }] };
    expect(drawCall({ pending, completed, content: '' })).toEqual(rows(`
✓ Edit a.ts
│   @ line 1
│   - x
│     No newline at end of file
│   + y`));
  });

  it('diff: files that did not change, and empty ones', () => {
    const completed = { card: 'diff', diffs: [{ path: 'a', oldText: 'x', newText: 'x' }, { path: 'b', oldText: null, newText: '' }] };
    expect(drawCall({ pending, completed, content: '' })).toEqual(['✓ Do it', '│   file a', '│   no change', '│   new file b', '│   an empty file']);
  });

  it('diff: texts with nothing in common stand one after the other', () => {
    const side = (word: string) => Array.from({ length: 1_500 }, (_, index) => `${word}${index}\n`).join('');
    const completed = { card: 'diff', diffs: [{ path: 'a', oldText: side('old'), newText: side('new') }] };
    expect(drawCall({ pending, completed, content: '', maxRows: 3 })).toEqual(['✓ Do it', '│   file a', '│   - old0', '│   … 2,999 more lines']);
  });

  it('search: matches by file', () => {
    const files = [{ path: 'a.ts', matches: [{ lineNumber: 7, line: 'export a' }, { lineNumber: 12_345, line: 'export b' }] }];
    expect(drawCall({ pending, completed: { card: 'search', shape: 'matches', files, truncated: true, total: 40 }, content: '' })).toEqual(rows(`
✓ Do it
│   40 matches, not all of them here
│   a.ts
│      7 export a
│   12345 export b`));
  });

  it('search: paths', () => {
    expect(drawCall({ pending, completed: { card: 'search', shape: 'paths', paths: ['a.ts'], truncated: false, total: 1 }, content: '' })).toEqual(['✓ Do it', '│   1 path', '│   a.ts']);
  });

  it('read: numbered lines, and how many there are', () => {
    const lines = [{ number: 9, text: 'nine' }, { number: 10, text: 'ten' }];
    expect(drawCall({ pending, completed: { card: 'read', title: 'Read a.ts', path: 'a.ts', offset: 9, lines, totalLines: 20 }, content: '' })).toEqual(rows(`
✓ Read a.ts
│   lines 9 to 10 of 20
│      9 nine
│     10 ten`));
  });

  it('a failure says its code', () => {
    expect(drawCall({ content: 'Error: too late', error: 'TOOL_TIMEOUT' })).toEqual(['✗ do_it', '│   TOOL_TIMEOUT', '│   Error: too late']);
  });

  it.each([
    [{ card: 'hologram', beams: 7 }],
    [{ card: 'diff' }],
    [{ card: 'diff', diffs: [{ path: 'a', oldText: 7 }] }],
    [{ card: 'search', shape: 'paths', paths: [1, 2], total: 2 }],
    [{ card: 'read' }],
    [{ card: 'generic', content: [null] }],
    [null],
    ['nonsense'],
  ])('%j is drawn as a generic one', (completed) => {
    expect(drawCall({ pending, completed, content: 'what the model read' })).toEqual(['✓ Do it', '│   what the model read']);
  });

  it('a presenter that throws costs the card, not the call', () => {
    const present = () => {
      throw new Error('no');
    };
    expect(drawCall({ content: 'fine', tools: { present } })).toEqual(['✓ do_it', '│   fine']);
  });
});

describe('at 40 columns', () => {
  it('wraps, and marks what goes on', () => {
    const diffs = [{ path: 'src/greeting.ts', oldText: '', newText: 'export const greeting = "a very good morning";\n' }];
    const completed = { card: 'diff', title: 'Edit the file src/greeting.ts because it was asked for', diffs };
    expect(drawCall({ pending: completed, completed, content: '', width: 40 })).toEqual(rows(`
✓ Edit the file src/greeting.ts because
┆ it was asked for
│   @ line 1
│   + export const greeting = "a very
│   +┆good morning";`));
  });

  it('cuts what is too much, and says how much', () => {
    expect(drawCall({ content: 'a\nb\nc\nd', width: 40, maxRows: 3 })).toEqual(['✓ do_it', '│   a', '│   b', '│   … 2 more lines']);
    expect(drawCall({ content: 'a\nb\nc', width: 40, maxRows: 3 })).toEqual(['✓ do_it', '│   a', '│   b', '│   c']);
    expect(drawCall({ content: `a\nb\n${'c'.repeat(37)}`, width: 40, maxRows: 3 })).toEqual(['✓ do_it', '│   a', '│   b', '│   … 1 more line']);
    expect(drawCall({ content: 'x'.repeat(1_000_000), width: 40, maxRows: 2 })).toEqual(['✓ do_it', `│   ${'x'.repeat(36)}`, '│   … 1 more line']);
  });
});
