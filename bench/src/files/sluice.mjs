const built = (path) => new URL(`../../../packages/${path}/dist/index.js`, import.meta.url).href;

export async function load(root) {
  const { createContext, tools } = await import(built('core/tools'));
  const { fsLocal } = await import(built('fs/fs-local'));
  const { toolFs } = await import(built('fs/tool-fs'));
  const { toolFsSearch } = await import(built('fs/tool-fs-search'));
  const ctx = createContext();
  ctx.plugin(tools);
  ctx.plugin(fsLocal, { root });
  ctx.plugin(toolFs);
  ctx.plugin(toolFsSearch);
  await ctx.ready();
  const run = async (name, args) => {
    const result = await ctx.tools.execute({ name, arguments: args });
    if (result.isError) throw new Error(`${name}: ${result.error.message}`);
    return result;
  };
  return {
    read: async (path) => (await run('read_file', { path })).value.totalLines,
    write: (path, content) => run('write_file', { path, content }),
    edit: (path, old, fresh, all = false) => run('edit_file', { path, old, new: fresh, all }),
    glob: (pattern) => run('glob', { pattern }),
    grep: (pattern) => run('grep', { pattern }),
    card: (path, old, fresh, result) => ctx.tools.present({ name: 'edit_file', arguments: { path, old, new: fresh, all: true } }, result),
    close: () => ctx.dispose(),
  };
}
