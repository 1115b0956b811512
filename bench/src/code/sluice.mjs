// run_code through our whole pipeline, on either of our runtimes.
import { echo } from '../data.mjs';

const built = (path) => new URL(`../../../packages/${path}/dist/index.js`, import.meta.url).href;

const runtimes = {
  'worker-thread': ['code-runtime/code-runtime-worker-thread', 'codeRuntimeWorkerThread'],
  quickjs: ['code-runtime/code-runtime-quickjs', 'codeRuntimeQuickjs'],
};

/** @param {'worker-thread' | 'quickjs'} kind @param {number} spares Threads that are kept ready. */
export async function load(kind, spares) {
  const { createContext, defineTool, tools } = await import(built('core/tools'));
  const [path, name] = runtimes[kind];
  const ctx = createContext();
  ctx.plugin(tools, { mode: 'code' });
  ctx.plugin((await import(built(path)))[name], { spares });
  await ctx.ready();
  const required = ['message', 'n'];
  const properties = { message: { type: 'string' }, n: { type: 'integer' } };
  const schema = { type: 'object', properties, required, additionalProperties: false };
  ctx.tools.register(
    defineTool({
      name: 'echo',
      description: 'Says it again.',
      parameters: schema,
      output: { schema, render: (_args, value) => [{ type: 'text', text: value.message }] },
      isConcurrencySafe: () => true,
      execute: (args) => echo(args),
    }),
  );
  return {
    async run(code) {
      const result = await ctx.tools.execute({ name: 'run_code', arguments: { code, description: 'a measurement' } });
      if (result.isError) throw new Error(result.error.message);
      return result.value.result;
    },
    close: () => ctx.dispose(),
  };
}
