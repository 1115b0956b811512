import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWithin, joined, normalPath, parentOf, segmentsOf, type FsError } from '../src/index.ts';

const posix = { roots: [{ name: '', path: '/ws/app' }] };
const windows = { roots: [{ name: '', path: 'C:\\Work\\App' }], isWindows: true };
const named = { roots: [{ name: 'code', path: '/src' }, { name: 'docs', path: '/srv/docs' }] };
const normal = (path: string, rules: Parameters<typeof normalPath>[1] = posix): string => {
  try {
    return normalPath(path, rules, 'read');
  } catch (error) {
    return (error as FsError).code;
  }
};

describe('normalPath', () => {
  it.each([
    ['a/b', 'a/b'], ['./a//b/', 'a/b'], ['a/../b', 'b'], ['.', '.'], ['a/..', '.'], ['/ws/app', '.'], ['/ws/app/', '.'], ['/ws/app/a', 'a'], ['//ws/app/a', 'a'],
    ['/ws/other/../app/a', 'a'], ['a\\b', 'a\\b'], ['...', '...'], ['a/.../b', 'a/.../b'],
    ['..', 'FS_OUTSIDE_WORKSPACE'], ['a/../../b', 'FS_OUTSIDE_WORKSPACE'], ['/ws/app-evil/a', 'FS_OUTSIDE_WORKSPACE'], ['/ws/app/../x', 'FS_OUTSIDE_WORKSPACE'],
    ['/', 'FS_OUTSIDE_WORKSPACE'], ['/ws', 'FS_OUTSIDE_WORKSPACE'], ['/../ws/app', 'FS_OUTSIDE_WORKSPACE'],
    ['', 'FS_BAD_PATH'], [' \t', 'FS_BAD_PATH'], ['a\0b', 'FS_BAD_PATH'], ['\udc00', 'FS_BAD_PATH'],
  ])('makes %j into %s [S8, H027, H037]', (path, expected) => {
    expect(normal(path)).toBe(expected);
  });

  it.each([
    ['C:\\Work\\App\\a\\b', 'a/b'], ['c:/work/app/a', 'a'], ['c:\\WORK\\app\\', '.'], ['a\\b', 'a/b'], ['a\\..\\..\\b', 'FS_OUTSIDE_WORKSPACE'],
    ['D:\\Work\\App\\a', 'FS_OUTSIDE_WORKSPACE'], ['C:a', 'FS_OUTSIDE_WORKSPACE'], ['\\\\server\\share', 'FS_OUTSIDE_WORKSPACE'], ['C:\\Work\\App2', 'FS_OUTSIDE_WORKSPACE'],
  ])('makes %j on Windows into %s [H039]', (path, expected) => {
    expect(normal(path, windows)).toBe(expected);
  });

  it.each([['/src/a', 'code/a'], ['/srv/docs', 'docs'], ['docs/x', 'docs/x'], ['/srv/doc', 'FS_OUTSIDE_WORKSPACE']])('makes %j under named roots into %s', (path, expected) => {
    expect(normal(path, named)).toBe(expected);
  });

  it('gives a path without dots, empty segments or a way out, whatever it is given, and the same when given that [property]', () => {
    const piece = fc.oneof(fc.constantFrom('..', '.', '', 'a', 'ws', 'app', '/', '\\', 'C:', '...'), fc.string());
    fc.assert(
      fc.property(fc.array(piece), fc.constantFrom('/', '//', ''), (pieces, separator) => {
        const found = normal(pieces.join(separator === '' ? '/' : separator));
        if (found.startsWith('FS_')) return;
        expect(segmentsOf(found).every((segment) => segment !== '' && segment !== '.' && segment !== '..' && !segment.includes('/'))).toBe(true);
        expect(normal(found)).toBe(found);
      }),
    );
  });

  it('refuses what is no string as misuse', () => {
    expect(() => normalPath(7 as never, posix, 'read')).toThrow(TypeError);
  });
});

describe('normal paths', () => {
  it('are joined and split', () => {
    expect([joined('.', 'a'), joined('a', 'b'), parentOf('a/b'), parentOf('a'), parentOf('.')]).toEqual(['a', 'a/b', 'a', '.', '.']);
    expect([segmentsOf('.'), segmentsOf('a/b')]).toEqual([[], ['a', 'b']]);
  });

  it('are within a directory by whole segments', () => {
    expect([isWithin('a/b', 'a'), isWithin('a', 'a'), isWithin('ab', 'a'), isWithin('a', '.'), isWithin('a', 'a/b')]).toEqual([true, true, false, true, false]);
  });
});
