import { code, generated, packageLink, properties, schemaWords, table } from '../markdown.mjs';

/** docs/catalog/tools.md: every tool that a plugin of ours registers. */
export function toolsPage({ plugins }) {
  const tools = plugins.flatMap((plugin) => plugin.tools.map((tool) => ({ plugin, tool })));
  return [
    generated('the tools that our plugins register'),
    '# Tools',
    'Every tool that a package of ours brings, as it is registered with the plugin\'s default configuration. A model sees name, description and parameters. Annotations are for policies.',
    table(['Tool', 'Package', 'Says of itself'], tools.map(({ plugin, tool }) => [`[\`${tool.name}\`](#${tool.name})`, packageLink(plugin), annotations(tool.definition)])),
    ...tools.map(({ plugin, tool }) => section(plugin, tool)),
  ].join('\n\n');
}

function section(plugin, { name, description, parameters, definition }) {
  const schema = definition.output.schema;
  const facts = [
    ['Package', `${packageLink(plugin)}, plugin ${code(plugin.export)}`],
    ['Annotations', annotations(definition)],
    ['Overlaps other calls', overlap(definition)],
    ['Milliseconds per attempt', definition.timeoutMs === undefined ? 'not declared' : definition.timeoutMs.toLocaleString('en')],
  ];
  return [
    `## ${name}`,
    description.split('\n').map((line) => `> ${line}`.trimEnd()).join('\n'),
    table(['', ''], facts),
    'Parameters:',
    propertyTable(parameters),
    schema.properties === undefined ? valueWords(schema) : `Value:\n\n${propertyTable(schema)}`,
  ].join('\n\n');
}

/** What has rows of its own below needs no list of them. */
function words(property) {
  if (property.properties !== undefined) return 'object';
  return property.items?.properties === undefined ? schemaWords(property) : 'array of object';
}

function propertyTable(schema) {
  const rows = [...properties(schema)].map(({ path, schema: property, isRequired }) => [
    code(path),
    words(property),
    isRequired ? 'yes' : property.default === undefined ? 'no' : `no, ${code(JSON.stringify(property.default))}`,
    property.description ?? '',
  ]);
  return rows.length === 0 ? 'None.' : table(['Name', 'Type', 'Required', 'Description'], rows);
}

function valueWords(schema) {
  const choice = schema.oneOf ?? schema.anyOf;
  if (choice === undefined) return `Value: ${schemaWords(schema)}.`;
  return `Value, one of:\n\n${choice.map((each) => `- ${schemaWords(each)}`).join('\n')}`;
}

function annotations({ annotations: given = {} }) {
  const names = Object.entries(given).filter(([, value]) => value !== undefined);
  return names.length === 0 ? 'nothing' : names.map(([name, value]) => code(typeof value === 'string' ? `${name}: ${JSON.stringify(value)}` : `${name}: ${value}`)).join(', ');
}

function overlap({ locks, isConcurrencySafe }) {
  if (locks !== undefined) return 'yes, with locks (`locks`)';
  return isConcurrencySafe === undefined ? 'no' : 'yes (`isConcurrencySafe`)';
}
