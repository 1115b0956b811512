// #region use
import { definePlugin } from '@sluice/core-tools';
import { aCall, aHost, aTool, describePlugin, recordHooks } from '@sluice/testing';
import { expect, it } from 'vitest';

export const noShell = definePlugin({
  name: 'no-shell',
  apply(ctx) {
    ctx.tools.guard(({ name }) => (name === 'shell' ? 'no shell here' : undefined));
  },
});

// Twelve tests: what every plugin promises, and that this one does something.
describePlugin(() => noShell, {
  async proof(ctx) {
    ctx.tools.register(aTool({ name: 'shell' }));
    expect(await ctx.tools.execute(aCall({ name: 'shell' }))).toMatchObject({ isError: true });
  },
});

it('denies a shell before its body runs', async () => {
  await using host = aHost();
  const seen = recordHooks(host.ctx);
  host.ctx.plugin(noShell);
  host.ctx.tools.register(aTool({ name: 'shell' }));
  await host.ctx.tools.execute(aCall({ name: 'shell', callId: 'c1' }));
  expect(seen.trace('c1')).not.toContain('tools/execute:enter');
});
// #endregion
