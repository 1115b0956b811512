// #region use
import { createContext, defineTool, tools } from '@sluice/core-tools';
import { permissionRules } from '@sluice/permission-rules';

const bash = defineTool({
  name: 'bash',
  description: 'Runs a command.',
  parameters: { command: { type: 'string', required: true } },
  output: { schema: { type: 'string' }, render: (_args, text) => [{ type: 'text', text }] },
  execute: ({ command }) => `ran ${command}`,
});

const ctx = createContext();
try {
  ctx.plugin(tools);
  ctx.plugin(permissionRules, {
    rules: [
      { tool: 'bash', when: { command: { startsWithWord: 'git status' } }, decision: 'allow' },
      { tool: 'bash', when: { command: { startsWithWord: 'rm' } }, decision: 'deny', reason: 'Files are moved to the bin, not removed.' },
    ],
  });
  ctx.tools.register(bash);
  for (const command of ['git status --short', 'git status; sudo rm -r src', 'npm publish']) {
    const result = await ctx.tools.execute({ name: 'bash', arguments: { command } });
    console.log(result.isError ? result.error.info.code : result.value);
  }
  // ran git status --short
  // DENIED
  // APPROVAL_UNAVAILABLE
} finally {
  await ctx.dispose();
}
// #endregion
