import { aCall, aTool, describePlugin } from '@sluice/testing';
import { expect } from 'vitest';
import { renderTerminal } from '../src/index.ts';
import { Paper } from './paper.ts';

const output = new Paper();

describePlugin(() => renderTerminal, {
  config: { output },
  proof: async (ctx) => {
    const off = ctx.tools.register(aTool({ name: 'drawn' }));
    output.text = '';
    await ctx.tools.execute(aCall({ name: 'drawn', arguments: {} }));
    off();
    expect(output.lines[0]).toMatch(/^✓ drawn/);
  },
});
