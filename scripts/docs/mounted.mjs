import { packages } from './packages.mjs';
import { beside, mounts, providers } from './words/mounts.mjs';

/**
 * What each of our plugins says and does when it is mounted, in the order of packages: its own description, the node that
 * `ctx.inspect()` shows of it, and the definitions of the tools that it registers.
 */
export async function mountedPlugins(load) {
  const { createContext } = await load('@sluice/core-context');
  const plugins = new Map();
  for (const each of packages) {
    const plugin = (await load(each.name))[each.plugin];
    if (typeof plugin?.apply === 'function') plugins.set(each.plugin, { ...each, export: each.plugin, plugin });
  }

  const mount = (ctx, key) => {
    const { plugin } = plugins.get(key) ?? never(`no package exports the plugin "${key}" that scripts/docs/words/mounts.mjs names`);
    for (const service of plugin.inject ?? []) {
      if (ctx.get(service) === undefined) mount(ctx, providers[service] ?? never(`scripts/docs/words/mounts.mjs names nobody who provides "${service}"`));
    }
    return ctx.plugin(plugin, mounts[key] ?? {});
  };

  const found = [];
  for (const [key, each] of plugins) {
    const ctx = createContext();
    try {
      // Everything is about tools, so there are some; a plugin that registers its own registers them here.
      if (key !== 'tools') mount(ctx, 'tools');
      const before = new Set(ctx.get('tools')?.schemas().map(({ name }) => name));
      const handle = mount(ctx, key);
      await handle.ready;
      for (const other of beside[key] ?? []) mount(ctx, other);
      await ctx.ready();
      const node = ctx.inspect().children.find(({ name }) => name === each.plugin.name);
      const schemas = ctx.tools.schemas().filter(({ name }) => !before.has(name));
      const tools = schemas.map((schema) => ({ ...schema, definition: ctx.tools.get(schema.name) }));
      found.push({ ...each, node, tools });
    } finally {
      await ctx.dispose();
    }
  }
  return found;
}

function never(message) {
  throw new Error(message);
}
