// 10,000 times: mount a plugin that registers a tool with a schema of its own, a listener on each hook, a guard and an
// effect; call the tool; unmount.
import { echo, echoArguments, echoSchema, text } from '../data.mjs';
import { contextWithEcho, listen } from '../contenders/sluice.mjs';
import { watch } from './growth.mjs';

const temporary = (cycle) => {
  // A different text each time: whoever keeps compiled schemas for ever keeps 10,000 of them.
  const schema = { ...structuredClone(echoSchema), description: `cycle ${cycle}` };
  return {
    name: 'temporary',
    inject: ['tools'],
    apply(own) {
      listen(own, 1);
      own.tools.guard(() => undefined);
      own.effect(() => () => undefined, 'nothing');
      own.tools.register({
        name: 'temporary',
        description: 'Here for one call.',
        parameters: schema,
        output: { schema, render: (_args, value) => text(value.message) },
        execute: async (args) => echo(args),
      });
    },
  };
};

export async function run() {
  const ctx = await contextWithEcho();
  const cycle = async (i) => {
    const handle = ctx.plugin(temporary(i));
    const result = await ctx.tools.execute({ name: 'temporary', arguments: echoArguments() });
    if (result.isError) throw new Error(result.error.message);
    await handle.dispose();
  };
  const result = await watch('10,000 mounts and unmounts', cycle, { warm: 2_000, perSample: 1_000 });
  await ctx.dispose();
  return result;
}
