import { describePlugin } from '@sluice/testing';
import { expect } from 'vitest';
import { toolTodo } from '../src/index.ts';

describePlugin(() => toolTodo, {
  config: { allowParallelInProgress: false },
  proof: async (ctx) => {
    expect(await ctx.tools.execute({ name: 'todo_write', arguments: { todos: [] } })).toMatchObject({ isError: false });
  },
});
