import { approval } from '@sluice/approval';
import { aCall, aTool, describePlugin } from '@sluice/testing';
import { expect } from 'vitest';
import { approvalCli } from '../src/index.ts';
import { FakeTerminal } from './fake-terminal.ts';

const terminal = new FakeTerminal();

describePlugin(() => approvalCli, {
  config: { input: terminal.input, output: terminal.output },
  setup: (ctx) => {
    ctx.plugin(approval);
  },
  proof: async (ctx) => {
    const off = ctx.tools.register(aTool({ name: 'asked_about' }));
    const offGuard = ctx.tools.guard(({ name }) => (name === 'asked_about' ? { ask: 'a person should see this' } : undefined));
    const drawn = terminal.until('y once');
    const call = ctx.tools.execute(aCall({ name: 'asked_about' }));
    await Promise.race([drawn, call]);
    terminal.type('y');
    expect(await call).toMatchObject({ isError: false });
    offGuard();
    off();
  },
});
