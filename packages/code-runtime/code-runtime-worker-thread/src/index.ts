import { definePlugin } from '@sluice/core-context';
import { WorkerRuntime, workerRuntimeConfig, type WorkerRuntimeConfig } from '@sluice/code-runtime';
import { capabilities } from './capabilities.ts';

export type CodeRuntimeWorkerThreadConfig = WorkerRuntimeConfig;

/**
 * V8 ends the whole process when one allocation passes its limit by more than a little, such as a list that doubles. So its limit
 * is far above the program's, which is kept by watching instead.
 */
const HEADROOM_MB = 2_048;

/**
 * Service `codeRuntime`: TypeScript in a fresh worker thread per run, in a realm with nothing but the language, its namespaces,
 * `console` and timers. Contains the mistakes of a program, not an attacker: for that there is @sluice/code-runtime-quickjs.
 *
 * Source: dsh code-runtime-worker-thread. Differs: no modules, no process, no network; see the README.
 */
export const codeRuntimeWorkerThread = definePlugin<CodeRuntimeWorkerThreadConfig>({
  name: 'code-runtime-worker-thread',
  config: workerRuntimeConfig,
  apply(ctx, config) {
    const runtime = new WorkerRuntime({
      isolation: 'worker-thread',
      capabilities,
      engine: new URL('./engine.js', import.meta.url),
      config,
      resourceLimits: (heapMb) => ({ maxOldGenerationSizeMb: heapMb + HEADROOM_MB, stackSizeMb: 4 }),
      processMb: (heapMb) => heapMb,
    });
    ctx.provide('codeRuntime', runtime);
    runtime.warm();
    return () => runtime.dispose();
  },
});
export default codeRuntimeWorkerThread;
