import { aCall, aTool, describePlugin } from '@sluice/testing';
import { expect } from 'vitest';
import { approval } from '../src/index.ts';

describePlugin(() => approval, {
  proof: async (ctx) => {
    ctx.tools.register(aTool({ name: 'asked_about' }));
    ctx.tools.guard(({ name }) => (name === 'asked_about' ? { ask: 'a person should see this' } : undefined));
    ctx.on('approval/request', () => ({ kind: 'allowed-once' }));
    expect(await ctx.tools.execute(aCall({ name: 'asked_about' }))).toMatchObject({ isError: false });
  },
});
