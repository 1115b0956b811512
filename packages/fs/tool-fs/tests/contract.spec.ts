import { describePlugin } from '@sluice/testing';
import { fsMemory } from '@sluice/fs-memory';
import { expect } from 'vitest';
import { toolFs } from '../src/index.ts';
import { shown } from './support.ts';

describePlugin(() => toolFs, {
  setup: (ctx) => {
    ctx.plugin(fsMemory, { files: { 'a.txt': 'one\n' } });
  },
  proof: async (ctx) => {
    expect(shown(await ctx.tools.execute({ name: 'read_file', arguments: { path: 'a.txt' } }))).toContain('1: one');
  },
});
