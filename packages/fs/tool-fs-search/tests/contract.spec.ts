import { fsMemory } from '@sluice/fs-memory';
import { describePlugin } from '@sluice/testing';
import { expect } from 'vitest';
import { toolFsSearch } from '../src/index.ts';
import { shown } from './support.ts';

describePlugin(() => toolFsSearch, {
  setup: (ctx) => {
    ctx.plugin(fsMemory, { files: { 'a.txt': 'one\n' } });
  },
  proof: async (ctx) => {
    expect(shown(await ctx.tools.execute({ name: 'grep', arguments: { pattern: 'one' } }))).toContain('a.txt\n1: one');
    expect(shown(await ctx.tools.execute({ name: 'glob', arguments: { pattern: '*.txt' } }))).toContain('a.txt');
  },
});
