import { describe, it } from 'vitest';
import type { AnyPlugin } from './contract/world.ts';
import { pluginChecks, type PluginCheckOptions } from './plugin-checks.ts';

/**
 * The checks of `pluginChecks` as tests, one each. Write it at the top level of a spec file:
 * `describePlugin(() => myPlugin, { proof: async (ctx) => { … } })`.
 */
export function describePlugin(factory: () => AnyPlugin, options: PluginCheckOptions = {}): void {
  describe(`the plugin contract of ${factory().name}`, () => {
    for (const check of pluginChecks(factory, options)) it(check.name, () => check.run());
  });
}
