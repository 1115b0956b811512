// #region use
import { createContext, defineTool, tools } from '@sluice/core-tools';
import { toolCallTimeoutPolicy } from '@sluice/tool-call-timeout-policy';

const fetchPage = defineTool({
  name: 'web_fetch',
  description: 'Fetches a page.',
  parameters: { url: { type: 'string', required: true } },
  output: { schema: { type: 'string' }, render: (_args, page) => [{ type: 'text', text: page }] },
  timeoutMs: 20_000,
  execute: async ({ url }, { signal }) => (await fetch(url, { signal })).text(),
});

const ctx = createContext();
try {
  ctx.plugin(tools);
  ctx.plugin(toolCallTimeoutPolicy, { defaultMs: 60_000, perTool: { 'web_*': 50 } });
  ctx.tools.register(fetchPage);
  const result = await ctx.tools.execute({ name: 'web_fetch', arguments: { url: 'https://example.com/' } });
  console.log(result.isError ? result.error.message : result.value); // tool call timed out after 50ms
} finally {
  await ctx.dispose();
}
// #endregion
