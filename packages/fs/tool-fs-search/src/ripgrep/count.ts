import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isFsError, type FileSystem } from '@sluice/fs';
import type { Budget } from '../search/budget.ts';
import type { Notes } from '../search/notes.ts';
import type { TreeOptions } from '../search/tree.ts';
import type { LocalStart } from './eligible.ts';

export interface CountRequest {
  readonly fs: FileSystem;
  readonly binary: string;
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** A glob for last names that both understand alike. */
  readonly simpleInclude: string | undefined;
  readonly local: LocalStart;
  readonly tree: TreeOptions;
}

export interface Counted {
  readonly path: string;
  /** Lines that match. */
  readonly count: number;
}

const MAX_OUTPUT_BYTES = 67_108_864;
/** Nothing of the host's, but what Windows starts no program without. */
const environment: NodeJS.ProcessEnv = process.env['SystemRoot'] === undefined ? {} : { SystemRoot: process.env['SystemRoot'] };
/** Ignored entries that are looked at, to tell a directory from a file. */
const MAX_LOOKS = 200;

/**
 * How many lines match in each file that has any, by name. Only names and numbers come from ripgrep: what is shown is read through
 * `ctx.fs`. Undefined when ripgrep cannot say; then nothing is in the notes.
 */
export async function countWithRipgrep(request: CountRequest, notes: Notes, budget: Budget): Promise<Counted[] | undefined> {
  const { tree, local } = request;
  const child = spawn(request.binary, argumentsOf(request), { cwd: local.root, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true, signal: budget.signal, env: environment });
  const ended = once(child, 'close') as Promise<[code: number | null]>;
  // Of a signal, or of a binary that cannot be run: what has come till then is looked at below.
  ended.catch(() => undefined);
  const out = new Output(MAX_OUTPUT_BYTES, () => child.kill());
  const errors = new Output(MAX_OUTPUT_BYTES, () => child.kill());
  child.stdout.on('data', (piece: Buffer) => { out.add(piece); });
  child.stderr.on('data', (piece: Buffer) => { errors.add(piece); });
  let code: number | null = null;
  try {
    [code] = await ended;
  } catch (error) {
    if (!budget.signal.aborted) return undefined;
    if (!budget.isOver) throw error;
    notes.stopped('time');
  }
  const said = errors.text();
  // 0: found; 1: nothing found; 2: something went wrong, perhaps only with some files.
  if (code === 2 && /^rg: (?:regex parse error|unrecognized|error)/m.test(said)) return undefined;
  if (out.isCut || errors.isCut) notes.stopped('entries');
  await note(said, request, notes, budget);
  return countsOf(out.bytes(), tree, notes).sort((a, b) => byWalk(a.path, b.path));
}

function argumentsOf({ pattern, ignoreCase, simpleInclude, tree, local }: CountRequest): string[] {
  const isAll = local.directory === local.root;
  return [
    '--no-config', '--count', '--null', '--no-heading', '--color=never', '--hidden', '--crlf', '--debug', '--glob=!.git',
    '--no-require-git', '--no-ignore-global', '--no-ignore-exclude', '--no-ignore-dot',
    ...(isAll ? ['--no-ignore-parent'] : []),
    ...(tree.includeIgnored ? ['--no-ignore'] : []),
    ...(ignoreCase ? ['--ignore-case'] : ['--case-sensitive']),
    ...(simpleInclude === undefined ? [] : [`--type-add=wanted:${simpleInclude}`, '--type=wanted']),
    `--regexp=${pattern}`,
    '--',
    isAll ? './' : `./${tree.start}`,
  ];
}

/** `path NUL count LF`, again and again. */
function countsOf(bytes: Buffer, tree: TreeOptions, notes: Notes): Counted[] {
  const counts: Counted[] = [];
  for (let at = 0; at < bytes.length; ) {
    const nul = bytes.indexOf(0, at);
    const end = nul < 0 ? -1 : bytes.indexOf(10, nul);
    if (end < 0) break;
    const path = pathOf(bytes.subarray(at, nul));
    const count = Number(bytes.subarray(nul + 1, end).toString());
    if (path === undefined) notes.problem({ path: bytes.subarray(at, nul).toString(), code: 'FS_BAD_PATH', message: 'its name is no valid text' });
    else if (tree.wants(path) && count > 0) counts.push({ path, count });
    at = end + 1;
  }
  return counts;
}

function pathOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).replace(/^\.\//, '');
  } catch {
    return undefined;
  }
}

/** What it says of what it leaves out. */
async function note(said: string, { fs, tree }: CountRequest, notes: Notes, { signal }: Budget): Promise<void> {
  let looks = 0;
  const ignored: string[] = [];
  for (const line of said.split('\n')) {
    const path = /^rg: DEBUG\|ignore::walk\|[^ ]* ignoring \.\/(.*): Ignore\(IgnoreMatch\(Gitignore\(/.exec(line)?.[1];
    if (path !== undefined) ignored.push(path);
    const failed = line.startsWith('rg: DEBUG') ? null : /^rg: (?:\.\/)?(.+): (.+?)(?: \(os error \d+\))?$/.exec(line);
    if (failed !== null) notes.problem({ path: failed[1] ?? '', code: 'FS_IO', message: failed[2] ?? '' });
  }
  for (const path of ignored.sort(byWalk)) {
    const [isWanted, isEntered] = [tree.wants(path), tree.enters(path)];
    if (!isWanted && !isEntered) continue;
    const isTold = (looks += 1) <= MAX_LOOKS;
    const stat = isTold ? await fs.stat(path, { followLink: false, ...(signal.aborted ? {} : { signal }) }).catch(noStat) : undefined;
    const isDirectory = stat?.type === 'directory';
    if (stat === undefined || (isDirectory ? isEntered : isWanted)) notes.ignored({ path, type: isDirectory ? 'directory' : 'file', isLink: false });
  }
}

function noStat(error: unknown): undefined {
  if (!isFsError(error) || error.code === 'FS_CANCELLED') throw error;
  return undefined;
}

/** The order of a walk: directory by directory, names by code unit. */
function byWalk(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  for (let i = 0; i < left.length && i < right.length; i += 1) {
    const [one, other] = [left[i] as string, right[i] as string];
    if (one !== other) return one < other ? -1 : 1;
  }
  return left.length - right.length;
}

class Output {
  readonly #pieces: Buffer[] = [];
  readonly #max: number;
  readonly #stop: () => void;
  #size = 0;

  constructor(max: number, stop: () => void) {
    this.#max = max;
    this.#stop = stop;
  }

  get isCut(): boolean {
    return this.#size > this.#max;
  }

  add(piece: Buffer): void {
    this.#size += piece.length;
    if (this.isCut) this.#stop();
    else this.#pieces.push(piece);
  }

  bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  text(): string {
    return this.bytes().toString();
  }
}
