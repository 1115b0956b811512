import { definePlugin, type Context, type Plugin } from '@sluice/core-context';

/**
 * A policy that is never ready: while it is mounted, every call below is denied. It stands between the moment in which one
 * policy goes and the moment in which what comes in its place is in force.
 */
const hold: Plugin = definePlugin({
  name: 'deployment-reload',
  gate: true,
  // Nobody provides it.
  inject: ['endOfDeploymentReload' as never],
  apply: () => undefined,
});

/** Denies every call in the context's scope until the returned function is called. Both take effect at once. */
export function holdCalls(ctx: Context): () => void {
  const handle = ctx.plugin(hold);
  return () => void handle.dispose();
}
