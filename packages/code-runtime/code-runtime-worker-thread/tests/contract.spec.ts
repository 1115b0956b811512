import { describeCodeRuntime } from '@sluice/testing';
import { codeRuntimeWorkerThread } from '../src/index.ts';

describeCodeRuntime(
  'code-runtime-worker-thread',
  {
    mount(ctx, config) {
      ctx.plugin(codeRuntimeWorkerThread, config as object);
    },
  },
  { documented: ['stack overflow in the formatting of a stack'] },
);
