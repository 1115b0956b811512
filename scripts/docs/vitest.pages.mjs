import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

/** For the test files that pages make, in a scratch project that is the root. */
export default defineConfig({
  ssr: { resolve: { conditions: ['@sluice/source', ...defaultServerConditions] } },
  test: {
    include: ['**/*.spec.ts'],
    exclude: [],
    server: { deps: { inline: [/node_modules\/\.cache\/pages\//] } },
    reporters: ['default'],
  },
});
