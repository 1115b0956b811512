import { existsSync } from 'node:fs';
import { nearbyFile } from './nearby-file.ts';
import { dirname, extname, resolve } from 'node:path';
import { meant, readBody, type Body, type FileBody, type Located, type PluginEntry } from './body.ts';
import { mergeBodies } from './merge.ts';
import { shownPath, type Problem, type Sources } from './problem.ts';
import { readFile } from './read-file.ts';
import type { Position } from './tree.ts';

/** A deployment as its files say it, put together; nothing is loaded yet. */
export interface Assembled extends Body {
  /** Every file that was read, or looked for because it would count: what a watcher watches. */
  readonly files: readonly string[];
  readonly sources: Sources;
  readonly problems: readonly Problem[];
}

const NOTHING: Body = { plugins: [], scopes: new Map() };

/**
 * Reads a deployment file with what it includes and what an environment lays over it. The order, lower first: the files under
 * `include`, each with all of its own; the file; its `environments.<env>`; the file `<name>.<env>.<ext>` beside it.
 */
export function assemble(file: string, env: string | undefined): Assembled {
  const assembly = new Assembly(env);
  let body = assembly.read(file, undefined);
  if (env !== undefined) {
    const beside = besideOf(file, env);
    assembly.files.add(beside);
    if (existsSync(beside)) {
      body = mergeBodies(body, assembly.read(beside, undefined));
      assembly.hasEnvironment = true;
    }
    if (!assembly.hasEnvironment && assembly.problems.length === 0) assembly.problems.push(unknownEnvironment(env, file, beside, assembly.environments));
  }
  const placed = { plugins: assembly.place(body.plugins), scopes: new Map([...body.scopes].map(([name, scope]) => [name, { ...scope, plugins: assembly.place(scope.plugins) }])) };
  assembly.checkScopes(placed);
  return { ...placed, files: [...assembly.files], sources: assembly.sources, problems: assembly.problems };
}

/** `sluice.ci.yml` for `sluice.yml` and `ci`. */
export function besideOf(file: string, env: string): string {
  const extension = extname(file);
  return `${file.slice(0, file.length - extension.length)}.${env}${extension}`;
}

function unknownEnvironment(env: string, file: string, beside: string, known: ReadonlySet<string>): Problem {
  const names = [...known].sort();
  return {
    message: `there is no environment "${env}": neither under "environments" in ${shownPath(file)}, nor as ${shownPath(beside)}`,
    remedy: meant(env, names) ?? (names.length === 0 ? 'Leave --env and SLUICE_ENV out, or add it.' : `There are ${names.join(', ')}.`),
  };
}

class Assembly {
  readonly files = new Set<string>();
  readonly sources = new Map<string, string>();
  readonly problems: Problem[] = [];
  readonly environments = new Set<string>();
  hasEnvironment = false;
  readonly #env: string | undefined;
  /** The files that are being read, outermost first. */
  readonly #open: string[] = [];

  constructor(env: string | undefined) {
    this.#env = env;
  }

  read(file: string, at: Position | undefined): Body {
    const cycle = this.#open.indexOf(file);
    if (cycle >= 0) {
      const names = [...this.#open.slice(cycle), file].map(shownPath).join(' -> ');
      this.problems.push({ ...(at && { at }), message: `these files include each other: ${names}`, remedy: 'Take one of the includes out.' });
      return NOTHING;
    }
    this.#open.push(file);
    try {
      const own = this.#own(file, at);
      if (own === undefined) return NOTHING;
      const included = own.include.map((each) => this.read(resolve(dirname(file), each.value), each.at));
      const layers = [...included, own, ...this.#overlay(own)];
      return layers.reduce(mergeBodies, NOTHING);
    } finally {
      this.#open.pop();
    }
  }

  #own(file: string, at: Position | undefined): FileBody | undefined {
    this.files.add(file);
    const { text, tree, problems } = readFile(file);
    this.sources.set(file, text);
    // A file that is not there is a mistake where it is named.
    this.problems.push(...problems.map((problem) => (problem.at === undefined && at !== undefined ? { ...problem, at, remedy: nearbyFile(file) ?? 'Paths under "include" are seen from the file that they stand in.' } : problem)));
    if (tree === undefined) return undefined;
    const read = readBody(tree);
    this.problems.push(...read.problems);
    return read.body;
  }

  #overlay({ environments }: FileBody): readonly Body[] {
    for (const name of environments.keys()) this.environments.add(name);
    const overlay = this.#env === undefined ? undefined : environments.get(this.#env);
    if (overlay === undefined) return [];
    this.hasEnvironment = true;
    return [overlay];
  }

  /** The list as it is mounted: without what is disabled, and with what says `before` in its place. */
  place(entries: readonly PluginEntry[]): readonly PluginEntry[] {
    const placed = entries.filter((entry) => entry.before === undefined || entry.before.value === entry.id);
    for (const entry of entries) {
      if (entry.use === undefined) {
        const names = entries.filter(({ use }) => use !== undefined).map(({ id }) => id);
        this.problems.push({ at: entry.at, message: `no plugin has the id "${entry.id}", and this entry says no "use"`, remedy: meant(entry.id, names) ?? 'Add "use: " with a package or a path.' });
      }
      if (entry.before === undefined) continue;
      const index = this.#placeBefore(entry, entry.before, placed, entries);
      if (index !== undefined) placed.splice(index, 0, entry);
    }
    return placed.filter((entry) => entry.disabled?.value !== true && entry.use !== undefined);
  }

  #placeBefore(entry: PluginEntry, { value, at }: Located, placed: readonly PluginEntry[], all: readonly PluginEntry[]): number | undefined {
    const index = placed.findIndex(({ id }) => id === value);
    if (index >= 0 && value !== entry.id) return index;
    const names = all.map(({ id }) => id).filter((id) => id !== entry.id);
    const isLater = names.includes(value);
    this.problems.push({
      at,
      message: isLater ? `"${value}" says "before" itself, and further down` : `there is no plugin "${value}" in this list to go before`,
      remedy: isLater ? 'Write the two in the order that you mean.' : (meant(value, names) ?? `There are ${names.join(', ')}.`),
    });
    return undefined;
  }

  checkScopes({ scopes }: Body): void {
    for (const scope of scopes.values()) {
      if (scope.extends === undefined) continue;
      const { value, at } = scope.extends;
      if (!scopes.has(value)) {
        this.problems.push({ at, message: `scope "${scope.name}" extends "${value}", which is no scope of this deployment`, remedy: meant(value, scopes.keys()) ?? `There are ${[...scopes.keys()].join(', ')}.` });
        continue;
      }
      const chain = [scope.name];
      for (let up: string | undefined = value; up !== undefined && scopes.has(up); up = scopes.get(up)?.extends?.value) {
        chain.push(up);
        if (up === scope.name) {
          // Each of them is in it: it is told once.
          if ([...scopes.keys()].some((name) => chain.includes(name) && name < scope.name)) break;
          this.problems.push({ at, message: `scopes cannot be inside of each other: ${chain.join(' -> ')}`, remedy: 'Take one "extends" out.' });
          break;
        }
        if (chain.length > scopes.size) break;
      }
    }
  }
}

