import { closestName } from '@sluice/core-schema';
import type { Problem } from './problem.ts';
import { describeTree, type MapTree, type Position, type Tree } from './tree.ts';

/** A text with its place. */
export interface Located<T = string> {
  readonly value: T;
  readonly at: Position;
}

/** One plugin as a file names it. */
export interface PluginEntry {
  /** What overlays call it: `id`, or else what `use` says. Unique in its list. */
  readonly id: string;
  readonly at: Position;
  /** Absent in an overlay that changes an entry of another file. */
  readonly use?: Located;
  readonly config?: Tree;
  readonly disabled?: Located<boolean>;
  /** The id of an entry that it goes right before. */
  readonly before?: Located;
}

export type Mode = 'native' | 'code' | 'both';
export const MODES: readonly Mode[] = ['native', 'code', 'both'];

/** One scope as a file describes it. */
export interface ScopeEntry {
  readonly name: string;
  readonly at: Position;
  /** The scope that it is inside of. */
  readonly extends?: Located;
  readonly allow?: readonly Located[];
  readonly deny?: readonly Located[];
  readonly presentation?: Located<Mode>;
  readonly plugins: readonly PluginEntry[];
}

/** Plugins and scopes: what a file says, what an overlay adds, and what comes out in the end. */
export interface Body {
  readonly plugins: readonly PluginEntry[];
  readonly scopes: ReadonlyMap<string, ScopeEntry>;
}

/** Everything in one file. */
export interface FileBody extends Body {
  readonly include: readonly Located[];
  readonly environments: ReadonlyMap<string, Body>;
}

export const FILE_KEYS = ['$schema', 'include', 'plugins', 'scopes', 'environments'];
const ENTRY_KEYS = ['use', 'id', 'config', 'disabled', 'before'];
const SCOPE_KEYS = ['extends', 'tools', 'presentation', 'plugins'];

/** Makes sense of a file's tree. What makes none is a problem, and left out. */
export function readBody(tree: Tree): { readonly body: FileBody; readonly problems: readonly Problem[] } {
  const reader = new Reader();
  const map = reader.map(tree, 'a deployment file', FILE_KEYS);
  const get = (key: string): Tree | undefined => map?.entries.get(key);
  const environments = get('environments');
  return {
    problems: reader.problems,
    body: {
      ...reader.body(map),
      include: reader.include(get('include')),
      environments: reader.named(environments, '"environments"', 'environment', (each, name) => reader.body(reader.map(each, `environment "${name}"`, ['plugins', 'scopes']))),
    },
  };
}

class Reader {
  readonly problems: Problem[] = [];

  body(map: MapTree | undefined): Body {
    return {
      plugins: this.plugins(map?.entries.get('plugins'), 'plugins'),
      scopes: this.named(map?.entries.get('scopes'), '"scopes"', 'scope', (each, name) => this.scope(each, name)),
    };
  }

  include(tree: Tree | undefined): readonly Located[] {
    if (tree === undefined) return [];
    return tree.kind === 'scalar' ? [this.text(tree, '"include"')].flatMap(present) : this.texts(tree, '"include"');
  }

  plugins(tree: Tree | undefined, key: string): readonly PluginEntry[] {
    if (tree === undefined || isNothing(tree)) return [];
    if (tree.kind === 'map') {
      this.refuse(tree, `"${key}" is a list, in the order that hooks run in, and this is a map`, 'Write - use: "<name>" for each, and its settings under "config:".');
      return [];
    }
    if (tree.kind === 'scalar') {
      this.refuse(tree, `"${key}" is a list, received ${describeTree(tree)}`, 'Begin each entry with "- ".');
      return [];
    }
    const entries = tree.items.flatMap((item) => present(this.plugin(item)));
    this.#eachOnce(entries);
    return entries;
  }

  /** Two of the same in one list can only be told apart by ids. */
  #eachOnce(entries: readonly PluginEntry[]): void {
    const first = new Map<string, PluginEntry>();
    for (const entry of entries) {
      const earlier = first.get(entry.id);
      if (earlier === undefined) first.set(entry.id, entry);
      else {
        this.problems.push({
          at: entry.at,
          message: `"${entry.id}" is in this list twice; the first is on line ${earlier.at.line}`,
          remedy: entry.use?.value === entry.id ? 'Take one out, or, if you mean two of the same plugin, give each an "id" of its own.' : 'Give it another id.',
        });
      }
    }
  }

  plugin(tree: Tree): PluginEntry | undefined {
    if (tree.kind === 'scalar') {
      const use = this.text(tree, 'a plugin', 'Name a package, such as "@sluice/tool-fs", or a file, such as ./my-plugin.js.');
      return use === undefined ? undefined : { id: use.value, at: use.at, use };
    }
    const only = tree.kind === 'map' && tree.entries.size === 1 ? [...tree.entries][0] : undefined;
    if (only !== undefined && /^[@./]/.test(only[0])) {
      this.refuse(tree, `an entry has its plugin under "use", and this has ${JSON.stringify(only[0])} as a key`, `Write - use: "${only[0]}", and the settings under "config:".`);
      return undefined;
    }
    const map = this.map(tree, 'a plugin', ENTRY_KEYS);
    if (map === undefined) return undefined;
    const get = (key: string): Tree | undefined => map.entries.get(key);
    const use = this.text(get('use'), '"use"');
    const id = this.text(get('id'), '"id"');
    const disabled = get('disabled');
    const before = this.text(get('before'), '"before"');
    const config = this.#config(get('config'));
    const name = id ?? use;
    if (name === undefined) {
      if (get('use') === undefined && get('id') === undefined) this.refuse(tree, 'this entry names no plugin', 'Add "use: " with a package or a path; in an overlay, "id: " of the entry that it changes.');
      return undefined;
    }
    return {
      id: name.value,
      at: tree.at,
      ...(use && { use }),
      ...(config && { config }),
      ...(before && { before }),
      ...(disabled && this.#flag(disabled)),
    };
  }

  #config(tree: Tree | undefined): Tree | undefined {
    if (tree === undefined || isNothing(tree)) return undefined;
    if (tree.kind === 'map') return tree;
    this.refuse(tree, `"config" is a map of settings, received ${describeTree(tree)}`, 'Write one "name: value" a line, indented below "config:".');
    return undefined;
  }

  #flag(tree: Tree): { disabled?: Located<boolean> } {
    if (tree.kind === 'scalar' && typeof tree.value === 'boolean') return { disabled: { value: tree.value, at: tree.at } };
    this.refuse(tree, `"disabled" is true or false, received ${describeTree(tree)}`);
    return {};
  }

  scope(tree: Tree, name: string): ScopeEntry {
    const bare: ScopeEntry = { name, at: tree.keyAt ?? tree.at, plugins: [] };
    if (isNothing(tree)) return bare;
    const map = this.map(tree, `scope "${name}"`, SCOPE_KEYS);
    if (map === undefined) return bare;
    const parent = this.text(map.entries.get('extends'), '"extends"', 'Name the one scope that this one is inside of.');
    const tools = map.entries.get('tools');
    const presentation = this.#presentation(map.entries.get('presentation'));
    return {
      ...bare,
      ...(parent && { extends: parent }),
      ...(tools && this.#restriction(tools)),
      ...(presentation && { presentation }),
      plugins: this.plugins(map.entries.get('plugins'), 'plugins'),
    };
  }

  #restriction(tree: Tree): Pick<ScopeEntry, 'allow' | 'deny'> {
    if (tree.kind === 'list') {
      this.refuse(tree, '"tools" is a map of "allow" and "deny", and this is a list', 'Write "tools: { allow: [...] }" to show only these, or "tools: { deny: [...] }" to hide them.');
      return {};
    }
    const map = this.map(tree, '"tools"', ['allow', 'deny']);
    const allow = map?.entries.get('allow');
    const deny = map?.entries.get('deny');
    return { ...(allow && { allow: this.texts(allow, '"allow"') }), ...(deny && { deny: this.texts(deny, '"deny"') }) };
  }

  #presentation(tree: Tree | undefined): Located<Mode> | undefined {
    if (tree === undefined) return undefined;
    const mode = tree.kind === 'scalar' ? MODES.find((each) => each === tree.value) : undefined;
    if (mode !== undefined) return { value: mode, at: tree.at };
    this.refuse(tree, `"presentation" is one of ${MODES.join(', ')}, received ${describeTree(tree)}`, meant(tree.kind === 'scalar' ? String(tree.value) : '', MODES));
    return undefined;
  }

  /** A map from names to something; names must be usable as such. */
  named<T>(tree: Tree | undefined, title: string, what: string, read: (tree: Tree, name: string) => T): Map<string, T> {
    const found = new Map<string, T>();
    if (tree === undefined || isNothing(tree)) return found;
    if (tree.kind !== 'map') {
      this.refuse(tree, `${title} is a map from names, received ${describeTree(tree)}`, `Write the name of each ${what} as a key: "${what === 'scope' ? 'planner' : 'ci'}:".`);
      return found;
    }
    for (const [name, each] of tree.entries) {
      if (/^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name)) found.set(name, read(each, name));
      else this.problems.push({ at: each.keyAt ?? each.at, message: `${JSON.stringify(name)} cannot be the name of ${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what}`, remedy: 'Use letters, digits, ".", "_" and "-".' });
    }
    return found;
  }

  map(tree: Tree, title: string, known: readonly string[]): MapTree | undefined {
    if (tree.kind !== 'map') {
      this.refuse(tree, `${title} is a map, received ${describeTree(tree)}`, `It has the keys ${known.filter((key) => key !== '$schema').join(', ')}.`);
      return undefined;
    }
    for (const [key, value] of tree.entries) {
      if (!known.includes(key)) this.problems.push({ at: value.keyAt ?? value.at, message: `${title} has no key ${JSON.stringify(key)}`, remedy: meant(key, known) ?? misplaced(key, known) ?? `It has ${known.join(', ')}.` });
    }
    return tree;
  }

  texts(tree: Tree, title: string): readonly Located[] {
    if (tree.kind === 'list') return (tree).items.flatMap((item) => present(this.text(item, `each entry of ${title}`)));
    this.refuse(tree, `${title} is a list, received ${describeTree(tree)}`, tree.kind === 'scalar' && typeof tree.value === 'string' ? `Write [${tree.value}].` : undefined);
    return [];
  }

  text(tree: Tree | undefined, title: string, remedy?: string): Located | undefined {
    if (tree === undefined) return undefined;
    if (tree.kind === 'scalar' && typeof tree.value === 'string' && tree.value.trim() !== '') return { value: tree.value, at: tree.at };
    const quoted = tree.kind === 'scalar' && (typeof tree.value === 'number' || typeof tree.value === 'boolean') ? `Put it in quotes: "${String(tree.value)}".` : undefined;
    this.refuse(tree, `${title} is a text, received ${tree.kind === 'scalar' && tree.value === '' ? 'an empty one' : describeTree(tree)}`, remedy ?? quoted);
    return undefined;
  }

  refuse(tree: Tree, message: string, remedy?: string): void {
    this.problems.push({ at: tree.at, message, ...(remedy === undefined ? {} : { remedy }) });
  }
}

/** Settings of a plugin that somebody wrote beside `use`. */
function misplaced(key: string, known: readonly string[]): string | undefined {
  if (known === ENTRY_KEYS) return `If "${key}" is a setting of the plugin, it goes under "config:".`;
  return undefined;
}

/** `Did you mean "x"?`, when one is near. */
export function meant(name: string, known: Iterable<string>): string | undefined {
  const names = [...known];
  // A package's name without its scope is as near as can be.
  const near = names.find((each) => each.endsWith(`/${name}`)) ?? closestName(name, names);
  return near === undefined ? undefined : `Did you mean ${JSON.stringify(near)}?`;
}

function isNothing(tree: Tree): boolean {
  return tree.kind === 'scalar' && tree.value === null;
}

function present<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}
