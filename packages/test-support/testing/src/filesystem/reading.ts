import { deepStrictEqual, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { failsWith, samples, utf8, type FileSystemCheck } from './world.ts';

export const reading: readonly FileSystemCheck[] = [
  {
    name: 'tells path, type, size and version of a file, and undefined of what is not there',
    async run({ fs, outside }) {
      await outside.put('dir/a.txt', utf8('12345'));
      const stat = await fs.stat('dir/a.txt');
      ok(stat !== undefined);
      strictEqual(stat.path, 'dir/a.txt');
      strictEqual(stat.type, 'file');
      strictEqual(stat.size, 5);
      strictEqual(stat.isLink, false);
      strictEqual(stat.isReadOnly, false);
      ok(stat.mtimeMs > 0 && stat.version !== '' && stat.key !== '');
      strictEqual((await fs.stat('dir'))?.type, 'directory');
      strictEqual((await fs.stat('.'))?.path, '.');
      strictEqual(await fs.stat('none'), undefined);
      strictEqual(await fs.stat('none/below'), undefined);
      strictEqual(await fs.stat('dir/a.txt/below'), undefined);
    },
  },
  {
    name: 'takes a path in any spelling, and gives its normal form',
    async run({ fs, outside, root }) {
      await outside.put('dir/a.txt', utf8('x'));
      for (const spelling of ['dir/a.txt', './dir/a.txt', 'dir//a.txt', 'dir/../dir/./a.txt', 'dir/a.txt/', `${root}/dir/a.txt`, `${root}//dir/a.txt`]) {
        strictEqual((await fs.readText(spelling)).path, 'dir/a.txt', spelling);
        deepStrictEqual(await fs.resolve(spelling), await fs.resolve('dir/a.txt'), spelling);
      }
      for (const spelling of ['.', './', 'dir/..', root, `${root}/`]) strictEqual((await fs.resolve(spelling)).path, '.', spelling);
    },
  },
  {
    name: 'gives what is yet to be made the key that it will have',
    async run({ fs }) {
      const before = await fs.resolve('new/dir/a.txt');
      await fs.write('new/dir/a.txt', 'x');
      deepStrictEqual(await fs.resolve('new/dir/a.txt'), before);
      strictEqual((await fs.stat('new/dir/a.txt'))?.key, before.key);
      notStrictEqual((await fs.resolve('new/dir/b.txt')).key, before.key);
    },
  },
  {
    name: 'keeps a version while content stays, and changes it with every change, by itself or another program',
    async run({ fs, outside }) {
      await outside.put('a', utf8('one'));
      const first = (await fs.readText('a')).version;
      strictEqual((await fs.stat('a'))?.version, first);
      strictEqual((await fs.readRange('a')).version, first);
      await outside.put('a', utf8('two'));
      const second = (await fs.readText('a')).version;
      notStrictEqual(second, first);
      const written = await fs.write('a', 'six');
      notStrictEqual(written.version, second);
      strictEqual((await fs.readText('a')).version, written.version);
    },
  },
  {
    name: 'reads any range of bytes, and nothing past the end',
    async run({ fs, outside }) {
      const bytes = Uint8Array.from({ length: 1_000 }, (_, i) => i % 256);
      await outside.put('b', bytes);
      const whole = await fs.readRange('b');
      deepStrictEqual([whole.size, whole.offset, [...whole.bytes]], [1_000, 0, [...bytes]]);
      for (const [offset, length] of [[0, 0], [0, 1], [999, 1], [990, 100], [1_000, 5], [5_000, 5], [300, 400]] as const) {
        const part = await fs.readRange('b', { offset, length });
        deepStrictEqual([part.offset, part.size, [...part.bytes]], [offset, 1_000, [...bytes.subarray(offset, offset + length)]]);
      }
      deepStrictEqual([...(await fs.readRange('b', { offset: 995 })).bytes], [...bytes.subarray(995)]);
      for (const bad of [{ offset: -1 }, { length: -1 }, { offset: 1.5 }, { offset: Number.NaN }, { length: Infinity }]) {
        await failsWith('FS_BAD_RANGE', () => fs.readRange('b', bad));
      }
    },
  },
  {
    name: 'gives bytes that are the caller\'s own',
    async run({ fs, outside }) {
      await outside.put('b', utf8('abc'));
      (await fs.readRange('b')).bytes.fill(0);
      strictEqual((await fs.readText('b')).text, 'abc');
      const mine = utf8('xyz');
      await fs.write('b', mine);
      mine.fill(0);
      strictEqual((await fs.readText('b')).text, 'xyz');
    },
  },
  {
    name: 'reads only the version that was asked for',
    async run({ fs, outside }) {
      await outside.put('a', utf8('one'));
      const { version } = await fs.readText('a');
      strictEqual((await fs.readText('a', { ifVersion: version })).text, 'one');
      await outside.put('a', utf8('two'));
      await failsWith('FS_STALE', () => fs.readText('a', { ifVersion: version }));
      await failsWith('FS_STALE', () => fs.readRange('a', { ifVersion: version, length: 1 }));
      await outside.remove('a');
      await failsWith('FS_STALE', () => fs.readText('a', { ifVersion: version }));
    },
  },
  {
    name: 'decodes text exactly: encoding, byte order mark and line endings are told, nothing is normalised',
    async run({ fs, outside }) {
      const expected = {
        empty: ['', 'utf-8', false, 'none'],
        lf: ['a\nb\n', 'utf-8', false, 'lf'],
        crlf: ['a\r\nb\r\n', 'utf-8', false, 'crlf'],
        mixed: ['a\r\nb\nc\rd', 'utf-8', false, 'mixed'],
        'utf-8 with a mark': ['né\r\n', 'utf-8', true, 'crlf'],
        'two marks': ['\ufeffa', 'utf-8', true, 'none'],
        'utf-16le': ['a😀\r\n', 'utf-16le', true, 'crlf'],
        'utf-16be': ['a😀\n', 'utf-16be', true, 'lf'],
      } as const;
      for (const [name, [text, encoding, hasBom, lineEndings]] of Object.entries(expected)) {
        const bytes = samples[name] as Uint8Array;
        await outside.put('t', bytes);
        const read = await fs.readText('t');
        deepStrictEqual([read.text, read.encoding, read.hasBom, read.lineEndings, read.size], [text, encoding, hasBom, lineEndings, bytes.length], name);
      }
    },
  },
  {
    name: 'refuses what is no text, and says what it is',
    async run({ fs, outside }) {
      const late = utf8(`${'a'.repeat(20_000)}\0`);
      for (const bytes of [new Uint8Array([0x89, 0x50, 0, 1]), late, new Uint8Array([0xff, 0xfe, 0, 0, 0x61, 0]), new Uint8Array([0xff, 0xfe, 0x61, 0, 0, 0])]) {
        await outside.put('b', bytes);
        await failsWith(['FS_BINARY', 'FS_ENCODING'], () => fs.readText('b'), 'b');
      }
      const others = [[0xe9, 0x74, 0xe9], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98], [0xff, 0xfe, 0x61], [0xff, 0xfe, 0x3d, 0xd8], [0x61, 0, 0x62, 0, 0x63, 0, 0x64, 0]];
      for (const bytes of others) {
        await outside.put('e', new Uint8Array(bytes));
        await failsWith('FS_ENCODING', () => fs.readText('e'), 'e');
        deepStrictEqual([...(await fs.readRange('e')).bytes], bytes);
      }
    },
  },
  {
    name: 'refuses text over the limit, and takes text at it',
    async run({ fs, outside }) {
      await outside.put('a', utf8('12345'));
      strictEqual((await fs.readText('a', { maxBytes: 5 })).text, '12345');
      await failsWith('FS_TOO_LARGE', () => fs.readText('a', { maxBytes: 4 }), 'a');
    },
  },
  {
    name: 'says of what cannot be read why',
    async run({ fs, outside }) {
      await outside.put('dir/a', utf8('x'));
      for (const read of [(path: string) => fs.readText(path), (path: string) => fs.readRange(path)]) {
        await failsWith('FS_NOT_FOUND', () => read('none'), 'none');
        await failsWith('FS_NOT_FOUND', () => read('none/below'), 'none/below');
        await failsWith('FS_NOT_FOUND', () => read('dir/a/below'), 'dir/a/below');
        await failsWith('FS_IS_DIRECTORY', () => read('dir'), 'dir');
        await failsWith('FS_IS_DIRECTORY', () => read('.'), '.');
      }
    },
  },
  {
    name: 'refuses at once what is neither file nor directory',
    needs: ['putSpecial'],
    async run({ fs, outside }) {
      await outside.putSpecial?.('pipe');
      strictEqual((await fs.stat('pipe'))?.type, 'other');
      const began = performance.now();
      await failsWith('FS_NOT_REGULAR', () => fs.readText('pipe'), 'pipe');
      await failsWith('FS_NOT_REGULAR', () => fs.readRange('pipe', { length: 1 }), 'pipe');
      await failsWith('FS_NOT_REGULAR', () => fs.write('pipe', 'x'), 'pipe');
      ok(performance.now() - began < 1_000, 'it waited for the pipe');
    },
  },
  {
    name: 'does nothing once its signal is aborted',
    async run({ fs, outside }) {
      await outside.put('a', utf8('one'));
      const { version } = await fs.readText('a');
      const signal = AbortSignal.abort();
      const operations = [
        () => fs.resolve('a', { signal }), () => fs.stat('a', { signal }), () => fs.readRange('a', { signal }), () => fs.readText('a', { signal }),
        () => fs.list('.', { signal }), () => fs.write('a', 'two', { signal }), () => fs.edit('a', [{ start: 0, end: 1, text: '' }], { ifVersion: version, signal }),
        () => fs.remove('a', { signal }), () => fs.move('a', 'b', { signal }), () => fs.mkdir('d', { signal }), () => fs.walk('.', { signal })[Symbol.asyncIterator]().next(),
      ];
      for (const operation of operations) strictEqual((await failsWith('FS_CANCELLED', operation)).name, 'AbortError');
      deepStrictEqual((await fs.list('.')).map(({ name }) => name), ['a']);
      strictEqual((await fs.readText('a')).version, version);
    },
  },
];
