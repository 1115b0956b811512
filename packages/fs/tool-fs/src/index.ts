import { definePlugin } from '@sluice/core-context';
import type {} from '@sluice/core-tools';
import { config, type ToolFsConfig } from './config.ts';
import { editFileTool } from './edit-file.ts';
import { listDirectoryTool } from './list-directory.ts';
import { readFileTool } from './read-file.ts';
import { writeFileTool } from './write-file.ts';

export type { ToolFsConfig } from './config.ts';
export type { EditValue } from './edit-file.ts';
export type { ReadValue } from './read-file.ts';
export type { WriteValue } from './write-file.ts';

/**
 * `read_file`, `write_file`, `edit_file` and `list_directory` over whatever provides `ctx.fs`. Calls on different files overlap,
 * calls that change one file queue.
 *
 * Source: dsh fs/tool-fs. Differs: endings and encodings are kept, near misses are shown, cards are bounded, images by content.
 */
export const toolFs = definePlugin<ToolFsConfig>({
  name: 'tool-fs',
  inject: ['tools', 'fs'],
  config,
  apply(ctx, options) {
    ctx.tools.register(readFileTool(ctx, options));
    ctx.tools.register(listDirectoryTool(ctx, options));
    if (options.readOnly) return;
    ctx.tools.register(writeFileTool(ctx, options));
    ctx.tools.register(editFileTool(ctx, options));
  },
});
export default toolFs;
