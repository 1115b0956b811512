import { createContext, type Context } from '@sluice/core-context';
import type { FileSystem, FsRange, FsText } from '@sluice/fs';
import { fsMemory, MemoryVolume } from '@sluice/fs-memory';
import { describePlugin } from '@sluice/testing';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import policyDefault, { fsObservationPolicy, type FsObservationPolicyConfig } from '../src/index.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const opened: Context[] = [];
afterEach(async () => {
  for (const ctx of opened.splice(0)) await ctx.dispose();
});

interface World {
  readonly ctx: Context;
  readonly fs: FileSystem;
  readonly volume: MemoryVolume;
  text(path: string): string;
}

function aWorld(config: Partial<FsObservationPolicyConfig> = {}, files: Record<string, string | Uint8Array> = {}): World {
  const volume = new MemoryVolume(files);
  const ctx = createContext({ logger: silent });
  opened.push(ctx);
  ctx.plugin(fsMemory, { volume });
  ctx.plugin(fsObservationPolicy, config);
  return { ctx, fs: ctx.fs, volume, text: (path) => new TextDecoder().decode(volume.files()[path]) };
}

/** Reads as a tool does that shows all of a file, or a part of it. */
async function read(fs: FileSystem, path: string, seen: 'all' | FsRange[] = 'all', withContent = true): Promise<FsText> {
  const file = await fs.readText(path);
  fs.observe({ path: file.path, key: file.key, version: file.version, how: 'read', seen, ...(withContent ? { content: file.text } : {}) });
  return file;
}

/** Edits as a tool does that looks at the file by itself. */
async function edit(fs: FileSystem, path: string, from: string, to: string): Promise<unknown> {
  const { text, version } = await fs.readText(path);
  const start = text.indexOf(from);
  return fs.edit(path, [{ start, end: start + from.length, text: to }], { ifVersion: version });
}

const unread = { code: 'FS_NOT_OBSERVED' };
const stale = { code: 'FS_STALE' };

describePlugin(() => fsObservationPolicy, {
  setup(ctx) {
    ctx.plugin(fsMemory, { files: { a: 'one' } });
  },
  async proof(ctx) {
    const denied = await ctx.fs.write('a', 'two').then(() => false, (error: unknown) => (error as { code?: string }).code === 'FS_NOT_OBSERVED');
    if (!denied) throw new Error('an overwrite of what was not read was let through');
  },
});

describe('a file that was not read', () => {
  it('is neither overwritten nor edited, and the remedy is told [S11.3, S11.4]', async () => {
    const { fs, text } = aWorld({}, { 'dir/a': 'one' });
    await expect(fs.write('dir/a', 'x')).rejects.toMatchObject({
      ...unread, message: 'cannot write "dir/a": it exists already, and has not been read', hint: 'Read all of it first, then repeat the change; or choose another name.',
    });
    await expect(edit(fs, 'dir/a', 'one', 'x')).rejects.toMatchObject({ ...unread, message: 'cannot edit "dir/a": it has not been read', hint: 'Read it first, then repeat the change.' });
    expect(text('dir/a')).toBe('one');
    await read(fs, 'dir/a');
    await fs.write('dir/a', 'x');
    expect(text('dir/a')).toBe('x');
  });

  it('is not taken for read because it was looked at, listed or read without being shown', async () => {
    const { fs } = aWorld({}, { a: 'one' });
    const { key, version } = await fs.readText('a');
    await fs.stat('a');
    await fs.list('.');
    fs.observe({ path: 'a', key, version, how: 'read', seen: [] });
    fs.observe({ path: 'a', key, version, how: 'read' });
    fs.observe({ path: 'a', key, version, how: 'read', seen: [{ start: 2, end: 1 }, { start: Number.NaN, end: 3 }] });
    await expect(fs.write('a', 'x')).rejects.toMatchObject(unread);
  });

  it('can be created, removed, moved and made a directory beside [S11.3]', async () => {
    const { fs, text } = aWorld({}, { old: 'x', gone: 'x' });
    await fs.write('new', 'one');
    await fs.write('deep/new', new Uint8Array([1, 0]), { ifVersion: null });
    await fs.mkdir('d');
    await fs.move('old', 'd/old');
    await fs.remove('gone');
    expect([text('new'), text('d/old')]).toEqual(['one', 'x']);
  });

  it('is not overwritten by a move either', async () => {
    const { fs, text } = aWorld({}, { a: 'A', b: 'B' });
    await expect(fs.move('a', 'b', { overwrite: true })).rejects.toMatchObject(unread);
    expect(text('b')).toBe('B');
    await read(fs, 'b');
    await fs.move('a', 'b', { overwrite: true });
    expect(text('b')).toBe('A');
  });

  it('that comes to be while its creation is decided is not overwritten', async () => {
    const { ctx, fs, volume, text } = aWorld();
    ctx.on('fs/write-intent', (_intent, next) => {
      volume.put('a', 'theirs');
      return next();
    });
    await expect(fs.write('a', 'mine')).rejects.toMatchObject({ code: 'FS_EXISTS' });
    expect(text('a')).toBe('theirs');
  });
});

describe('a file that was read', () => {
  it('is stale when another program has changed it, until it is read again [S11.9, H025]', async () => {
    const { fs, volume, text } = aWorld({}, { a: 'v1\n' });
    await read(fs, 'a');
    volume.put('a', 'v2-by-human\n');
    await expect(fs.write('a', 'v3')).rejects.toMatchObject({ ...stale, message: 'cannot write "a": it has changed since it was read', hint: expect.stringContaining('Read it again') as string });
    await expect(edit(fs, 'a', 'human', 'x')).rejects.toMatchObject(stale);
    expect(text('a')).toBe('v2-by-human\n');
    await read(fs, 'a');
    await fs.write('a', 'v3');
    expect(text('a')).toBe('v3');
  });

  it.each([true, false])('is not stale when only its version has changed (content told: %s) [S11.W]', async (withContent) => {
    const { fs, volume, text } = aWorld({}, { a: 'one\r\n', b: new Uint8Array([0xef, 0xbb, 0xbf, 0x61]) });
    for (const path of ['a', 'b']) {
      const { version } = await read(fs, path, 'all', withContent);
      // What was not told is read in the background.
      for (let i = 0; i < 50; i += 1) await Promise.resolve();
      volume.put(path, volume.files()[path] as Uint8Array);
      expect((await fs.stat(path))?.version).not.toBe(version);
      await edit(fs, path, path === 'a' ? 'one' : 'a', 'two');
      volume.put(path, volume.files()[path] as Uint8Array);
      await fs.write(path, 'three');
      expect(text(path)).toBe('three');
    }
  });

  it('is held to the content that was decided on', async () => {
    const { ctx, fs, volume, text } = aWorld({}, { a: 'one' });
    await read(fs, 'a');
    ctx.on('fs/write-intent', (_intent, next) => {
      volume.put('a', 'meanwhile');
      return next();
    });
    await expect(fs.write('a', 'mine')).rejects.toMatchObject(stale);
    expect(text('a')).toBe('meanwhile');
  });

  it('can be changed again and again without being read again [S11.6]', async () => {
    const { fs, text } = aWorld();
    await fs.write('a', 'one two three');
    await edit(fs, 'a', 'two', '2');
    await edit(fs, 'a', 'three', '3');
    await fs.write('a', 'all new');
    await edit(fs, 'a', 'all', 'still');
    await fs.move('a', 'b');
    await edit(fs, 'b', 'new', 'the same');
    expect(text('b')).toBe('still the same');
    await fs.remove('b');
    await fs.write('b', 'created again');
    expect(text('b')).toBe('created again');
  });

  it('in a part may be changed in that part, and not as a whole [S11.7, S11.W]', async () => {
    const lines = Array.from({ length: 10 }, (_, i) => `line ${i}\n`);
    const { fs, text } = aWorld({}, { a: lines.join('') });
    await read(fs, 'a', [{ start: 14, end: 28 }]);
    await expect(fs.write('a', 'x')).rejects.toMatchObject({ ...unread, message: 'cannot write "a": it has been read in part only, and would be replaced as a whole' });
    await expect(edit(fs, 'a', 'line 5', 'x')).rejects.toMatchObject({ ...unread, message: 'cannot edit "a": it has not been read where it would be changed' });
    await expect(edit(fs, 'a', '3\nline 4', 'x')).rejects.toMatchObject(unread);
    await edit(fs, 'a', 'line 2', 'a longer line 2');
    await edit(fs, 'a', 'line 3', '3');
    await expect(edit(fs, 'a', 'line 4', 'x')).rejects.toMatchObject(unread);
    await expect(edit(fs, 'a', 'line 0', 'x')).rejects.toMatchObject(unread);
    await read(fs, 'a', [{ start: 0, end: 20 }]);
    await edit(fs, 'a', 'line 0', '0');
    expect(text('a')).toBe(`0\nline 1\na longer line 2\n3\n${lines.slice(4).join('')}`);
    const { length } = (await fs.readText('a')).text;
    await read(fs, 'a', [{ start: 10, end: length }]);
    await fs.write('a', 'all of it was seen, in parts');
  });

  it('in a part counts as a whole where that is asked for', async () => {
    const { fs, text } = aWorld({ coverage: 'any' }, { a: 'one two' });
    await expect(fs.write('a', 'x')).rejects.toMatchObject(unread);
    await read(fs, 'a', [{ start: 0, end: 1 }]);
    await edit(fs, 'a', 'two', '2');
    await fs.write('a', 'x');
    expect(text('a')).toBe('x');
  });

  it('in parts of two contents has not been read', async () => {
    const { fs, volume } = aWorld({}, { a: 'abcdef' });
    await read(fs, 'a', [{ start: 0, end: 3 }]);
    volume.put('a', 'uvwxyz');
    await read(fs, 'a', [{ start: 3, end: 6 }]);
    await expect(edit(fs, 'a', 'uvw', 'x')).rejects.toMatchObject(unread);
    await edit(fs, 'a', 'xyz', '!');
  });

  it('and is empty has been read', async () => {
    const { fs, text } = aWorld({}, { a: '' });
    await read(fs, 'a', []);
    await fs.write('a', 'x');
    expect(text('a')).toBe('x');
  });

  it('as a picture is not overwritten with text [S11.W]', async () => {
    const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1]);
    const { fs, volume } = aWorld({}, { 'a.png': bytes });
    const { key, version } = await fs.readRange('a.png');
    fs.observe({ path: 'a.png', key, version, how: 'read', seen: 'all', content: bytes });
    await expect(fs.write('a.png', 'text')).rejects.toMatchObject({ ...unread, message: 'cannot write "a.png": it is no text, and text would replace it' });
    volume.put('a.png', bytes);
    await fs.write('a.png', new Uint8Array([1, 0, 2]));
  });

  it('is known by every path that leads to it', async () => {
    const { fs, volume, text } = aWorld({}, { 'real/a': 'one' });
    volume.link('l', 'real');
    await read(fs, 'l/a');
    await fs.write('real/../real/a', 'two');
    expect(text('real/a')).toBe('two');
  });
});

describe('what is known', () => {
  it('is each scope\'s own [S11.8]', async () => {
    const { ctx } = aWorld({}, { a: 'one' });
    const [one, other] = [ctx.scope('one'), ctx.scope('other')];
    await read(one.fs, 'a');
    await expect(other.fs.write('a', 'x')).rejects.toMatchObject(unread);
    await expect(ctx.fs.write('a', 'x')).rejects.toMatchObject(unread);
    await expect(one.scope('below').fs.write('a', 'x')).rejects.toMatchObject(unread);
    await read(other.fs, 'a');
    await one.fs.write('a', 'mine');
    await expect(other.fs.write('a', 'x')).rejects.toMatchObject(stale);
    await one.dispose();
    const again = ctx.scope('one');
    await expect(again.fs.write('a', 'x')).rejects.toMatchObject(unread);
  });

  it('is bounded: the files that were longest not used have to be read again [S11.W]', async () => {
    const { fs } = aWorld({ maxFiles: 3 });
    for (const path of ['a', 'b', 'c']) await fs.write(path, path);
    await fs.write('a', 'again');
    await fs.write('d', 'd');
    await expect(fs.write('b', 'x')).rejects.toMatchObject(unread);
    for (const path of ['a', 'c', 'd']) await fs.write(path, 'x');
  });

  it('of a file that is too large to compare is its version', async () => {
    const { fs, volume } = aWorld({ maxBytes: 4 }, { a: '12345' });
    await read(fs, 'a');
    await fs.write('a', '54321');
    volume.put('a', '54321');
    await expect(fs.write('a', 'x')).rejects.toMatchObject(stale);
  });

  it('ends with the plugin, as the denials do [S11.11]', async () => {
    const { ctx, fs, text } = aWorld({}, { a: 'one' });
    expect(policyDefault).toBe(fsObservationPolicy);
    const second = ctx.plugin(fsObservationPolicy);
    await read(fs, 'a');
    await second.dispose();
    const node = ctx.inspect();
    const policy = node.children.find(({ name }) => name === 'fs-observation-policy');
    expect(policy?.status).toBe('active');
    await fs.write('a', 'two');
    expect(text('a')).toBe('two');
    const bare = createContext({ logger: silent });
    opened.push(bare);
    bare.plugin(fsMemory, { files: { a: 'one' } });
    const handle = bare.plugin(fsObservationPolicy);
    await expect(bare.fs.write('a', 'x')).rejects.toMatchObject(unread);
    await handle.dispose();
    await bare.fs.write('a', 'x');
    expect(bare.inspect().counts.listeners).toBe(0);
  });

  it('leaves the last word to other policies [S11.5]', async () => {
    const { ctx, fs } = aWorld({}, { a: 'one' });
    await read(fs, 'a');
    ctx.on('fs/write-intent', () => ({ kind: 'deny', reason: 'is for others' }));
    await expect(fs.write('a', 'x')).rejects.toMatchObject({ code: 'FS_DENIED' });
    await expect(fs.write('new', 'x')).rejects.toMatchObject({ code: 'FS_DENIED' });
  });

  it('is asked for with the signal of the change', async () => {
    const { fs, volume } = aWorld({}, { a: 'one' });
    await read(fs, 'a');
    volume.put('a', 'one');
    const controller = new AbortController();
    const change = fs.write('a', 'x', { signal: controller.signal });
    controller.abort();
    await expect(change).rejects.toMatchObject({ code: 'FS_CANCELLED' });
  });
});

describe('over any history of reads, changes and changes by others', () => {
  const path = fc.constantFrom('a', 'b');
  const step = fc.oneof(
    fc.record({ do: fc.constant('read' as const), path, start: fc.nat(12), length: fc.nat(12) }),
    fc.record({ do: fc.constant('edit' as const), path, start: fc.nat(12), length: fc.nat(3), text: fc.string({ unit: fc.constantFrom('x', 'y', 'z'), maxLength: 4 }) }),
    fc.record({ do: fc.constant('write' as const), path, text: fc.string({ unit: fc.constantFrom('x', 'y', 'z'), maxLength: 12 }) }),
    fc.record({ do: fc.constant('other' as const), path, text: fc.string({ unit: fc.constantFrom('p', 'q'), maxLength: 12 }) }),
    fc.record({ do: fc.constant('touch' as const), path }),
  );

  it('no code unit is replaced that was not seen as it is, and whatever was seen may be changed', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
      const { fs, volume, text, ctx } = aWorld({}, { a: 'aaaaaaaaaaaa', b: 'bbbbbb' });
      // The model: of the content that was seen last, which code units were. Others may bring that content back.
      const seen = new Map<string, { content: string; units: boolean[] }>();
      const remember = (path_: string, units: boolean[]): void => { seen.set(path_, { content: text(path_), units }); };
      for (const each of steps) {
        const now = text(each.path);
        const last = seen.get(each.path);
        const known = last?.content === now ? last.units : undefined;
        if (each.do === 'other' && each.text !== now) {
          volume.put(each.path, each.text);
        } else if (each.do === 'touch') volume.put(each.path, now);
        else if (each.do === 'read') {
          const start = Math.min(each.start, now.length);
          const end = Math.min(start + each.length, now.length);
          await read(fs, each.path, [{ start, end }]);
          if (end > start || now === '') remember(each.path, Array.from(now, (_, i) => known?.[i] === true || (i >= start && i < end)));
        } else if (each.do === 'write') {
          const mayBe = known?.every(Boolean) === true;
          const done = await fs.write(each.path, each.text).then(() => true, () => false);
          expect(done).toBe(mayBe);
          if (done) remember(each.path, Array.from(each.text, () => true));
        } else if (each.do === 'edit') {
          const start = Math.min(each.start, now.length);
          const end = Math.min(start + each.length, now.length);
          const { version } = await fs.readText(each.path);
          const done = await fs.edit(each.path, [{ start, end, text: each.text }], { ifVersion: version }).then(() => true, () => false);
          // What an edit leaves is read in the background.
          for (let i = 0; i < 50; i += 1) await Promise.resolve();
          const isSeen = known?.slice(start, end).every(Boolean) === true;
          const isAtEdge = known !== undefined && (known[start - 1] === true || known[start] === true || known.every(Boolean));
          // A place where nothing is left of what was seen is known, too.
          if (end > start) expect(done).toBe(isSeen);
          else if (isAtEdge) expect(done).toBe(true);
          else if (known === undefined) expect(done).toBe(false);
          if (done) remember(each.path, [...(known ?? []).slice(0, start), ...Array.from(each.text, () => true), ...(known ?? []).slice(end)]);
        }
      }
      await ctx.dispose();
    }), { numRuns: 200 });
  });
});
