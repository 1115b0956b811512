import type { Context } from './types.ts';

/** A scope's path is one frozen array for as long as the scope lives, and no other scope's. */
const contexts = new WeakMap<readonly string[], Context>();

export function rememberScope(ctx: Context): Context {
  contexts.set(ctx.scopePath, ctx);
  return ctx;
}

/**
 * The context of the scope whose path this very array is: what a hook or a tool body that is told a `scopePath` uses to see
 * the services and listeners of that scope. Undefined for an array that is no scope's, such as a copy. The scope may have
 * ended: then nothing is in view.
 */
export function contextOf(scopePath: readonly string[]): Context | undefined {
  return contexts.get(scopePath);
}
