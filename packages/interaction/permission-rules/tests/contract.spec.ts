import { aTool, describePlugin } from '@sluice/testing';
import { expect } from 'vitest';
import { permissionRules } from '../src/index.ts';

describePlugin(() => permissionRules, {
  config: { rules: [{ tool: 'unrelated_*', decision: 'allow' }] },
  proof: async (ctx) => {
    ctx.tools.register(aTool({ name: 'format_disk' }));
    expect(await ctx.tools.execute({ name: 'format_disk' })).toMatchObject({ isError: true, error: { info: { code: 'APPROVAL_UNAVAILABLE' } } });
  },
});
