import type { Body, PluginEntry, ScopeEntry } from './body.ts';
import type { Tree } from './tree.ts';

/**
 * Lays one value over another: maps key by key, anything else as a whole. Every part of the result is a part of one of the
 * two, with its place, so that a complaint names the file and line that it comes from.
 */
export function mergeTrees(below: Tree, above: Tree): Tree {
  if (below.kind !== 'map' || above.kind !== 'map') return above;
  const entries = new Map(below.entries);
  for (const [key, value] of above.entries) {
    const under = entries.get(key);
    entries.set(key, under === undefined ? value : mergeTrees(under, value));
  }
  return { ...above, entries };
}

/** Lays plugins and scopes over others: those with the same id or name are merged where they stand, new ones come after. */
export function mergeBodies(below: Body, above: Body): Body {
  const scopes = new Map(below.scopes);
  for (const [name, scope] of above.scopes) {
    const under = scopes.get(name);
    scopes.set(name, under === undefined ? scope : mergeScopes(under, scope));
  }
  return { plugins: mergePlugins(below.plugins, above.plugins), scopes };
}

function mergeScopes(below: ScopeEntry, above: ScopeEntry): ScopeEntry {
  return { ...below, ...above, plugins: mergePlugins(below.plugins, above.plugins) };
}

function mergePlugins(below: readonly PluginEntry[], above: readonly PluginEntry[]): readonly PluginEntry[] {
  const merged = [...below];
  for (const entry of above) {
    const index = merged.findIndex(({ id }) => id === entry.id);
    const under = merged[index];
    if (under === undefined) merged.push(entry);
    else merged[index] = mergeEntries(under, entry);
  }
  return merged;
}

/** The lower one's place stays: that is where the plugin is named. What the upper one says keeps its own. */
function mergeEntries(below: PluginEntry, above: PluginEntry): PluginEntry {
  const config = below.config !== undefined && above.config !== undefined ? mergeTrees(below.config, above.config) : (above.config ?? below.config);
  return { ...below, ...above, at: below.at, ...(config && { config }) };
}
