import { createContext, type Context } from '@sluice/core-context';
import { fileSystemOf, type FileSystem, type FsProvider } from '@sluice/fs';
import { fileSystemChecks } from '@sluice/testing';
import { describe, expect, it } from 'vitest';
import { fsMemory, MemoryVolume } from '../src/index.ts';

/** A provider over the real one that gets one thing wrong. */
type Mistake = (fs: FileSystem) => Partial<FsProvider>;

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const mistakes: Readonly<Record<string, Mistake>> = {
  'writes whatever version is there': (fs) => ({ write: (path, content, { ifVersion, ...options } = {}) => fs.write(path, content, ifVersion === null ? { ifVersion, ...options } : options) }),
  'replaces what should be new': (fs) => ({ write: (path, content, { ifVersion, ...options } = {}) => fs.write(path, content, typeof ifVersion === 'string' ? { ifVersion, ...options } : options) }),
  'loses the byte order mark': (fs) => ({ write: (path, content, options) => fs.write(path, content, { format: { encoding: 'utf-8', hasBom: false }, ...options }) }),
  'edits another version': (fs) => ({ edit: async (path, spans, options) => fs.edit(path, spans, { ...options, ifVersion: (await fs.readText(path)).version }) }),
  'normalises line endings in edits': (fs) => ({
    edit: async (path, spans, options) => {
      const done = await fs.edit(path, spans, options);
      const { text } = await fs.readText(path);
      return text.includes('\r\n') ? fs.write(path, text.replaceAll('\r\n', '\n')) : done;
    },
  }),
  'takes a replacement for a template': (fs) => ({ edit: (path, spans, options) => fs.edit(path, spans.map((span) => ({ ...span, text: span.text.replaceAll('$&', '') })), options) }),
  'hides the byte order mark': (fs) => ({ readText: async (path, options) => ({ ...(await fs.readText(path, options)), hasBom: false }) }),
  'reads past the length': (fs) => ({ readRange: (path, options = {}) => fs.readRange(path, options.length === undefined ? options : { ...options, length: options.length + 1 }) }),
  'gives one version to everything': (fs) => ({
    stat: async (path, options) => {
      const stat = await fs.stat(path, options);
      return stat && { ...stat, version: 'same' };
    },
    readText: async (path, options) => ({ ...(await fs.readText(path, options)), version: 'same' }),
  }),
  'throws for what is not there': (fs) => ({ stat: async (path, options) => (await fs.stat(path, options)) ?? Promise.reject(new Error('none')) }),
  'lists in another order': (fs) => ({ list: async (path, options) => [...(await fs.list(path, options))].reverse() }),
  'fails a listing for one bad entry': (fs) => ({
    list: async (path, options) => {
      const entries = await fs.list(path, options);
      if (entries.some(({ problem }) => problem !== undefined)) throw new Error('bad entry');
      return entries;
    },
  }),
  'tells entries twice': (fs) => ({
    async *walk(path, options) {
      for await (const entry of fs.walk(path, options)) {
        yield entry;
        yield entry;
      }
    },
  }),
  'walks what is ignored': (fs) => ({ walk: (path, options = {}) => fs.walk(path, { ...options, honourIgnoreFiles: false }) }),
  'sweeps without being told': (fs) => ({ remove: (path, options) => fs.remove(path, { ...options, recursive: true }) }),
  'overwrites in moves': (fs) => ({ move: (from, to, options) => fs.move(from, to, { ...options, overwrite: true }) }),
  'takes the way out for the way in': (fs) => ({ readText: (path, options) => fs.readText(path.replace(/^(\.\.\/)+/, ''), options), write: (path, content, options) => fs.write(path.replace(/^(\.\.\/)+/, ''), content, options) }),
  'forgets the hint': (fs) => ({ readText: (path, options) => fs.readText(path, options).catch((error: unknown) => Promise.reject(Object.defineProperty(error as object, 'hint', { value: '' }) as Error)) }),
  'names aliases apart': (fs) => ({ resolve: async (path, options) => ({ ...(await fs.resolve(path, options)), key: path }) }),
  'lets two create at once': (fs) => ({
    write: async (path, content, { ifVersion, ...options } = {}) => {
      if (ifVersion !== null) return fs.write(path, content, ifVersion === undefined ? options : { ifVersion, ...options });
      const isThere = (await fs.stat(path)) !== undefined;
      await Promise.resolve();
      return fs.write(path, content, isThere ? { ifVersion: null } : options);
    },
  }),
};

function opener(mistake: Mistake, config: object = {}) {
  return () => {
    const volume = new MemoryVolume();
    const inner = createContext({ logger: silent });
    inner.plugin(fsMemory, { volume, ...config });
    const { fs } = inner;
    return {
      mount(ctx: Context) {
        const provider: FsProvider = {
          info: fs.info,
          resolve: (...args) => fs.resolve(...args), stat: (...args) => fs.stat(...args), readRange: (...args) => fs.readRange(...args), readText: (...args) => fs.readText(...args),
          write: (...args) => fs.write(...args), edit: (...args) => fs.edit(...args), list: (...args) => fs.list(...args), walk: (...args) => fs.walk(...args),
          remove: (...args) => fs.remove(...args), move: (...args) => fs.move(...args), mkdir: (...args) => fs.mkdir(...args),
          ...mistake(fs),
        };
        ctx.provide('fs', fileSystemOf(provider));
      },
      root: volume.rootPath,
      outside: {
        put: (path: string, bytes: Uint8Array) => { volume.put(path, bytes); },
        bytes: (path: string) => volume.files()[path],
        remove: (path: string) => { volume.remove(path); },
        link: (path: string, target: string) => { volume.link(path, target); },
        putReadOnly: (path: string, bytes: Uint8Array) => { volume.put(path, bytes, { isReadOnly: true }); },
      },
      close: () => inner.dispose(),
    };
  };
}

async function broken(open: ReturnType<typeof opener>, atMost = Infinity): Promise<string[]> {
  const names: string[] = [];
  for (const check of fileSystemChecks(open, { without: ['putSpecial'] })) {
    if (names.length === atMost) break;
    await check.run().catch(() => names.push(check.name));
  }
  return names;
}

describe('the filesystem contract', () => {
  it('is kept by a provider that only passes everything on', async () => {
    expect(await broken(opener(() => ({})))).toEqual([]);
  });

  it.each(Object.entries(mistakes))('notices a provider that %s', async (_name, mistake) => {
    expect(await broken(opener(mistake), 1)).toHaveLength(1);
  });

  it('notices a provider that protects nothing, and one that may not be written at all', async () => {
    expect(await broken(opener(() => ({}), { protected: [] }))).toHaveLength(1);
    expect(await broken(opener(() => ({}), { isReadOnly: true }), 10)).toHaveLength(10);
  });

  it('asks for no more than the outside world can do', () => {
    const all = fileSystemChecks(opener(() => ({}))).length;
    expect(fileSystemChecks(opener(() => ({})), { without: ['link', 'putReadOnly', 'putSpecial'] }).length).toBeLessThan(all - 5);
  });
});
