import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { code, codes, generated, packageLink, properties, schemaWords, table } from '../markdown.mjs';
import { packages } from '../packages.mjs';

const LONG = 60;

/** docs/catalog/plugins.md: what every plugin of ours takes, gives and listens on. */
export function pluginsPage({ plugins, sources }) {
  const without = packages.filter(({ name }) => !plugins.some((plugin) => plugin.name === name));
  return [
    generated('the plugins, mounted'),
    '# Plugins',
    'Each is exported by its package under the name in the first column, and as default. What it provides, listens on and adds is what `ctx.inspect()` shows of it once it is mounted; a *gate* is a policy that must not be missing: while it is mounted and not active, nothing runs.',
    table(
      ['Plugin', 'Package', 'Injects', 'Provides', 'Gate', 'Tools'],
      plugins.map((each) => [
        `[\`${each.export}\`](#${each.export.toLowerCase()})`,
        packageLink(each),
        codes(each.plugin.inject ?? []),
        codes(each.node.services),
        each.plugin.gate === true ? 'yes' : '',
        codes(each.tools.map(({ name }) => name)),
      ]),
    ),
    ...plugins.map((each) => section(each, sources)),
    '## Packages without a plugin',
    table(['Package', 'What it is'], without.map((each) => [packageLink(each), each.manifest.description])),
  ].join('\n\n');
}

function section({ export: name, plugin, node, manifest, path, directory, name: packageName, tools }, sources) {
  const later = [...sources.listens].filter(([hook, who]) => who.has(packageName) && node.listeners[hook] === undefined).map(([hook]) => hook);
  const runs = [...sources.runs].filter(([, who]) => who.has(packageName)).map(([hook]) => hook);
  const adds = node.contributions.filter((label) => !label.startsWith('tool '));
  const facts = [
    ['Package', packageLink({ name: packageName, path })],
    ['Name', code(plugin.name)],
    ['Waits for services', codes(plugin.inject ?? []) || 'none'],
    ['Provides services', codes(node.services) || 'none'],
    ['Gate', plugin.gate === true ? 'yes' : 'no'],
    ['Listens on', hookLinks(Object.keys(node.listeners)) || 'nothing'],
    ...(later.length === 0 ? [] : [['Listens later on, when there is reason', hookLinks(later)]]),
    ['Runs hooks', hookLinks(runs) || 'none'],
    ...(adds.length === 0 ? [] : [['Adds', adds.join(', ')]]),
    ...(tools.length === 0 ? [] : [['Tools', tools.map((tool) => `[\`${tool.name}\`](tools.md#${tool.name})`).join(', ')]]),
  ];
  return [`## ${name}`, manifest.description + '.', table(['', ''], facts), config({ name, plugin, directory }, sources)].join('\n\n');
}

const hookLinks = (hooks) => hooks.sort().map((hook) => `[\`${hook}\`](hooks.md#${hook.replace('/', '')})`).join(', ');

/** @throws if nothing says what an option means: neither its schema, nor the type of the configuration, nor the README */
function config({ name, plugin, directory }, sources) {
  if (plugin.config === undefined) return 'Takes no configuration.';
  const type = `${name[0].toUpperCase()}${name.slice(1)}Config`;
  const members = sources.types.get(type);
  // A list is one option, whatever its items are made of.
  const readme = readmeRows(directory);
  const rows = [...properties(plugin.config)].filter(({ path }) => !path.includes('[]')).map(({ path, schema, isRequired }) => {
    const says = schema.description ?? memberAt(members, path, sources.types)?.says ?? readme.get(path);
    if (says === undefined && schema.properties === undefined) throw new Error(`nothing says what the option ${path} of ${name} means`);
    return [code(path), schema.properties === undefined ? schemaWords(schema) : 'object', defaultOf(schema, isRequired), says ?? ''];
  });
  return table(['Option', 'Type', 'Default', 'Meaning'], rows);
}

/** What the tables of a README say, in their last cell, of the names in their first. */
function readmeRows(directory) {
  const rows = new Map();
  for (const line of readFileSync(join(directory, 'README.md'), 'utf8').split('\n')) {
    const cells = line.replace(/^\|\s*|\s*\|$/g, '').split(/\s+\|\s+/);
    if (line.startsWith('|')) for (const [, name] of cells[0].matchAll(/`([^`]+)`/g)) rows.set(name, cells.at(-1));
  }
  return rows;
}

function memberAt(members, path, types) {
  return path.split('.').reduce((at, name) => (Array.isArray(at) ? at : (at?.members ?? types.get(at?.type)))?.find((member) => member.name === name), members);
}

function defaultOf(schema, isRequired) {
  if (isRequired) return 'required';
  if (schema.default === undefined) return 'none';
  const text = JSON.stringify(schema.default);
  if (text === '{}' && schema.properties !== undefined) return 'as below';
  return text.length <= LONG ? code(text) : `${schema.default.length ?? 'several'} entries, see the package`;
}
