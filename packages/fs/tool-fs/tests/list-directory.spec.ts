import { fsMemory } from '@sluice/fs-memory';
import { aHost } from '@sluice/testing';
import { expect, it } from 'vitest';
import { toolFs } from '../src/index.ts';
import { aWorkspace, codeOf, shown, valueOf } from './support.ts';

it('lists one level by name, directories marked, hidden entries and links included [S12.W]', async () => {
  await using space = aWorkspace({ 'b.txt': 'hello', 'a/deep/x': '', '.hidden': 'x' });
  space.volume.link('link', 'a');
  space.volume.link('gone', 'nowhere');
  const result = await space.call('list_directory', { path: '.' });
  expect(shown(result)).toBe('./: 5 entries\n  .hidden (1 byte)\n  a/\n  b.txt (5 bytes)\n  gone (link, leads nowhere)\n  link/ (link)');
  expect(valueOf(result)).toMatchObject({ path: '.', total: 5, entries: [{ name: '.hidden', type: 'file', size: 1 }, { name: 'a', type: 'directory' }, {}, {}, {}] });
});

it('says that a directory is empty, and how many entries it leaves out', async () => {
  await using space = aWorkspace({ 'd/a': '', 'd/b': '', 'd/c': '', 'e/': '' }, { maxEntries: 2 });
  expect(shown(await space.call('list_directory', { path: 'e' }))).toBe('e/: empty');
  expect(shown(await space.call('list_directory', { path: 'd' }))).toBe('d/: 3 entries\n  a (0 bytes)\n  b (0 bytes)\n[1 more entry; use glob to find some of them by name]');
});

it('a name cannot pass for another line', async () => {
  await using space = aWorkspace({ 'd/x\n  y (1 byte)': '', 'd/"z"': '' });
  expect(shown(await space.call('list_directory', { path: 'd' }))).toBe('d/: 2 entries\n  "\\"z\\"" (0 bytes)\n  "x\\n  y (1 byte)" (0 bytes)');
});

it('refuses files, places outside and what is missing', async () => {
  await using space = aWorkspace({ 'a.txt': 'a' });
  const codes = [];
  for (const path of ['a.txt', '..', 'gone']) codes.push(codeOf(await space.call('list_directory', { path })));
  expect(codes).toEqual(['FS_NOT_DIRECTORY', 'FS_OUTSIDE_WORKSPACE', 'FS_NOT_FOUND']);
});

it('a workspace that is only read has no tools that write', async () => {
  await using space = aWorkspace({}, { readOnly: true });
  expect(space.ctx.tools.schemas().map(({ name }) => name)).toEqual(['read_file', 'list_directory']);
});

it('the plugin registers nothing until there are files, and takes its tools with it [S12.2]', async () => {
  await using host = aHost();
  const names = (): string[] => host.ctx.tools.schemas().map(({ name }) => name);
  const handle = host.ctx.plugin(toolFs);
  expect([handle.status, names()]).toEqual(['waiting', []]);
  const files = host.ctx.plugin(fsMemory);
  expect(names()).toEqual(['read_file', 'list_directory', 'write_file', 'edit_file']);
  await files.dispose();
  expect(names()).toEqual([]);
});

it('a wrong option fails at once and is named [S12.1]', async () => {
  await using host = aHost();
  expect(() => host.ctx.plugin(toolFs, { maxLines: 0 })).toThrow('maxLines');
});
