import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { compileSchema, type JsonObject } from '@sluice/core-schema';
import { assemble } from '../file/assemble.ts';
import { loadPlugin } from '../plugins/load-plugin.ts';
import { conditionsWith } from '../plugins/locate.ts';
import { KNOWN_PLUGINS } from '../plugins/known.ts';
import { shownPath } from '../file/problem.ts';
import type { Io } from '../terminal/io.ts';
import { exitCodes } from './exit-codes.ts';
import { deploymentFile, ownConditions, type DeploymentOptions } from './open.ts';

/** What an editor shows and checks, with the config of each plugin that is named or installed. @returns the exit code */
export async function schema(options: DeploymentOptions & { readonly output?: string }, io: Io): Promise<number> {
  const file = await existing(options.file);
  const directory = file === undefined ? process.cwd() : dirname(file);
  const configs = await configsOf(file, directory, options.env);
  const text = JSON.stringify(deploymentSchema(configs), null, 2);
  if (options.output === undefined) {
    io.out(text);
    return exitCodes.ok;
  }
  const path = resolve(options.output);
  writeFileSync(path, `${text}\n`);
  const near = shownPath(path);
  io.err(`wrote ${near}, with the configs of ${configs.size} plugins`);
  io.err(io.paintErr.dim(`first line for your deployment file:  # yaml-language-server: $schema=${near.startsWith('.') || near.startsWith('/') ? near : `./${near}`}`));
  return exitCodes.ok;
}

async function existing(named: string | undefined): Promise<string | undefined> {
  if (named !== undefined) return deploymentFile(named);
  return Promise.resolve().then(() => deploymentFile(undefined)).catch(() => undefined);
}

/** Config schemas by what stands under `use`. A plugin that cannot be loaded is left out: `check` says why. */
async function configsOf(file: string | undefined, directory: string, env: string | undefined): Promise<Map<string, JsonObject>> {
  const at = { file: file ?? join(directory, 'sluice.yml'), line: 1, column: 1 };
  const assembled = file === undefined || !existsSync(file) ? undefined : assemble(file, env);
  const named = [...(assembled?.plugins ?? []), ...[...(assembled?.scopes.values() ?? [])].flatMap(({ plugins }) => plugins)].flatMap(({ use }) => use ?? []);
  const installed = installedPlugins(directory).map((value) => ({ value, at }));
  const configs = new Map<string, JsonObject>();
  for (const use of [...named, ...installed]) {
    if (configs.has(use.value)) continue;
    const loaded = await loadPlugin(use, { directory, conditions: conditionsWith(ownConditions()) });
    if (!('plugin' in loaded)) continue;
    const { config, name } = loaded.plugin;
    configs.set(use.value, config === undefined ? { type: 'object', maxProperties: 0 } : compileSchema(config, { origin: 'own', label: name }).json);
  }
  return configs;
}

/** Sluice's own plugins among the dependencies of the package there. */
function installedPlugins(directory: string): string[] {
  try {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Record<string, Record<string, string>>;
    return Object.keys({ ...dependencies, ...devDependencies }).filter((name) => KNOWN_PLUGINS.includes(name));
  } catch {
    return [];
  }
}

/** JSON Schema (draft-07, which editors know best) of a deployment file. */
export function deploymentSchema(configs: ReadonlyMap<string, JsonObject>): JsonObject {
  const names = [...configs.keys()].sort();
  const use: JsonObject = { type: 'string', description: 'A package, a path that begins with ./, or either with #export.', anyOf: [{ enum: names.length === 0 ? [...KNOWN_PLUGINS] : names }, { type: 'string' }] };
  const entry: JsonObject = {
    type: 'object',
    additionalProperties: false,
    anyOf: [{ required: ['use'] }, { required: ['id'] }],
    properties: {
      use: { $ref: '#/definitions/use' },
      id: { type: 'string', description: 'What overlays call it. Default: what "use" says.' },
      config: { type: 'object', description: 'Settings of the plugin. ${NAME} and ${NAME:-default} are filled in where a setting takes text.' },
      disabled: { type: 'boolean', description: 'true takes it out.' },
      before: { type: 'string', description: 'The id of the plugin that it goes right before.' },
    },
    allOf: names.map((name) => ({
      if: { required: ['use'], properties: { use: { const: name } } },
      then: { properties: { config: lowered(configs.get(name) as JsonObject) } },
    })),
  };
  const plugins: JsonObject = { type: 'array', description: 'In the order that their hooks run in, outermost first.', items: { anyOf: [{ $ref: '#/definitions/use' }, { $ref: '#/definitions/plugin' }] } };
  const texts: JsonObject = { type: 'array', items: { type: 'string' } };
  const scope: JsonObject = {
    type: ['object', 'null'],
    additionalProperties: false,
    properties: {
      extends: { type: 'string', description: 'The scope that this one is inside of.' },
      tools: { type: 'object', additionalProperties: false, description: 'What is visible of the tools it inherits.', properties: { allow: { ...texts, description: 'Only these; * stands for anything.' }, deny: { ...texts, description: 'Not these.' } } },
      presentation: { enum: ['native', 'code', 'both'], description: 'How tools reach the model.' },
      plugins: { $ref: '#/definitions/plugins' },
    },
  };
  const scopes: JsonObject = { type: 'object', description: 'Agents, each with a layer of its own.', additionalProperties: { $ref: '#/definitions/scope' } };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Sluice deployment',
    type: 'object',
    additionalProperties: false,
    properties: {
      $schema: { type: 'string' },
      include: { description: 'Files to begin with, seen from this one.', anyOf: [{ type: 'string' }, texts] },
      plugins: { $ref: '#/definitions/plugins' },
      scopes: { $ref: '#/definitions/scopes' },
      environments: {
        type: 'object',
        description: 'What --env lays over the rest.',
        additionalProperties: { type: 'object', additionalProperties: false, properties: { plugins: { $ref: '#/definitions/plugins' }, scopes: { $ref: '#/definitions/scopes' } } },
      },
    },
    definitions: { use, plugin: entry, plugins, scope, scopes },
  };
}

/** References of a config schema are to its own root, which is elsewhere here: a schema that has some is left to `check`. */
function lowered(config: JsonObject): JsonObject {
  const text = JSON.stringify(config);
  if (text.includes('"$ref"') || text.includes('"$dynamicRef"')) return { type: 'object' };
  return Object.fromEntries(Object.entries(config).filter(([key]) => key !== '$schema'));
}
