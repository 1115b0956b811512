import { definePlugin } from '@sluice/core-context';
import { WorkerRuntime, workerRuntimeConfig, type WorkerRuntimeConfig } from '@sluice/code-runtime';
import { capabilities } from './capabilities.ts';
import { quickjsModule } from './wasm.ts';

export type CodeRuntimeQuickjsConfig = WorkerRuntimeConfig;

/** What the thread around the engine may use: copies of what goes in and out, and bookkeeping. */
const THREAD_MB = 2_048;
const BESIDE_MB = 128;

/**
 * Service `codeRuntime`: TypeScript in QuickJS in WebAssembly, in a fresh worker thread per run. The engine has no way to
 * anything but its namespaces, `console` and timers, and itself bounds time and memory. Made for programs that nobody trusts.
 */
export const codeRuntimeQuickjs = definePlugin<CodeRuntimeQuickjsConfig>({
  name: 'code-runtime-quickjs',
  config: workerRuntimeConfig,
  apply(ctx, config) {
    const runtime = new WorkerRuntime({
      isolation: 'quickjs',
      capabilities,
      engine: new URL('./engine.js', import.meta.url),
      engineData: quickjsModule,
      config,
      resourceLimits: () => ({ maxOldGenerationSizeMb: THREAD_MB, stackSizeMb: 8 }),
      processMb: (heapMb) => 2 * heapMb + BESIDE_MB,
    });
    ctx.provide('codeRuntime', runtime);
    runtime.warm();
    return () => runtime.dispose();
  },
});
export default codeRuntimeQuickjs;
