import { defineConfig } from 'tsup';
import { base } from '../../../tsup.config.base.js';

export default defineConfig({
  ...base,
  // The worker is a file of its own in dist, as it is in src.
  entry: ['src/index.ts', 'src/worker.js'],
  dts: { ...(base.dts as object), entry: 'src/index.ts' },
});
