import './hooks.ts';

export { createContext, definePlugin } from '@sluice/core-context';
export { canonicalJson, isSluiceError, SluiceError } from '@sluice/core-schema';
export type { AsyncDisposer, Context, Disposer, Logger, Plugin, PluginHandle } from '@sluice/core-context';
export type { InferInput, JsonObject, JsonValue, SchemaSource } from '@sluice/core-schema';

export { tools, tools as default, type ToolsConfig } from './plugin.ts';
export { defineTool } from './define-tool.ts';
export { isToolError, ToolError, type ToolErrorOptions } from './tool-error.ts';
export { codes, isCoreCode, type CoreCode } from './errors.ts';
export { checkContent, checkContexts, type CheckedContent } from './content.ts';
export { LazyAbortController } from './lazy-abort-controller.ts';
export { onAbort } from './signal.ts';
export { namePattern } from './registry/name-pattern.ts';
export type { HookName } from './hooks.ts';
export type { SdkRenderer, SdkTool } from './code-mode/sdk/sdk-renderer.ts';
export type * from './services.ts';
export type * from './agent.ts';
export type * from './blocks.ts';
export type * from './cards.ts';
export type * from './types.ts';
