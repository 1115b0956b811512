import { describeCodeRuntime } from '@sluice/testing';
import { codeRuntimeQuickjs } from '../src/index.ts';

/** `CODE_RUNS=500` for the long row; each run is a thread, some 100 ms of work. */
const rows = Number(process.env['CODE_RUNS'] ?? 60);

describeCodeRuntime(
  'code-runtime-quickjs',
  {
    mount(ctx, config) {
      ctx.plugin(codeRuntimeQuickjs, config as object);
    },
  },
  { rows },
);
