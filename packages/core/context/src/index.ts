export { createContext } from './create-context.ts';
export { definePlugin, isPlugin } from './define-plugin.ts';
export { DisposeError } from './errors.ts';
export { contextOf } from './scope-contexts.ts';
export type {
  HookArgs,
  HookName,
  HookResult,
  Listener,
  ListenerOf,
  Notification,
  NotificationName,
  Waterfall,
  WaterfallName,
  WaterfallWithPatch,
} from './hook-types.ts';
export type {
  AsyncDisposer,
  BoundService,
  Cleanup,
  Context,
  ContextCounts,
  ContextMembers,
  ContextNode,
  ContextOptions,
  ContributionEntry,
  Disposer,
  ListenerEntry,
  ListenOptions,
  Logger,
  MountOptions,
  Plugin,
  PluginHandle,
  PluginStatus,
  ScopeRef,
  ServiceName,
} from './types.ts';

// These two are declared here, because TypeScript merges what other packages add only into the module they name.

/**
 * The services of a program, by name. A package adds its own:
 * `declare module '@sluice/core-context' { interface Services { clock: Clock } }`.
 */
export interface Services {}

/**
 * The hooks of a program, by name: each a `Waterfall`, a `WaterfallWithPatch` or a `Notification`. A package adds its own:
 * `declare module '@sluice/core-context' { interface Hooks { 'clock/tick': Notification<[at: number]> } }`.
 */
export interface Hooks {}
