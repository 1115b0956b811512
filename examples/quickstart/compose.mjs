// The deployment: which tools there are, and which policies stand around them. Policies on one hook nest in the order
// they are mounted, the first one outermost: retry-once is outside the deadlines, so each attempt has its own.
import { createContext, tools } from '@sluice/core-tools';
import { toolCallTimeoutPolicy } from '@sluice/tool-call-timeout-policy';
import { askBeforeLargeReads, noEdits, retryOnce, stayInRepository } from './policies.mjs';
import { allTools } from './tools.mjs';
import { trace } from './trace.mjs';

export async function compose(report) {
  const ctx = createContext();
  ctx.plugin(tools);
  ctx.plugin(noEdits);
  ctx.plugin(askBeforeLargeReads);
  ctx.plugin(stayInRepository);
  ctx.plugin(retryOnce);
  ctx.plugin(toolCallTimeoutPolicy);
  for (const tool of allTools) ctx.tools.register(tool);
  ctx.plugin(trace(report));
  await ctx.ready();
  return ctx;
}
