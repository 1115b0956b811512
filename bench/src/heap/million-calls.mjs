// One million calls on one context: three listeners on each hook, a deadline, and one signal that outlives them all.
import { getEventListeners } from 'node:events';
import { echoArguments } from '../data.mjs';
import { contextWithEcho, listen, mountTimeoutPolicy } from '../contenders/sluice.mjs';
import { watch } from './growth.mjs';

export async function run() {
  const ctx = await contextWithEcho({ timeoutMs: 30_000 });
  await mountTimeoutPolicy(ctx);
  listen(ctx, 3);
  const { signal } = new AbortController();
  const call = async () => {
    const result = await ctx.tools.execute({ name: 'echo', arguments: echoArguments(), signal });
    if (result.isError) throw new Error(result.error.message);
  };
  const result = await watch('1,000,000 calls', call, { warm: 100_000, perSample: 100_000 });
  const left = getEventListeners(signal, 'abort').length;
  await ctx.dispose();
  return { ...result, title: `${result.title}, ${left} listeners left on the signal`, passed: result.passed && left === 0 };
}
