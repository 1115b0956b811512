import { definePlugin } from '@sluice/core-context';
import type {} from '@sluice/core-tools';
import { config, type ToolFsSearchConfig } from './config.ts';
import { globTool } from './glob-tool.ts';
import { grepTool } from './grep-tool.ts';

export type { ToolFsSearchConfig } from './config.ts';
export type { GrepValue } from './grep-tool.ts';

/**
 * `glob` and `grep` over whatever provides `ctx.fs`. What cannot be searched is named, never a reason to fail; no pattern can hang
 * the host.
 *
 * Source: dsh fs/tool-fs-search. Differs: over the seam, so confined; newest first; partial results; paging, context, counts.
 */
export const toolFsSearch = definePlugin<ToolFsSearchConfig>({
  name: 'tool-fs-search',
  inject: ['tools', 'fs'],
  config,
  apply(ctx, options) {
    ctx.tools.register(globTool(ctx, options));
    ctx.tools.register(grepTool(ctx, options));
  },
});
export default toolFsSearch;
