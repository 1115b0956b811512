import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ToolExecutionResult } from '@sluice/core-tools';
import { fsLocal } from '@sluice/fs-local';
import { aHost } from '@sluice/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countWithRipgrep, type Counted } from '../src/ripgrep/count.ts';
import { ripgrepPattern } from '../src/ripgrep/pattern.ts';
import { Budget } from '../src/search/budget.ts';
import { Notes } from '../src/search/notes.ts';
import { toolFsSearch, type GrepValue } from '../src/index.ts';
import { shown, valueOf } from './support.ts';

/** A directory, and `grep` over it with ripgrep and without. */
class Disk implements AsyncDisposable {
  readonly root = mkdtempSync(join(tmpdir(), 'sluice-search-'));
  readonly #hosts = [true, false].map((ripgrep) => {
    const host = aHost();
    host.ctx.plugin(fsLocal, { root: this.root });
    host.ctx.plugin(toolFsSearch, { ripgrep });
    return host;
  });

  put(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), content);
  }

  /** With ripgrep, then without. */
  async both(args: object): Promise<[ToolExecutionResult, ToolExecutionResult]> {
    const [one, other] = await Promise.all(this.#hosts.map(({ ctx }) => ctx.tools.execute({ name: 'grep', arguments: args })));
    return [one as ToolExecutionResult, other as ToolExecutionResult];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const host of this.#hosts) await host.dispose();
    rmSync(this.root, { recursive: true, force: true });
  }
}

function tree(): Disk {
  const disk = new Disk();
  disk.put('.gitignore', 'dist/\n*.log\n!keep.log\n');
  disk.put('a.ts', 'const one = 1;\r\nfoo_bar(1)\r\n\r\nlet é = "one";\n');
  disk.put('b/c.md', 'one two\n(bar) 12\nONE\n');
  disk.put('b/.gitignore', 'secret.md\n');
  disk.put('b/secret.md', 'one\n');
  disk.put('b/d/e.ts', 'one\n'.repeat(30));
  disk.put('.env', 'one=1\n');
  disk.put('.git/config', 'one\n');
  disk.put('dist/x.js', 'one\n');
  disk.put('x.log', 'one\n');
  disk.put('keep.log', 'one\n');
  disk.put('b-c/f.ts', 'one\n');
  disk.put('bin.dat', Uint8Array.from([0x6f, 0x6e, 0x65, 0, 1]));
  disk.put('wide.txt', Uint8Array.from([0xff, 0xfe, 0x6f, 0, 0x6e, 0, 0x65, 0, 10, 0]));
  symlinkSync('b', join(disk.root, 'link'));
  symlinkSync('a.ts', join(disk.root, 'again.ts'));
  return disk;
}

describe('ripgrep, where it is used, tells the same as the engine that is always there', () => {
  it.each([
    [{ pattern: 'one' }],
    [{ pattern: 'one', path: 'b' }],
    [{ pattern: 'one', path: 'dist' }],
    [{ pattern: 'one', path: 'link' }],
    [{ pattern: 'one', includeIgnored: true }],
    [{ pattern: 'one', include: '*.ts' }],
    [{ pattern: 'one', include: 'b/**' }],
    [{ pattern: 'one', include: '*.log' }],
    [{ pattern: 'one', include: '*.{ts,md}' }],
    [{ pattern: 'one', ignoreCase: true }],
    [{ pattern: 'one', mode: 'files' }],
    [{ pattern: 'one', mode: 'count' }],
    [{ pattern: 'one', limit: 4 }],
    [{ pattern: 'one', limit: 7, offset: 5, context: 1 }],
    [{ pattern: '(bar)', literal: true }],
    [{ pattern: '^\\w+\\(\\d\\)$' }],
    [{ pattern: '\\bone\\b' }],
    [{ pattern: ';$' }],
    [{ pattern: '^$' }],
    [{ pattern: '[^\\s]{3}=' }],
    [{ pattern: 'zzz' }],
    [{ pattern: '-e' }],
  ])('for %j [S13.1, S13.7]', async (args) => {
    await using disk = tree();
    const [fast, plain] = await disk.both(args);
    // Binary files are only looked at as far as they have to be.
    const withoutBinary = (result: ToolExecutionResult): unknown => {
      const value = valueOf<GrepValue>(result);
      return { ...value, notes: { ...value.notes, binaryFiles: 0 } };
    };
    expect(withoutBinary(fast)).toEqual(withoutBinary(plain));
  });

  it('for patterns and lines made at random', async () => {
    const pattern = fc.array(fc.constantFrom('a', 'b', 'é', '.', '\\w', '\\s', '\\b', '\\D', '[ab]', '[^a\\d]', '(?:a|b)', 'a+', 'b*', 'a{1,2}', '\\.', '^', '$'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
    const line = fc.array(fc.constantFrom('a', 'b', 'é', ' ', '.', '1', '\t'), { maxLength: 6 }).map((chars) => chars.join(''));
    await fc.assert(
      fc.asyncProperty(pattern, fc.array(line, { minLength: 1, maxLength: 6 }), async (source, lines) => {
        await using disk = new Disk();
        disk.put('f.txt', `${lines.join('\n')}\n`);
        const [fast, plain] = await disk.both({ pattern: source, mode: 'count' });
        expect(fast.isError ? fast.error.info.code : fast.value).toEqual(plain.isError ? plain.error.info.code : plain.value);
      }),
      { numRuns: 25 },
    );
  });
});

it('ripgrep is really asked: it stops at files that cannot match, and so counts no binary ones', async () => {
  await using disk = tree();
  const [fast, plain] = await disk.both({ pattern: 'zzz' });
  expect([valueOf<GrepValue>(fast).notes.binaryFiles, valueOf<GrepValue>(plain).notes.binaryFiles]).toEqual([0, 1]);
});

describe('what ripgrep cannot search', () => {
  // Other systems have no such names.
  if (process.platform === 'linux') {
    it('a name that is no valid text is named, and the rest is found [S13.W]', async () => {
      await using disk = tree();
      writeFileSync(Buffer.concat([Buffer.from(`${disk.root}/bad`), Buffer.from([0xff]), Buffer.from('.ts')]), 'one\n');
      for (const result of await disk.both({ pattern: 'one' })) {
        expect(shown(result)).toContain('its name is no valid text]');
        expect(shown(result)).toContain('a.ts\n1: const one = 1;');
      }
    });
  }

  /** What a program that says this in place of ripgrep makes of a search. */
  async function countedBy(script: string | undefined): Promise<{ counted: Counted[] | undefined; notes: Notes['value'] }> {
    await using disk = tree();
    await using host = aHost();
    host.ctx.plugin(fsLocal, { root: disk.root });
    const binary = join(disk.root, 'fake-rg');
    if (script !== undefined) writeFileSync(binary, `#!${process.execPath}\n${script}`, { mode: 0o755 });
    const notes = new Notes();
    const budget = new Budget(10_000, new AbortController().signal);
    const treeOptions = { start: '.', includeIgnored: false, maxEntries: 9, wants: () => true, enters: () => true };
    const local = { root: disk.root, directory: disk.root };
    try {
      const counted = await countWithRipgrep({ fs: host.ctx.fs, binary, pattern: 'x', ignoreCase: false, simpleInclude: undefined, local, tree: treeOptions }, notes, budget);
      return { counted, notes: notes.value };
    } finally {
      budget.end();
    }
  }

  it('a directory that may not be read is named, and what was found counts [S13.W, S13.8]', async () => {
    const { counted, notes } = await countedBy("process.stderr.write('rg: ./closed: Permission denied (os error 13)\\n'); process.stdout.write('./b\\x003\\n./a/c\\x001\\n'); process.exitCode = 2;");
    expect(counted).toEqual([{ path: 'a/c', count: 1 }, { path: 'b', count: 3 }]);
    expect(notes.problems).toEqual({ count: 1, examples: [{ path: 'closed', code: 'FS_IO', message: 'Permission denied' }] });
  });

  it.each([
    ['it is not there', undefined],
    ['it does not understand the pattern', "process.stderr.write('rg: regex parse error:\\n'); process.exitCode = 2;"],
    ['it does not understand what it is asked', "process.stderr.write('rg: unrecognized flag --crlf\\n'); process.exitCode = 2;"],
  ])('the other engine searches when %s [S13.9]', async (_what, script) => {
    expect(await countedBy(script)).toEqual({ counted: undefined, notes: new Notes().value });
  });
});

describe('a pattern', () => {
  it.each([
    ['a.b', 'a.b'],
    ['\\w[\\w-]\\d', '[0-9A-Za-z_][0-9A-Za-z_-][0-9]'],
    ['\\bx\\S', '(?-u:\\b)x[^\\t\\n\\f\\r ]'],
    ['a{2,}\\/', 'a{2,}/'],
  ])('%s is given as %s', (pattern, translated) => {
    expect(ripgrepPattern({ pattern, isLiteral: false, ignoreCase: false })).toBe(translated);
  });

  it.each(['\\B', '[\\W]', '(?i)a', '(?<n>a)', '[[:alpha:]]', '[a&&b]', '[]a]', 'a{,2}', 'x{', '\\pL', '\\x41', '\\Aa', '\\u0041'])('%s, which may be read differently, is not given', (pattern) => {
    expect(ripgrepPattern({ pattern, isLiteral: false, ignoreCase: false })).toBeUndefined();
  });
});
