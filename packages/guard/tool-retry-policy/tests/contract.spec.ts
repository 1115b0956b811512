import { ToolError } from '@sluice/core-tools';
import { aTool, describePlugin } from '@sluice/testing';
import { expect } from 'vitest';
import { toolRetryPolicy } from '../src/index.ts';

describePlugin(() => toolRetryPolicy, {
  config: { initialDelayMs: 0, maxDelayMs: 0 },
  proof: async (ctx) => {
    let attempts = 0;
    ctx.tools.register(
      aTool({
        name: 'second_time_lucky',
        annotations: { idempotentHint: true },
        execute: () => {
          attempts += 1;
          if (attempts === 1) throw new ToolError('connection lost', { retryable: true });
          return 'done';
        },
      }),
    );
    expect(await ctx.tools.execute({ name: 'second_time_lucky' })).toMatchObject({ isError: false });
  },
});
