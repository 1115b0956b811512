import { dirname, resolve } from 'node:path';
import type { Plugin } from '@sluice/core-context';
import { assemble } from '../file/assemble.ts';
import type { PluginEntry, ScopeEntry } from '../file/body.ts';
import type { Variables } from '../file/interpolate.ts';
import { DeploymentError, type Problem, type Sources } from '../file/problem.ts';
import { checkConfig } from '../plugins/check-config.ts';
import { loadPlugin, type Surroundings } from '../plugins/load-plugin.ts';
import { conditionsWith } from '../plugins/locate.ts';

export interface ReadOptions {
  /** The environment whose overlays count, such as `ci`. */
  readonly env?: string;
  /** What `${NAME}` stands for. */
  readonly variables: Variables;
  /** Export conditions besides those of an import. */
  readonly conditions: readonly string[];
}

/** An entry with the plugin it names and a config that fits. */
export interface ReadPlugin {
  readonly entry: PluginEntry;
  readonly plugin: Plugin<never>;
  readonly config: unknown;
}

export interface ReadScope {
  readonly entry: ScopeEntry;
  readonly plugins: readonly ReadPlugin[];
}

/** A deployment that can be composed, as far as that can be told without running it. */
export interface ReadDeployment {
  readonly plugins: readonly ReadPlugin[];
  /** Those that others extend come first. */
  readonly scopes: readonly ReadScope[];
  readonly files: readonly string[];
  readonly sources: Sources;
}

/** A deployment that cannot be read, with the files that a watcher should wait for. */
export class UnreadableDeployment extends DeploymentError {
  readonly files: readonly string[];

  constructor(problems: readonly Problem[], sources: Sources, files: readonly string[]) {
    super(problems, sources);
    this.files = files;
  }
}

/**
 * Reads the files, imports the plugins, checks their configs. Runs nothing but the plugins' modules.
 * @throws UnreadableDeployment with everything that is wrong
 */
export async function readDeployment(file: string, { env, variables, conditions }: ReadOptions): Promise<ReadDeployment> {
  const path = resolve(file);
  const { plugins, scopes, files, sources, problems } = assemble(path, env);
  const surroundings: Surroundings = { directory: dirname(path), conditions: conditionsWith(conditions) };
  const found: Problem[] = [...problems];
  const pluginFiles: string[] = [];
  const read = async (entries: readonly PluginEntry[]): Promise<ReadPlugin[]> => {
    const done: ReadPlugin[] = [];
    for (const entry of entries) {
      if (entry.use === undefined) continue;
      const loaded = await loadPlugin(entry.use, surroundings);
      if ('problem' in loaded) {
        found.push(loaded.problem);
        continue;
      }
      if (loaded.file !== undefined) pluginFiles.push(loaded.file);
      const checked = checkConfig(entry, loaded.plugin, variables);
      if ('config' in checked) done.push({ entry, plugin: loaded.plugin, config: checked.config });
      else found.push(...checked);
    }
    return done;
  };
  const readPlugins = await read(plugins);
  const readScopes: ReadScope[] = [];
  for (const entry of parentsFirst(scopes)) readScopes.push({ entry, plugins: await read(entry.plugins) });
  const all = [...files, ...pluginFiles];
  if (found.length > 0) throw new UnreadableDeployment(found, sources, all);
  return { plugins: readPlugins, scopes: readScopes, files: all, sources };
}

function parentsFirst(scopes: ReadonlyMap<string, ScopeEntry>): ScopeEntry[] {
  const ordered = new Set<ScopeEntry>();
  const add = (scope: ScopeEntry | undefined, depth: number): void => {
    // A cycle has been reported; here it only must not run for ever.
    if (scope === undefined || depth > scopes.size) return;
    if (scope.extends !== undefined) add(scopes.get(scope.extends.value), depth + 1);
    ordered.add(scope);
  };
  for (const scope of scopes.values()) add(scope, 0);
  return [...ordered];
}
