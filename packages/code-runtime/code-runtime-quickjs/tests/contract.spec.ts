import { describeCodeRuntime } from '@sluice/testing';
import { codeRuntimeQuickjs } from '../src/index.ts';

describeCodeRuntime('code-runtime-quickjs', {
  mount(ctx, config) {
    ctx.plugin(codeRuntimeQuickjs, config as object);
  },
});
