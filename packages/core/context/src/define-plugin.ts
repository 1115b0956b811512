import { SluiceError } from '@sluice/core-schema';
import type { Plugin } from './types.ts';

const BRAND = Symbol.for('sluice.plugin');

const KEYS = new Set(['name', 'inject', 'gate', 'config', 'apply']);

/**
 * Checks a plugin and marks it as one, so that any copy of this package recognises it. Does nothing else: the plugin runs
 * when a context mounts it. Returns a frozen copy.
 * @throws SluiceError `INVALID_PLUGIN` naming what is wrong.
 */
export function definePlugin<C>(plugin: Plugin<C>): Plugin<C> {
  assertPlugin(plugin);
  const { name, inject, gate, config } = plugin;
  const defined: Plugin<C> = {
    name,
    ...(inject === undefined ? {} : { inject: Object.freeze([...inject]) }),
    ...(gate === undefined ? {} : { gate }),
    ...(config === undefined ? {} : { config }),
    // Called on the original, which may be an object with a life of its own.
    apply: (ctx, given) => plugin.apply(ctx, given),
  };
  Object.defineProperty(defined, BRAND, { value: true });
  return Object.freeze(defined);
}

/** Whether a value was made by `definePlugin` of this or another copy of the package. */
export function isPlugin(value: unknown): value is Plugin {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
}

/** Throws unless the value can be mounted. */
export function assertPlugin(value: unknown): asserts value is Plugin<never> {
  if (isPlugin(value)) return;
  if (typeof value !== 'object' || value === null) throw invalid('a plugin', `must be an object { name, apply, ... }, received ${kindOf(value)}`);
  const plugin = value as Record<string, unknown>;
  const { name, inject, gate, config, apply } = plugin;
  if (typeof name !== 'string' || name.trim() === '') throw invalid('a plugin', `needs a name, a non-empty string, received ${kindOf(name)}`);
  const title = `plugin "${name}"`;
  const unknown = Object.keys(plugin).find((key) => !KEYS.has(key));
  if (unknown !== undefined) throw invalid(title, `has no key "${unknown}"; known are ${[...KEYS].join(', ')}`);
  if (typeof apply !== 'function') throw invalid(title, `needs apply(ctx, config), a function, received ${kindOf(apply)}`);
  if (inject !== undefined && !(Array.isArray(inject) && inject.every((item) => typeof item === 'string'))) {
    throw invalid(title, `inject must be an array of service names, received ${kindOf(inject)}`);
  }
  if (gate !== undefined && typeof gate !== 'boolean') throw invalid(title, `gate must be true or false, received ${kindOf(gate)}`);
  if (config !== undefined && (typeof config !== 'object' || config === null || Array.isArray(config))) {
    throw invalid(title, `config must be an object schema, received ${kindOf(config)}`);
  }
}

function invalid(title: string, problem: string): SluiceError {
  return new SluiceError('INVALID_PLUGIN', `core-context: ${title} ${problem}`);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === '') return 'an empty string';
  return Array.isArray(value) ? 'an array' : typeof value;
}
