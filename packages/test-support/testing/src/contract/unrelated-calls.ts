import { ToolError, type Context, type ToolExecutionResult } from '@sluice/core-tools';
import { aGate, aTool } from '../factories.ts';
import { assertForgotten, unrelated, type World } from './world.ts';

type Results = Promise<ToolExecutionResult[]>;

/** Calls that succeed, with everything a success can carry. */
export async function successes({ ctx }: World): Results {
  return [
    await ctx.tools.execute(unrelated('echo')),
    await ctx.tools.execute(unrelated('echo', { argumentsText: '{"of":"text"}' })),
    await ctx.tools.execute(unrelated('talk')),
    ...(await ctx.tools.executeAll([unrelated('echo', { callId: 'first' }), unrelated('echo', { callId: 'second' })])),
  ];
}

/** Calls that fail, each for a reason of its own. */
export async function failures({ ctx }: World): Results {
  const refusal = ctx.tools.register(
    aTool({
      name: 'unrelated_refusal',
      execute() {
        throw new ToolError('not today', { code: 'NOT_TODAY', hint: 'Ask tomorrow.', content: [{ type: 'text', text: 'no' }] });
      },
    }),
  );
  const results: ToolExecutionResult[] = [];
  for (const name of ['failure', 'refusal', 'nonsense', 'missing_tool']) results.push(await ctx.tools.execute(unrelated(name)));
  results.push(await ctx.tools.execute(unrelated('echo', { arguments: [] })));
  const guard = ctx.tools.guard(({ callId }) => (callId === 'guarded' ? 'not this one' : undefined));
  results.push(await ctx.tools.execute(unrelated('echo', { callId: 'guarded' })));
  guard();
  refusal();
  return results;
}

/** One call for each hook in which a listener further in throws. An outer observer sees that too, not only the result. */
export async function throwsFurtherIn({ ctx }: World): Results {
  const results: ToolExecutionResult[] = [];
  for (const listen of faulty) {
    const dispose = listen(ctx);
    results.push(await ctx.tools.execute(unrelated('echo')));
    dispose();
  }
  return results;
}

const fail = (): never => {
  throw new Error('a fault further in');
};
const faulty: readonly ((ctx: Context) => () => void)[] = [
  (ctx) => ctx.on('tools/pre-execute', fail),
  (ctx) => ctx.tools.guard(fail),
  (ctx) => ctx.on('tools/execute', fail),
  (ctx) => ctx.on('tools/post-execute', fail),
  (ctx) => ctx.on('tools/call', fail),
  (ctx) => ctx.on('tools/result', fail),
];

/** Calls that their caller gave up: before entry, and while the body runs. */
export async function abortedCalls({ ctx }: World): Results {
  const before = AbortSignal.abort('gone before');
  const controller = new AbortController();
  const { signal } = controller;
  const entered = aGate();
  const wait = ctx.tools.register(
    aTool({
      name: 'unrelated_wait',
      execute: (_args, { signal: own }) =>
        new Promise((_resolve, reject) => {
          own.addEventListener('abort', () => { reject(own.reason as Error); }, { once: true });
          entered.open();
        }),
    }),
  );
  const early = await ctx.tools.execute(unrelated('echo', { signal: before }));
  const running = ctx.tools.execute(unrelated('wait', { signal }));
  await entered.opened;
  controller.abort('gone meanwhile');
  const results = [early, await running];
  wait();
  assertForgotten(before);
  assertForgotten(signal);
  return results;
}

/** Fifty calls at once, ending in any order, half of them under one call id, every seventh failing. */
export async function concurrentCalls({ ctx }: World): Results {
  const { signal } = new AbortController();
  const calls = Array.from({ length: 50 }, (_, i) =>
    unrelated('slow', {
      callId: i % 2 === 0 ? 'shared' : `own-${i}`,
      arguments: { id: i, hops: (i * 7) % 11, fails: i % 7 === 3 },
      signal,
    }),
  );
  const results = await Promise.all(calls.map((call) => ctx.tools.execute(call)));
  assertForgotten(signal);
  return results;
}
