import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newPlugin } from '../src/commands/new-plugin.ts';
import { aDirectory, aSilentIo } from './support.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');

/** Runs a program of the workspace in a directory. */
async function run(program: string, args: readonly string[], cwd: string): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [join(root, 'node_modules', program), ...args], { cwd, env: { ...process.env, NODE_OPTIONS: '', VITEST: '', NO_COLOR: '1' } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { code: await new Promise((resolve) => child.on('close', resolve)), text };
}

it('a new plugin is a package whose types are right and whose tests pass', async () => {
  const parent = aDirectory({});
  const directory = join(parent, 'no-secrets');
  expect(newPlugin('@acme/no-secrets', { directory }, aSilentIo())).toBe(0);
  expect(readdirSync(directory).sort()).toEqual(['.gitignore', 'README.md', 'package.json', 'src', 'tests', 'tsconfig.build.json', 'tsconfig.json']);
  expect(() => newPlugin('@acme/no-secrets', { directory }, aSilentIo())).toThrow(/not empty/);

  // The workspace's packages in place of installed ones, from their sources.
  unlinkSync(join(parent, 'node_modules'));
  mkdirSync(join(directory, 'node_modules', '@types'), { recursive: true });
  symlinkSync(join(import.meta.dirname, '..', 'node_modules', '@sluice'), join(directory, 'node_modules', '@sluice'));
  for (const name of ['vitest', '@types/node']) symlinkSync(join(root, 'node_modules', name), join(directory, 'node_modules', name));
  writeFileSync(join(directory, 'vitest.config.mjs'), "export default { ssr: { resolve: { conditions: ['@sluice/source', 'module', 'node', 'default'] } } };\n");

  const tests = await run('vitest/vitest.mjs', ['run', '--root', directory], directory);
  expect(tests.text).toMatch(/Tests {2}1\d passed/);
  expect(tests.code).toBe(0);
  expect(await run('typescript/bin/tsc', ['-p', 'tsconfig.json', '--customConditions', '@sluice/source', '--pretty', 'false'], directory)).toEqual({ code: 0, text: '' });
}, 60_000);

it('a name that no package can have is refused', () => {
  for (const name of ['No Secrets', '../x', '', '@acme']) expect(() => newPlugin(name, {}, aSilentIo())).toThrow(/cannot be the name/);
});
