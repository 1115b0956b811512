import { describeCodeRuntime } from '@sluice/testing';
import { codeRuntimeWorkerThread } from '../src/index.ts';

/** `CODE_RUNS=500` for the long row; each run is a thread, some 100 ms of work. */
const rows = Number(process.env['CODE_RUNS'] ?? 60);

describeCodeRuntime(
  'code-runtime-worker-thread',
  {
    mount(ctx, config) {
      ctx.plugin(codeRuntimeWorkerThread, config as object);
    },
  },
  { rows, documented: ['stack overflow in the formatting of a stack'] },
);
