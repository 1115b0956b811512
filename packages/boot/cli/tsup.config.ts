import { defineConfig } from 'tsup';
import { base } from '../../../tsup.config.base.js';

export default defineConfig({ ...base, entry: ['src/index.ts', 'src/bin.ts'], dts: { ...(base.dts as object), entry: 'src/index.ts' }, splitting: true });
