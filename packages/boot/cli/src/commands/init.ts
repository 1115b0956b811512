import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { DeploymentError, shownPath } from '../file/problem.ts';
import type { Io } from '../terminal/io.ts';
import { exitCodes } from './exit-codes.ts';
import { schema } from './schema.ts';
import { manifestOf, ownManifest } from './manifests.ts';
import { STARTER, STARTER_PACKAGES } from './starter.ts';

export interface InitOptions {
  /** Whether to install what the starter names. */
  readonly install: boolean;
  /** A directory of packed packages to install from, in place of the registry. */
  readonly from?: string;
}

/** Writes a starter deployment, and installs what it names. Overwrites nothing. @returns the exit code */
export async function init(directory: string, options: InitOptions, io: Io): Promise<number> {
  const target = resolve(directory);
  const file = join(target, 'sluice.yml');
  if (existsSync(file)) throw new DeploymentError([{ message: `there is a ${shownPath(file)} already`, remedy: 'Nothing was written. Look at it with "sluice check".' }]);
  mkdirSync(target, { recursive: true });
  const manifest = writeManifest(target, dependenciesFor(options.from, target));
  writeFileSync(file, STARTER);
  io.err(`wrote ${shownPath(file)}`);
  io.err(`${manifest.isNew ? 'wrote' : 'added what it needs to'} ${shownPath(manifest.path)}`);
  if (!options.install) {
    io.err(io.paintErr.dim('next: npm install'));
    return exitCodes.ok;
  }
  io.err(io.paintErr.dim('npm install …'));
  const { status, error, stdout, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: target, encoding: 'utf8', shell: process.platform === 'win32' });
  if (status !== 0) throw new DeploymentError([{ message: `npm install failed: ${error?.message ?? (`${stderr}${stdout}`.trim().split('\n').slice(0, 12).join('\n  '))}`, remedy: 'The files are written. Put right what it says, and run "npm install" there.' }]);
  await schema({ file, output: join(target, 'sluice.schema.json') }, io);
  const cd = target === process.cwd() ? '' : `cd ${relative(process.cwd(), target)} && `;
  io.err(`${io.paintErr.green('ready.')} Try:\n  ${cd}npx sluice check\n  ${cd}npx sluice call read_file '{"path":"package.json"}'`);
  return exitCodes.ok;
}

function dependenciesFor(from: string | undefined, target: string): Record<string, string> {
  if (from === undefined) {
    const { version } = ownManifest();
    return Object.fromEntries(STARTER_PACKAGES.map((name) => [name, `^${version}`]));
  }
  return packedDependencies(resolve(from), target);
}

/** The starter's packages and all of ours that they need, each as the packed file: none of them is looked for in the registry. */
function packedDependencies(from: string, target: string): Record<string, string> {
  let files: string[];
  try {
    files = readdirSync(from).filter((name) => name.endsWith('.tgz'));
  } catch (cause) {
    throw new DeploymentError([{ message: `the directory ${shownPath(from)} cannot be read`, cause }]);
  }
  const packed = new Map(files.map((file) => manifestOf(join(from, file))).map((manifest, index) => [manifest.name, { manifest, file: join(from, files[index] as string) }]));
  const dependencies: Record<string, string> = {};
  const add = (name: string): void => {
    if (dependencies[name] !== undefined) return;
    const found = packed.get(name);
    if (found === undefined) throw new DeploymentError([{ message: `${shownPath(from)} has no packed ${name}`, remedy: 'Pack all packages there: pnpm -r pack --pack-destination <directory>.' }]);
    dependencies[name] = `file:${relative(target, found.file)}`;
    for (const needed of Object.keys({ ...found.manifest.dependencies, ...found.manifest.peerDependencies })) if (needed.startsWith('@sluice/')) add(needed);
  };
  STARTER_PACKAGES.forEach(add);
  return dependencies;
}

function writeManifest(target: string, dependencies: Record<string, string>): { path: string; isNew: boolean } {
  const path = join(target, 'package.json');
  const isNew = !existsSync(path);
  let manifest: Record<string, unknown> = { private: true, type: 'module' };
  if (!isNew) {
    try {
      manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    } catch (cause) {
      throw new DeploymentError([{ message: `${shownPath(path)} is no valid JSON, so nothing can be added to it`, remedy: 'Put it right first; nothing was written.', cause }]);
    }
  }
  const merged = { ...dependencies, ...(manifest['dependencies'] as Record<string, string> | undefined) };
  manifest['dependencies'] = Object.fromEntries(Object.entries(merged).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
  return { path, isNew };
}
