import { deepStrictEqual, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { failsWith, samples, textOf, utf8, type FileSystemCheck } from './world.ts';

const marked = (text: string): Uint8Array => new Uint8Array([0xef, 0xbb, 0xbf, ...utf8(text)]);

/** Tries again when somebody else was first, but not for ever: of those who try at once, one always wins. */
async function untilFresh(change: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await change();
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== 'FS_STALE' || attempt === 200) throw error;
    }
  }
}

export const writing: readonly FileSystemCheck[] = [
  {
    name: 'creates and replaces files as a whole, making directories, and says which it was',
    async run({ fs, outside }) {
      const made = await fs.write('new/dir/a.txt', 'one\n');
      deepStrictEqual([made.path, made.isNew, made.size, made.format], ['new/dir/a.txt', true, 4, { encoding: 'utf-8', hasBom: false }]);
      const replaced = await fs.write('new/dir/a.txt', 'a longer text');
      deepStrictEqual([replaced.isNew, replaced.size, replaced.key], [false, 13, made.key]);
      strictEqual(textOf(await outside.bytes('new/dir/a.txt')), 'a longer text');
      const shorter = await fs.write('new/dir/a.txt', '');
      deepStrictEqual([shorter.size, (await outside.bytes('new/dir/a.txt'))?.length], [0, 0]);
    },
  },
  {
    name: 'writes literally what it is given',
    async run({ fs, outside }) {
      const text = "$& $1 $$ $` $' \\n %s \r\n lone\r tab\t é 😀 \u2028";
      await fs.write('a', text);
      strictEqual(textOf(await outside.bytes('a')), text);
      const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
      const written = await fs.write('b', bytes);
      deepStrictEqual([[...((await outside.bytes('b')) ?? [])], written.format], [[...bytes], undefined]);
    },
  },
  {
    name: 'keeps encoding and byte order mark of the file that text replaces',
    async run({ fs, outside }) {
      await outside.put('a', marked('old'));
      deepStrictEqual((await fs.write('a', 'né')).format, { encoding: 'utf-8', hasBom: true });
      deepStrictEqual(await outside.bytes('a'), marked('né'));
      await outside.put('a', samples['utf-16be'] as Uint8Array);
      deepStrictEqual((await fs.write('a', 'b')).format, { encoding: 'utf-16be', hasBom: true });
      deepStrictEqual([...((await outside.bytes('a')) ?? [])], [0xfe, 0xff, 0, 0x62]);
      await outside.put('a', new Uint8Array([0xff, 0xfe, 0x00]));
      deepStrictEqual((await fs.write('a', 'b')).format, { encoding: 'utf-8', hasBom: false });
      deepStrictEqual([...((await outside.bytes('a')) ?? [])], [0x62]);
    },
  },
  {
    name: 'takes a byte order mark that is asked for, in the text or as a format, once',
    async run({ fs, outside }) {
      await fs.write('a', '\ufeffx');
      deepStrictEqual(await outside.bytes('a'), marked('x'));
      await fs.write('a', '\ufeffy');
      deepStrictEqual(await outside.bytes('a'), marked('y'));
      await fs.write('a', 'z', { format: { encoding: 'utf-8', hasBom: false } });
      strictEqual(textOf(await outside.bytes('a')), 'z');
      await fs.write('a', 'z', { format: { encoding: 'utf-16le', hasBom: true } });
      deepStrictEqual([...((await outside.bytes('a')) ?? [])], [0xff, 0xfe, 0x7a, 0]);
    },
  },
  {
    name: 'refuses text that no reader would get back, and leaves the file',
    async run({ fs, outside }) {
      await outside.put('a', utf8('old'));
      for (const text of ['a\0b', 'half \ud83d', '\ude00 half']) {
        await failsWith('FS_BAD_TEXT', () => fs.write('a', text), 'a');
        await failsWith('FS_BAD_TEXT', () => fs.write('b', text), 'b');
      }
      strictEqual(textOf(await outside.bytes('a')), 'old');
      strictEqual(await outside.bytes('b'), undefined);
    },
  },
  {
    name: 'creates only what is not there when told so',
    async run({ fs, outside }) {
      await fs.write('a', 'mine', { ifVersion: null });
      await failsWith('FS_EXISTS', () => fs.write('a', 'other', { ifVersion: null }), 'a');
      strictEqual(textOf(await outside.bytes('a')), 'mine');
    },
  },
  {
    name: 'replaces only the version it is told, and nothing when that is gone',
    async run({ fs, outside }) {
      await outside.put('a', utf8('one'));
      const { version } = await fs.readText('a');
      const second = await fs.write('a', 'two', { ifVersion: version });
      await failsWith('FS_STALE', () => fs.write('a', 'three', { ifVersion: version }), 'a');
      await outside.put('a', utf8('from elsewhere'));
      await failsWith('FS_STALE', () => fs.write('a', 'three', { ifVersion: second.version }), 'a');
      strictEqual(textOf(await outside.bytes('a')), 'from elsewhere');
      const { version: third } = await fs.readText('a');
      await outside.remove('a');
      await failsWith('FS_STALE', () => fs.write('a', 'three', { ifVersion: third }), 'a');
      await failsWith('FS_STALE', () => fs.edit('a', [{ start: 0, end: 0, text: 'x' }], { ifVersion: third }), 'a');
      strictEqual(await outside.bytes('a'), undefined);
    },
  },
  {
    name: 'lets one of many win that change the same version at once, and loses none',
    async run({ fs, outside }) {
      await outside.put('n', utf8('0'));
      const bump = async (): Promise<void> => {
        await untilFresh(async () => {
          const { text, version } = await fs.readText('n');
          await fs.write('n', String(Number(text) + 1), { ifVersion: version });
        });
      };
      await Promise.all(Array.from({ length: 20 }, bump));
      strictEqual(textOf(await outside.bytes('n')), '20');
      const creations = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => fs.write('made', String(i), { ifVersion: null })));
      strictEqual(creations.filter(({ status }) => status === 'fulfilled').length, 1);
      const winner = creations.findIndex(({ status }) => status === 'fulfilled');
      strictEqual(textOf(await outside.bytes('made')), String(winner));
    },
  },
  {
    name: 'makes unconditional changes of one file in the order they were asked for',
    async run({ fs, outside }) {
      await Promise.all(Array.from({ length: 20 }, (_, i) => fs.write('a', `${i} ${'x'.repeat(10_000 - 400 * i)}`)));
      ok(textOf(await outside.bytes('a'))?.startsWith('19 '));
    },
  },
  {
    name: 'says of what cannot be written why, and writes nothing',
    async run({ fs, outside }) {
      await outside.put('dir/a', utf8('x'));
      await failsWith('FS_IS_DIRECTORY', () => fs.write('dir', 'x'), 'dir');
      await failsWith('FS_IS_DIRECTORY', () => fs.write('.', 'x'), '.');
      await failsWith('FS_IS_DIRECTORY', () => fs.write('dir', 'x', { ifVersion: null }), 'dir');
      await failsWith('FS_NOT_DIRECTORY', () => fs.write('dir/a/b', 'x'), 'dir/a/b');
      strictEqual(textOf(await outside.bytes('dir/a')), 'x');
    },
  },
  {
    name: 'does not overwrite a file that is read-only',
    needs: ['putReadOnly'],
    async run({ fs, outside }) {
      await outside.putReadOnly?.('a', utf8('kept'));
      strictEqual((await fs.stat('a'))?.isReadOnly, true);
      const { version } = await fs.readText('a');
      await failsWith('FS_READ_ONLY', () => fs.write('a', 'x'), 'a');
      await failsWith('FS_READ_ONLY', () => fs.edit('a', [{ start: 0, end: 1, text: 'x' }], { ifVersion: version }), 'a');
      strictEqual(textOf(await outside.bytes('a')), 'kept');
    },
  },
  {
    name: 'replaces spans and leaves every other byte, in any encoding',
    async run({ fs, outside }) {
      for (const [name, bytes] of Object.entries(samples)) {
        await outside.put('a', bytes);
        const { text, version, encoding, hasBom } = await fs.readText('a');
        const end = text.length;
        const edited = await fs.edit('a', [{ start: 0, end: 0, text: '<' }, { start: end, end, text: '>' }], { ifVersion: version });
        notStrictEqual(edited.version, version);
        deepStrictEqual([edited.isNew, edited.format], [false, { encoding, hasBom }], name);
        const unit = encoding === 'utf-8' ? 1 : 2;
        const mark = hasBom ? (unit === 1 ? 3 : 2) : 0;
        const after = [...((await outside.bytes('a')) ?? [])];
        deepStrictEqual(after.slice(0, mark), [...bytes.subarray(0, mark)], name);
        deepStrictEqual(after.slice(mark + unit, after.length - unit), [...bytes.subarray(mark)], name);
        strictEqual((await fs.readText('a')).text, `<${text}>`);
        await fs.edit('a', [{ start: 0, end: 1, text: '' }, { start: end + 1, end: end + 2, text: '' }], { ifVersion: edited.version });
        deepStrictEqual([...((await outside.bytes('a')) ?? [])], [...bytes], name);
      }
    },
  },
  {
    name: 'replaces several spans of one version, adjacent and empty ones too, literally',
    async run({ fs, outside }) {
      await outside.put('a', utf8('0123456789'));
      const { version } = await fs.readText('a');
      await fs.edit('a', [{ start: 0, end: 2, text: '$&' }, { start: 2, end: 2, text: '[' }, { start: 2, end: 2, text: ']' }, { start: 5, end: 6, text: '' }, { start: 10, end: 10, text: '\r\n' }], { ifVersion: version });
      strictEqual(textOf(await outside.bytes('a')), '$&[]2346789\r\n');
    },
  },
  {
    name: 'refuses spans that do not fit, and changes nothing',
    async run({ fs, outside }) {
      await outside.put('a', utf8('a😀b'));
      const { version } = await fs.readText('a');
      const bad = [
        [], [{ start: -1, end: 0 }], [{ start: 0, end: 5 }], [{ start: 2, end: 1 }], [{ start: 0.5, end: 1 }], [{ start: 2, end: 3 }], [{ start: 0, end: 2 }],
        [{ start: 0, end: 1 }, { start: 0, end: 1 }], [{ start: 3, end: 4 }, { start: 0, end: 1 }],
      ];
      for (const spans of bad) await failsWith('FS_BAD_EDIT', () => fs.edit('a', spans.map((span) => ({ ...span, text: 'x' })), { ifVersion: version }), 'a');
      await failsWith('FS_BAD_TEXT', () => fs.edit('a', [{ start: 0, end: 0, text: '\0' }], { ifVersion: version }), 'a');
      await failsWith('FS_BAD_TEXT', () => fs.edit('a', [{ start: 0, end: 0, text: '\ud83d' }], { ifVersion: version }), 'a');
      strictEqual((await fs.readText('a')).version, version);
    },
  },
  {
    name: 'edits the version that the spans were made for, and only text',
    async run({ fs, outside }) {
      await outside.put('a', utf8('one'));
      const { version } = await fs.readText('a');
      await outside.put('a', utf8('two'));
      await failsWith('FS_STALE', () => fs.edit('a', [{ start: 0, end: 3, text: 'x' }], { ifVersion: version }), 'a');
      strictEqual(textOf(await outside.bytes('a')), 'two');
      await outside.put('b', new Uint8Array([1, 0, 2]));
      const binary = await fs.readRange('b');
      await failsWith(['FS_BINARY', 'FS_ENCODING'], () => fs.edit('b', [{ start: 0, end: 0, text: 'x' }], { ifVersion: binary.version }), 'b');
      await fs.mkdir('dir');
      await failsWith('FS_IS_DIRECTORY', () => fs.edit('dir', [{ start: 0, end: 0, text: 'x' }], { ifVersion: binary.version }), 'dir');
    },
  },
  {
    name: 'loses no edit of many callers that read again when they were too late',
    async run({ fs, outside }) {
      await outside.put('a', utf8(Array.from({ length: 40 }, (_, i) => `line ${i}\r\n`).join('')));
      const edit = async (i: number): Promise<void> => {
        await untilFresh(async () => {
          const { text, version } = await fs.readText('a');
          const start = text.indexOf(`line ${i}\r`);
          await fs.edit('a', [{ start, end: start + `line ${i}`.length, text: `LINE ${i}` }], { ifVersion: version });
        });
      };
      await Promise.all(Array.from({ length: 40 }, (_, i) => edit(i)));
      strictEqual(textOf(await outside.bytes('a')), Array.from({ length: 40 }, (_, i) => `LINE ${i}\r\n`).join(''));
    },
  },
];
