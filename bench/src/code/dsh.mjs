// run_code through dsh-tools, on its worker thread runtime, which needs Node.js 22.13: it strips types with Node.js itself.
import { echo, text } from '../data.mjs';

export async function load() {
  const { Context } = await import('@deepseek-ai/cordis');
  const { SystemPrompt } = await import('@deepseek-ai/dsh-system-prompt');
  const { ToolRuntime, defineTool } = await import('@deepseek-ai/dsh-tools');
  const { WorkerThreadCodeRuntime } = await import('@deepseek-ai/dsh-code-runtime-worker-thread');
  const ctx = new Context();
  await ctx.plugin(SystemPrompt);
  await ctx.plugin(WorkerThreadCodeRuntime, {});
  await ctx.plugin(ToolRuntime, { mode: 'code' });
  const parameters = { message: { type: 'string', required: true }, n: { type: 'integer', required: true } };
  ctx.tools.register(
    defineTool({
      name: 'echo',
      description: 'Says it again.',
      parameters: structuredClone(parameters),
      output: { schema: { type: 'object', properties: structuredClone(parameters), additionalProperties: false }, render: (_args, value) => text(value.message) },
      isConcurrencySafe: () => true,
      execute: async (args) => echo(args),
    }),
  );
  const { signal } = new AbortController();
  return {
    async run(code) {
      const result = await ctx.tools.execute({ callId: 'call', name: 'run_code', arguments: { code, description: 'a measurement' }, signal });
      if (result.isError) throw new Error(JSON.stringify(result.error));
      return result.value.result;
    },
    close: () => ctx.fiber.dispose(),
  };
}
