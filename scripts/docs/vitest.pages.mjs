import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

/** For the test files that pages make, in a scratch project that is the root. */
export default defineConfig({
  ssr: { resolve: { conditions: ['@sluice/source', ...defaultServerConditions] } },
  test: {
    // Not below node_modules of the scratch project: the packages are linked there, with tests of their own.
    include: ['concepts/**/*.spec.ts', 'cookbook/**/*.spec.ts'],
    exclude: [],
    server: { deps: { inline: [/node_modules\/\.cache\/pages\//] } },
    reporters: ['default'],
  },
});
