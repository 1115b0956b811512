import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@sluice/core-context';
import pc from 'picocolors';
import { onTestFinished } from 'vitest';
import type { Io } from '../src/terminal/io.ts';

/** Plugins are loaded from their sources, as everything else in the tests is. */
export const SOURCE = { conditions: ['@sluice/source'] };

export const quiet: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A directory with these files, from which packages are found, by default the workspace's; gone after the test. */
export function aDirectory(files: Readonly<Record<string, string>>, nodeModules = join(import.meta.dirname, '..', 'node_modules')): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-cli-')));
  onTestFinished(() => { rmSync(directory, { recursive: true, force: true }); });
  symlinkSync(nodeModules, join(directory, 'node_modules'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
}

/** Starts the real program, without a terminal. */
export function start(program: string, cwd: string, args: readonly string[], { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {}): Started {
  // Nothing of the shell that runs the tests; an undefined one is not passed on.
  const clean = { ...process.env, SLUICE_ENV: undefined, SLUICE_MODEL: undefined, FORCE_COLOR: undefined, NO_COLOR: undefined, NODE_OPTIONS: undefined };
  const child = spawn(process.execPath, [program, ...args], { cwd, env: { ...clean, ...env } });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  return { child, ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err }))) };
}

/** Where a command writes that is run in this process: nowhere. */
export function aSilentIo(): Io {
  return { out() {}, err() {}, paint: pc.createColors(false), paintErr: pc.createColors(false), isDebug: false };
}
