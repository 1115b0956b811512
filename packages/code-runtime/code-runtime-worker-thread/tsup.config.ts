import { defineConfig } from 'tsup';
import { base } from '../../../tsup.config.base.js';

export default defineConfig({
  ...base,
  // The engine is a file of its own in dist, as it is in src.
  entry: ['src/index.ts', 'src/engine.js'],
  dts: { ...(base.dts as object), entry: 'src/index.ts' },
});
