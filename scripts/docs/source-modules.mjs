import { rmSync } from 'node:fs';
import { createServer, createServerModuleRunner, defaultServerConditions } from 'vite';
import { scratchProject } from '../scratch-project.mjs';

/**
 * A scratch project whose modules, and the packages they import, are loaded from TypeScript source, without a build: what
 * `import` gives is what our packages are now. `close()` it.
 */
export async function sourceModules(name) {
  const directory = scratchProject(name);
  const server = await createServer({
    root: directory,
    configFile: false,
    logLevel: 'error',
    appType: 'custom',
    server: { middlewareMode: true, watch: null, ws: false, hmr: false },
    optimizeDeps: { noDiscovery: true, include: [] },
    ssr: { resolve: { conditions: ['@sluice/source', ...defaultServerConditions] } },
  });
  const runner = createServerModuleRunner(server.environments.ssr, { hmr: false });
  return {
    directory,
    load: (specifier) => runner.import(specifier),
    async close() {
      await runner.close();
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
