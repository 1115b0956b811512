import { describe, expect, it } from 'vitest';
import { DEFAULT_PROTECTED, isIgnored, parseIgnoreFile, protectedPaths } from '../src/index.ts';

describe('ignore files', () => {
  const root = parseIgnoreFile('.', '# comment\n*.log\n!keep.log\n/top\ndir/\na/**/z\n\\#odd\n');
  it.each([
    ['x.log', false, true], ['sub/x.log', false, true], ['keep.log', false, false], ['top', false, true], ['sub/top', false, false], ['dir', true, true], ['dir', false, false],
    ['a/b/c/z', false, true], ['#odd', false, true], ['X.LOG', false, false], ['.git', true, true], ['sub/.git', true, true], ['.gitignore', false, false],
  ])('%s (a directory: %s) is left out: %s', (path, isDirectory, expected) => {
    expect(isIgnored(path, isDirectory, [root])).toBe(expected);
  });

  it('lets the innermost that has an opinion decide, and reaches no further than its directory', () => {
    const inner = parseIgnoreFile('sub', '!x.log\nlocal\n');
    expect(isIgnored('sub/x.log', false, [root, inner])).toBe(false);
    expect(isIgnored('sub/y.log', false, [root, inner])).toBe(true);
    expect(isIgnored('sub/deep/local', false, [root, inner])).toBe(true);
    expect(isIgnored('local', false, [root, inner])).toBe(false);
    expect(isIgnored('subway/local', false, [root, inner])).toBe(false);
  });
});

describe('protected paths', () => {
  const isProtected = protectedPaths(DEFAULT_PROTECTED);
  it.each([
    ['.git/config', true], ['.git/hooks', true], ['.git/hooks/pre-commit', true], ['.GIT/Hooks/x', true], ['deep/down/.git/config', true], ['.git/modules/sub/config', true],
    ['.git', false], ['.git/HEAD', false], ['hooks/x', false], ['.github/config', false], ['.', false],
  ])('%s: %s [S10 holes]', (path, expected) => {
    expect(isProtected(path)).toBe(expected);
  });

  it('also for what would be made where only a directory is named', () => {
    expect(protectedPaths(['secret/'])('secret')).toBe(true);
  });
});
