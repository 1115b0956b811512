// dsh's file tools over its local provider, which has no boundary and no flush of the directory.
export async function load(cwd) {
  // It uses Promise.withResolvers, which Node.js has from 22 on.
  Promise.withResolvers ??= function withResolvers() {
    let resolve, reject;
    const promise = new this((yes, no) => ([resolve, reject] = [yes, no]));
    return { promise, resolve, reject };
  };
  const { Context } = await import('@deepseek-ai/cordis');
  const { SystemPrompt } = await import('@deepseek-ai/dsh-system-prompt');
  const { ToolRuntime } = await import('@deepseek-ai/dsh-tools');
  const { LocalFileSystem } = await import('@deepseek-ai/dsh-fs-local');
  const toolFs = await import('@deepseek-ai/dsh-tool-fs');
  const ctx = new Context();
  await ctx.plugin(SystemPrompt);
  await ctx.plugin(ToolRuntime, { mode: 'native' });
  await ctx.plugin(LocalFileSystem, { cwd });
  await ctx.plugin(toolFs, {});
  const signal = new AbortController().signal;
  const run = async (name, args) => {
    const result = await ctx.tools.execute({ callId: 'call', name, arguments: args, signal });
    if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.error)}`);
    return result;
  };
  return {
    read: async (file_path) => (await run('read', { file_path })).value,
    write: (file_path, content) => run('write', { file_path, content }),
    edit: (file_path, old_string, new_string, replace_all = false) => run('edit', { file_path, old_string, new_string, replace_all }),
    close: () => ctx.fiber.dispose(),
  };
}
