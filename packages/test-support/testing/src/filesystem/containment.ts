import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { FileSystem } from '@sluice/fs';
import { failsWith, textOf, utf8, type FileSystemCheck } from './world.ts';

/** Everything that can be done with a path, in one list: containment holds for all of it. */
function everything(fs: FileSystem, path: string): (() => Promise<unknown>)[] {
  return [
    () => fs.readText(path),
    () => fs.readRange(path, { length: 1 }),
    () => fs.list(path),
    () => fs.walk(path)[Symbol.asyncIterator]().next(),
    () => fs.write(path, 'x'),
    () => fs.write(path, 'x', { ifVersion: null }),
    () => fs.edit(path, [{ start: 0, end: 0, text: 'x' }], { ifVersion: 'any' }),
    () => fs.mkdir(path),
    () => fs.move('inside', path, { overwrite: true }),
  ];
}
/** These look at a link itself, so that one which leads out can be removed: only paths that lead through it are out of reach. */
const lookingAtLinks = (fs: FileSystem, path: string): (() => Promise<unknown>)[] => [() => fs.stat(path), () => fs.remove(path, { recursive: true }), () => fs.move(path, 'moved')];

export const containment: readonly FileSystemCheck[] = [
  {
    name: 'refuses every operation on a path that leads out of the workspace',
    async run({ fs, outside, root }) {
      await outside.put('inside', utf8('x'));
      const name = root.slice(root.lastIndexOf('/') + 1);
      const paths = ['..', '../x', 'a/../../x', '../..', 'inside/../../x', `../${name}-evil/x`, `${root}-evil/x`, `${root}/../x`, '/', '/etc/passwd', `${root}/..`, '//etc/passwd'];
      for (const path of paths) {
        for (const operation of [...everything(fs, path), ...lookingAtLinks(fs, path), () => fs.resolve(path)]) await failsWith('FS_OUTSIDE_WORKSPACE', operation);
      }
      strictEqual((await fs.readText(`../${name}/inside`).catch(() => undefined))?.text, undefined);
      strictEqual(textOf(await outside.bytes('inside')), 'x');
    },
  },
  {
    name: 'refuses what is no path',
    async run({ fs, outside }) {
      await outside.put('inside', utf8('x'));
      for (const path of ['', ' ', 'a\0', 'inside\0/../../x', '\ud83d']) {
        for (const operation of [...everything(fs, path), ...lookingAtLinks(fs, path), () => fs.resolve(path)]) await failsWith('FS_BAD_PATH', operation);
      }
    },
  },
  {
    name: 'takes names that only look like a way out',
    async run({ fs }) {
      for (const path of ['...', '..a', 'a..', '.. ', '~/x', '%2e%2e', 'a\tb', '-rf', '*']) {
        await fs.write(path, path);
        strictEqual((await fs.readText(path)).text, path);
      }
    },
  },
  {
    name: 'refuses every operation through a link that leads out, also for what does not exist there',
    needs: ['link'],
    async run({ fs, outside, elsewhere = '/elsewhere', root }) {
      await outside.put('inside', utf8('x'));
      await outside.link?.('out', elsewhere);
      await outside.link?.('file', `${elsewhere}/canary.txt`);
      await outside.link?.('new', `${elsewhere}/new.txt`);
      await outside.link?.('d/up', '../..');
      await outside.link?.('chain', 'out');
      await outside.link?.('evil', `${root}-evil`);
      const through = ['out/canary.txt', 'out/new.txt', 'out/a/b/new.txt', 'd/up/x', 'chain/canary.txt', 'evil/x'];
      for (const path of through) for (const operation of [...everything(fs, path), ...lookingAtLinks(fs, path)]) await failsWith('FS_OUTSIDE_WORKSPACE', operation);
      for (const path of ['out', 'file', 'new', 'd/up', 'chain', 'evil']) {
        // A move replaces the link that is in its way, as it would a file; it writes through none.
        for (const operation of everything(fs, path).slice(0, -1)) await failsWith('FS_OUTSIDE_WORKSPACE', operation, path);
        const stat = await fs.stat(path);
        deepStrictEqual([stat?.type, stat?.isLink], ['other', true]);
      }
      const entries = await fs.list('.');
      for (const name of ['out', 'file', 'new', 'chain', 'evil']) {
        const entry = entries.find((each) => each.name === name);
        deepStrictEqual([entry?.type, entry?.isLink, entry?.problem], ['other', true, 'FS_OUTSIDE_WORKSPACE'], name);
      }
      for await (const { path } of fs.walk('.')) ok(!path.startsWith('out/') && !path.includes('canary.txt'));
      await fs.remove('out', { recursive: true });
      strictEqual(await fs.stat('out'), undefined);
    },
  },
  {
    name: 'reaches nothing outside, whatever path and links are put together',
    needs: ['link'],
    async run({ fs, outside, elsewhere = '/elsewhere' }) {
      const random = seeded(20_260_101);
      const names = ['a', 'b', 'c', '..', '.', 'l1', 'l2', 'l3'];
      const path = (): string => Array.from({ length: 1 + random(5) }, () => names[random(names.length)]).join('/');
      const targets = [elsewhere, '..', '../..', '../../..', 'a', 'b/c', '../b', `${elsewhere}/canary.txt`, '.', 'l1', 'l2'];
      for (const [name, at] of [['l1', ''], ['l2', 'a/'], ['l3', 'b/c/']] as const) await outside.link?.(`${at}${name}`, targets[random(targets.length)] as string);
      for (let i = 0; i < 300; i += 1) {
        const chosen = path();
        await Promise.allSettled([
          random(2) === 0 ? fs.write(chosen, 'WRITTEN') : fs.mkdir(chosen),
          fs.readText(chosen).then(({ text }) => { ok(text === 'WRITTEN', `${chosen} gave ${text}`); }),
          random(8) === 0 ? fs.remove(chosen, { recursive: true }) : undefined,
          random(8) === 0 ? fs.move(chosen, path()) : undefined,
        ]).then((results) => {
          for (const each of results) if (each.status === 'rejected' && (each.reason as Error).name === 'AssertionError') throw each.reason as Error;
        });
        if (i % 50 === 0) await outside.link?.(`x${i}`, targets[random(targets.length)] as string);
      }
    },
  },
];

/** Whole numbers below a bound, the same ones each time. Source: mulberry32, by Tommy Ettinger, public domain. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
