import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { FileSystem, FsWalkOptions } from '@sluice/fs';
import { failsWith, textOf, utf8, type FileSystemCheck } from './world.ts';

async function walked(fs: FileSystem, path: string, options?: FsWalkOptions): Promise<string[]> {
  const paths: string[] = [];
  for await (const entry of fs.walk(path, options)) paths.push(entry.type === 'directory' && !entry.isLink ? `${entry.path}/` : entry.path);
  return paths;
}

export const tree: readonly FileSystemCheck[] = [
  {
    name: 'lists one level by name, with what each entry is',
    async run({ fs, outside }) {
      for (const path of ['b.txt', 'a/deep.txt', 'Z', 'é', '.hidden']) await outside.put(path, utf8('123'));
      const entries = await fs.list('.');
      deepStrictEqual(entries.map(({ name, path, type, isLink, size }) => [name, path, type, isLink, type === 'file' ? size : 0]), [
        ['.hidden', '.hidden', 'file', false, 3], ['Z', 'Z', 'file', false, 3], ['a', 'a', 'directory', false, 0], ['b.txt', 'b.txt', 'file', false, 3], ['é', 'é', 'file', false, 3],
      ]);
      deepStrictEqual((await fs.list('a')).map(({ path }) => path), ['a/deep.txt']);
      await fs.mkdir('empty');
      deepStrictEqual(await fs.list('empty'), []);
    },
  },
  {
    name: 'says of what cannot be listed or walked why',
    async run({ fs, outside }) {
      await outside.put('a', utf8('x'));
      await failsWith('FS_NOT_DIRECTORY', () => fs.list('a'), 'a');
      await failsWith('FS_NOT_FOUND', () => fs.list('none'), 'none');
      await failsWith('FS_NOT_FOUND', () => walked(fs, 'none'), 'none');
      deepStrictEqual(await walked(fs, 'a'), ['a']);
    },
  },
  {
    name: 'walks everything once, depth first and by name',
    async run({ fs, outside }) {
      for (const path of ['b/2.txt', 'b/1/x', 'a.txt', 'c/y', 'b.txt']) await outside.put(path, utf8(''));
      deepStrictEqual(await walked(fs, '.'), ['a.txt', 'b/', 'b/1/', 'b/1/x', 'b/2.txt', 'b.txt', 'c/', 'c/y']);
      deepStrictEqual(await walked(fs, 'b'), ['b/1/', 'b/1/x', 'b/2.txt']);
      deepStrictEqual(await walked(fs, '.', { enter: ({ name }) => name !== 'b' }), ['a.txt', 'b/', 'b.txt', 'c/', 'c/y']);
    },
  },
  {
    name: 'can be left in the middle of a walk, and stops when told to',
    async run({ fs, outside }) {
      for (let i = 0; i < 20; i += 1) await outside.put(`d${i % 4}/f${i}`, utf8(''));
      for await (const entry of fs.walk('.')) if (entry.type === 'file') break;
      const controller = new AbortController();
      let seen = 0;
      await failsWith('FS_CANCELLED', async () => {
        for await (const entry of fs.walk('.', { signal: controller.signal })) {
          seen += entry.path === '' ? 0 : 1;
          if (seen === 3) controller.abort();
        }
      });
      strictEqual(seen, 3);
    },
  },
  {
    name: 'leaves out what ignore files exclude when asked to, and tells what',
    async run({ fs, outside }) {
      const files = {
        '.gitignore': '*.log\n/build/\nnode_modules/\n!keep.log\n', 'a.log': '', 'keep.log': '', 'src/b.log': '', 'src/code.ts': '', 'src/build/x': '', 'build/out': '',
        'node_modules/p/index.js': '', 'src/.gitignore': '!b.log\nlocal/\n', 'src/local/x': '', 'other/local/y': '', '.git/HEAD': '', 'README.LOG': '',
      };
      for (const [path, text] of Object.entries(files)) await outside.put(path, utf8(text));
      const ignored: string[] = [];
      const kept = await walked(fs, '.', { honourIgnoreFiles: true, onIgnored: ({ path }) => ignored.push(path) });
      deepStrictEqual(kept, ['.gitignore', 'README.LOG', 'keep.log', 'other/', 'other/local/', 'other/local/y', 'src/', 'src/.gitignore', 'src/b.log', 'src/build/', 'src/build/x', 'src/code.ts']);
      deepStrictEqual(ignored, ['.git', 'a.log', 'build', 'node_modules', 'src/local']);
      deepStrictEqual(await walked(fs, 'node_modules', { honourIgnoreFiles: true }), ['node_modules/p/', 'node_modules/p/index.js']);
      deepStrictEqual(await walked(fs, 'src', { honourIgnoreFiles: true }), ['src/.gitignore', 'src/b.log', 'src/build/', 'src/build/x', 'src/code.ts']);
      strictEqual((await walked(fs, '.')).includes('node_modules/p/index.js'), true);
    },
  },
  {
    name: 'removes files, empty directories, and full ones only when told so',
    async run({ fs, outside }) {
      await outside.put('d/a', utf8('x'));
      await outside.put('f', utf8('x'));
      await fs.mkdir('e');
      await fs.remove('f');
      await fs.remove('e');
      await failsWith('FS_NOT_EMPTY', () => fs.remove('d'), 'd');
      deepStrictEqual(await walked(fs, '.'), ['d/', 'd/a']);
      await fs.remove('d', { recursive: true });
      deepStrictEqual(await walked(fs, '.'), []);
      await failsWith('FS_NOT_FOUND', () => fs.remove('d'), 'd');
      for (const root of ['.', 'd/..']) await failsWith('FS_PROTECTED', () => fs.remove(root, { recursive: true }), root);
    },
  },
  {
    name: 'removes and moves only the version it is told',
    async run({ fs, outside }) {
      await outside.put('a', utf8('one'));
      const { version } = await fs.readText('a');
      await outside.put('a', utf8('two'));
      await failsWith('FS_STALE', () => fs.remove('a', { ifVersion: version }), 'a');
      await failsWith('FS_STALE', () => fs.move('a', 'b', { ifVersion: version }), 'a');
      strictEqual(textOf(await outside.bytes('a')), 'two');
      await fs.move('a', 'b', { ifVersion: (await fs.readText('a')).version });
      await fs.remove('b', { ifVersion: (await fs.readText('b')).version });
      deepStrictEqual(await fs.list('.'), []);
    },
  },
  {
    name: 'moves files and directories, making directories, and replaces only when told so',
    async run({ fs, outside }) {
      await outside.put('a', utf8('A'));
      await outside.put('b', utf8('B'));
      await outside.put('d/x', utf8('X'));
      const moved = await fs.move('a', 'new/place/a');
      strictEqual(moved.path, 'new/place/a');
      await failsWith('FS_EXISTS', () => fs.move('b', 'new/place/a'));
      strictEqual(textOf(await outside.bytes('new/place/a')), 'A');
      await fs.move('b', 'new/place/a', { overwrite: true });
      strictEqual(textOf(await outside.bytes('new/place/a')), 'B');
      await fs.move('d', 'e');
      strictEqual(textOf(await outside.bytes('e/x')), 'X');
      await failsWith('FS_EXISTS', () => fs.move('new/place/a', 'e', { overwrite: true }));
      await failsWith('FS_EXISTS', () => fs.move('e', 'new', { overwrite: true }));
      await failsWith('FS_BAD_PATH', () => fs.move('e', 'e/below/e'));
      await failsWith('FS_NOT_FOUND', () => fs.move('none', 'x'), 'none');
      await failsWith('FS_PROTECTED', () => fs.move('.', 'x'), '.');
      strictEqual((await fs.move('e', 'e')).path, 'e');
      deepStrictEqual(await walked(fs, '.'), ['e/', 'e/x', 'new/', 'new/place/', 'new/place/a']);
    },
  },
  {
    name: 'makes directories with those above, and does nothing when they are there',
    async run({ fs, outside }) {
      strictEqual((await fs.mkdir('a/b/c')).isNew, true);
      strictEqual((await fs.mkdir('a/b/c')).isNew, false);
      strictEqual((await fs.mkdir('.')).isNew, false);
      await outside.put('f', utf8('x'));
      await failsWith('FS_EXISTS', () => fs.mkdir('f'), 'f');
      await failsWith('FS_NOT_DIRECTORY', () => fs.mkdir('f/g'), 'f/g');
      deepStrictEqual(await walked(fs, '.'), ['a/', 'a/b/', 'a/b/c/', 'f']);
    },
  },
  {
    name: 'goes through links that stay inside, to the one file they lead to',
    needs: ['link'],
    async run({ fs, outside }) {
      await outside.put('real/a', utf8('one'));
      await outside.link?.('dir', 'real');
      await outside.link?.('real/b', '../real/a');
      const paths = ['real/a', 'dir/a', 'real/b', 'dir/b'];
      const keys = await Promise.all(paths.map(async (path) => (await fs.resolve(path)).key));
      strictEqual(new Set(keys).size, 1);
      strictEqual((await fs.resolve('dir/new')).key, (await fs.resolve('real/new')).key);
      for (const path of paths) strictEqual((await fs.readText(path)).text, 'one');
      await fs.write('dir/b', 'two');
      strictEqual(textOf(await outside.bytes('real/a')), 'two');
      const { version } = await fs.readText('real/b');
      await fs.edit('dir/a', [{ start: 0, end: 3, text: 'three' }], { ifVersion: version });
      strictEqual(textOf(await outside.bytes('real/a')), 'three');
      await fs.write('dir/sub/new', 'x');
      strictEqual(textOf(await outside.bytes('real/sub/new')), 'x');
      const [dir, real] = await fs.list('.');
      deepStrictEqual([dir?.type, dir?.isLink, real?.type, real?.isLink], ['directory', true, 'directory', false]);
      deepStrictEqual([(await fs.stat('real/b'))?.isLink, (await fs.stat('real/b'))?.type, (await fs.stat('real/b', { followLink: false }))?.type], [true, 'file', 'other']);
    },
  },
  {
    name: 'tells links in a walk and does not enter them, so that every file is told once and circles end',
    needs: ['link'],
    async run({ fs, outside }) {
      await outside.put('d/a', utf8('x'));
      await outside.link?.('d/up', '..');
      await outside.link?.('l', 'd');
      await outside.link?.('self', 'self');
      const problems: string[] = [];
      deepStrictEqual(await walked(fs, '.', { onProblem: ({ path, code }) => problems.push(`${path} ${code}`) }), ['d/', 'd/a', 'd/up', 'l', 'self']);
      deepStrictEqual(problems, ['self FS_LINK_LOOP']);
      await failsWith('FS_LINK_LOOP', () => fs.readText('self'), 'self');
      await failsWith('FS_LINK_LOOP', () => fs.write('self/x', 'x'), 'self/x');
      strictEqual((await fs.readText('d/up/d/up/d/a')).text, 'x');
    },
  },
  {
    name: 'removes and moves links, not what they lead to',
    needs: ['link'],
    async run({ fs, outside }) {
      await outside.put('real/a', utf8('x'));
      await outside.link?.('l', 'real');
      await outside.link?.('dangling', 'nowhere');
      await fs.move('l', 'm');
      strictEqual((await fs.readText('m/a')).text, 'x');
      await fs.remove('m', { recursive: true });
      await fs.remove('dangling');
      deepStrictEqual(await walked(fs, '.'), ['real/', 'real/a']);
    },
  },
  {
    name: 'makes nothing through a link that leads nowhere',
    needs: ['link'],
    async run({ fs, outside }) {
      await outside.link?.('l', 'nowhere');
      strictEqual((await fs.stat('l'))?.type, 'other');
      await failsWith('FS_NOT_FOUND', () => fs.readText('l'), 'l');
      await failsWith('FS_NOT_REGULAR', () => fs.write('l', 'x'), 'l');
      await failsWith('FS_NOT_REGULAR', () => fs.write('l', 'x', { ifVersion: null }), 'l');
      deepStrictEqual((await fs.list('.')).map(({ name, type, problem }) => [name, type, problem]), [['l', 'other', 'FS_NOT_FOUND']]);
    },
  },
];
