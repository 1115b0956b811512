import { aTool, describePlugin } from '@sluice/testing';
import { expect } from 'vitest';
import { toolCallLimits } from '../src/index.ts';

describePlugin(() => toolCallLimits, {
  config: { perTool: { limited: { perRun: 1, maxRunning: 1 } }, together: { 'unrelated_*': { maxRunning: 1_000 } } },
  proof: async (ctx) => {
    ctx.tools.register(aTool({ name: 'limited' }));
    const results = [await ctx.tools.execute({ name: 'limited' }), await ctx.tools.execute({ name: 'limited' })];
    expect(results.map(({ isError }) => isError)).toEqual([false, true]);
  },
});
