// A deployment, whole: which tools there are, and what stands between them and a model. Every line is a plugin. Take one out
// and see what changes; nothing else has to be told. Where the order matters it says so.
import { createContext, tools } from '@sluice/core-tools';
import { agentLoop } from '@sluice/core-agent-loop';
import { systemPrompt } from '@sluice/core-system-prompt';
import { approval } from '@sluice/approval';
import { approvalCli } from '@sluice/approval-cli';
import { codeRuntimeQuickjs } from '@sluice/code-runtime-quickjs';
import { fsLocal } from '@sluice/fs-local';
import { fsObservationPolicy } from '@sluice/fs-observation-policy';
import { permissionRules } from '@sluice/permission-rules';
import { repeatToolReminder } from '@sluice/repeat-tool-reminder';
import { toolCallLimits } from '@sluice/tool-call-limits';
import { toolCallTimeoutPolicy } from '@sluice/tool-call-timeout-policy';
import { toolFs } from '@sluice/tool-fs';
import { toolFsSearch } from '@sluice/tool-fs-search';
import { toolRetryPolicy } from '@sluice/tool-retry-policy';
import { toolTodo } from '@sluice/tool-todo';
import { taxRate, waitForBuild } from './tools.mjs';

/**
 * @param root the project: the only place that a tool can reach
 * @param rulesFile where "always" is remembered, out of the tools' reach
 * @param more plugins of whoever calls: a renderer, an answerer
 */
export async function compose({ root, rulesFile, more = [] }) {
  const ctx = createContext();
  ctx.plugin(tools, { mode: 'both' }); // tools one by one, and programs that call them
  ctx.plugin(agentLoop, { maxSteps: 30 });
  ctx.plugin(systemPrompt);

  // What there is to work with.
  ctx.plugin(fsLocal, { root });
  ctx.plugin(fsObservationPolicy); // read before you edit
  ctx.plugin(toolFs);
  ctx.plugin(toolFsSearch);
  ctx.plugin(toolTodo, { allowParallelInProgress: false });
  ctx.plugin(codeRuntimeQuickjs, { limits: { computeMs: 5_000, wallMs: 60_000, heapMb: 64, outputBytes: 100_000 } });
  for (const tool of [taxRate, waitForBuild]) ctx.tools.register(tool);

  // Who may do what: sources may be edited, what is built may not, and about everything else a person is asked.
  ctx.plugin(permissionRules, {
    root,
    file: rulesFile,
    rules: [
      { tool: '{todo_write,run_code,read_file,list_directory,glob,grep,tax_rate,wait_for_build}', decision: 'allow' },
      { tool: '{edit_file,write_file}', when: { path: { path: 'src/**' } }, decision: 'allow' },
      { tool: '{edit_file,write_file}', when: { path: { path: 'dist/**' } }, decision: 'deny', reason: 'The build makes these files.' },
      { tool: '{edit_file,write_file}', when: { path: { path: '*.md' } }, decision: 'ask', reason: 'People read this file.' },
    ],
  });
  ctx.plugin(approval);
  ctx.plugin(approvalCli); // the person at the terminal; where there is none it leaves the question to whoever comes later

  // Around every call. The deadline is inside the retries, so that each attempt has its own.
  ctx.plugin(toolCallLimits, { together: { '*': { perTurn: 100 } } });
  ctx.plugin(toolRetryPolicy, { initialDelayMs: 50 });
  ctx.plugin(toolCallTimeoutPolicy, { defaultMs: 30_000 });
  ctx.plugin(repeatToolReminder);

  for (const [plugin, config] of more) ctx.plugin(plugin, config);
  ctx.systemPrompt.section({ name: 'role', text: 'You look after the small project in this workspace. Say briefly what you are about to do, then do it.' });
  await ctx.ready();
  return ctx;
}
