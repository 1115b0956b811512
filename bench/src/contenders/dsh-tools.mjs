// dsh-tools on its Cordis context, with the one service it needs: the system prompt, which it feeds with tool schemas.
import { echo, echoArguments, rowsArguments, rowsValue, text } from '../data.mjs';

export const name = 'dsh';
export const title = '@deepseek-ai/dsh-tools';
export const peer = '@deepseek-ai/dsh-tools';
export const checks = 'arguments and results';

const read = (result) => {
  if (result.isError) throw new Error(JSON.stringify(result.error));
  return result.value;
};

/** It uses Promise.withResolvers, which Node.js has from 22 on. */
function polyfill() {
  Promise.withResolvers ??= function withResolvers() {
    let resolve, reject;
    const promise = new this((yes, no) => ([resolve, reject] = [yes, no]));
    return { promise, resolve, reject };
  };
}

export async function load() {
  polyfill();
  const { Context } = await import('@deepseek-ai/cordis');
  const { SystemPrompt } = await import('@deepseek-ai/dsh-system-prompt');
  const { ToolRuntime, defineTool } = await import('@deepseek-ai/dsh-tools');
  const signal = new AbortController().signal;

  // Its own schema notation, in which it checks both ways.
  const echoParameters = { message: { type: 'string', required: true }, n: { type: 'integer', required: true } };
  const echoOutput = { type: 'object', properties: echoParameters, additionalProperties: false };
  const required = (type) => ({ type, required: true });
  const row = {
    type: 'object',
    properties: { id: required('integer'), name: required('string'), score: required('number'), active: required('boolean') },
    additionalProperties: false,
  };
  const rowsOutput = {
    type: 'object',
    properties: { rows: { type: 'array', items: row, required: true } },
    additionalProperties: false,
  };

  const echoTool = (toolName = 'echo', extra = {}) =>
    defineTool({
      name: toolName,
      description: 'Says it again.',
      parameters: structuredClone(echoParameters),
      output: { schema: structuredClone(echoOutput), render: (_args, value) => text(value.message) },
      execute: async (args) => echo(args),
      ...extra,
    });
  const start = async () => {
    const ctx = new Context();
    await ctx.plugin(SystemPrompt);
    await ctx.plugin(ToolRuntime, { mode: 'native' });
    return ctx;
  };
  const calling = (ctx, toolName = 'echo', more = {}) => ({
    call: () => ctx.tools.execute({ callId: 'call', name: toolName, arguments: echoArguments(), signal, ...more }),
    read,
    close: () => ctx.fiber.dispose(),
  });
  const withEcho = async (extra) => {
    const ctx = await start();
    ctx.tools.register(echoTool('echo', extra));
    return ctx;
  };

  return {
    small: async () => calling(await withEcho()),
    listeners: async (count) => {
      const ctx = await withEcho();
      for (let i = 0; i < count; i += 1) {
        for (const hook of ['tools/pre-execute', 'tools/execute']) ctx.on(hook, (_exec, next) => next());
        ctx.on('tools/post-execute', (_exec, _result, next) => next());
        // It has no tools/call.
        ctx.on('tools/result', () => undefined);
      }
      return calling(ctx);
    },
    timeout: async () => {
      const ctx = await withEcho({ timeoutMs: 30_000 });
      await ctx.plugin(await import('@deepseek-ai/dsh-tool-call-timeout-policy'));
      return calling(ctx);
    },
    rows: async () => {
      const ctx = await start();
      ctx.tools.register(
        defineTool({
          name: 'rows',
          description: 'Many rows.',
          parameters: { count: required('integer') },
          output: { schema: rowsOutput, render: (_args, value) => text(`${value.rows.length} rows`) },
          execute: async () => rowsValue,
        }),
      );
      return { ...calling(ctx), call: () => ctx.tools.execute({ callId: 'call', name: 'rows', arguments: rowsArguments(), signal }) };
    },
    tools: async (count) => {
      const ctx = await start();
      for (let i = 0; i < count; i += 1) ctx.tools.register(echoTool(`echo_${i}`));
      return calling(ctx, `echo_${count - 1}`);
    },
    scopes: async (count) => {
      const { createScope } = await import('@deepseek-ai/dsh-scope');
      const ctx = await start();
      // A scope is keyed by its agent. It may use a service only when the plugin it is made in injects that.
      const agents = Array.from({ length: count }, (_, i) => ({ id: `agent ${i}` }));
      const apply = (inner) => {
        for (const agent of agents) {
          const scope = createScope(inner, agent);
          scope.ctx.tools.register(echoTool());
          scope.ctx.on('tools/pre-execute', (_exec, next) => next());
        }
      };
      await ctx.plugin({ name: 'agents', inject: ['tools'], apply });
      return calling(ctx, 'echo', { agent: agents[count >> 1] });
    },
    batch: async (size) => {
      const one = calling(await withEcho());
      return {
        call: () => Promise.all(Array.from({ length: size }, one.call)),
        read: (results) => results.map(read),
        close: one.close,
      };
    },
  };
}
