import { code, codes, generated, table } from '../markdown.mjs';
import { packages } from '../packages.mjs';
import { hooks as words, runByApplications } from '../words/hooks.mjs';

const KINDS = { Waterfall: 'waterfall', WaterfallWithPatch: 'waterfall', Notification: 'notification' };
const LOGGED = 'logged; changes nothing';

/** docs/catalog/hooks.md: every hook that a package of ours declares. @throws if words and source do not fit */
export function hooksPage({ sources, plugins }) {
  // Within a prefix as declared, which is about the order of a call.
  const hooks = [...sources.hooks].sort(([a], [b]) => order(a) - order(b));
  for (const name of Object.keys(words)) if (!sources.hooks.has(name)) throw new Error(`scripts/docs/words/hooks.mjs speaks of ${name}, which no package declares`);
  return [
    generated('the declarations of hooks'),
    '# Hooks',
    'A *waterfall* wraps: each listener gets the arguments and `next`, and answers itself or passes on what `next()` gives; the first registered is outermost. A *notification* tells: what a listener returns is not looked at, and what it throws is logged. Listen with `ctx.on(name, listener)`. All of `tools/` in the order of a call: [the pipeline](../pipeline.md).',
    table(['Hook', 'Kind', 'Run by', 'When a listener throws, or answers nonsense'], hooks.map(([name, hook]) => [`[\`${name}\`](#${name.replace('/', '')})`, KINDS[hook.kind], runBy(name, sources), failsOf(name, hook)])),
    ...hooks.map(([name, hook]) => section(name, hook, { sources, plugins })),
  ].join('\n\n');
}

const PREFIXES = ['tools', 'approval', 'agent', 'fs', 'session'];
function order(name) {
  const at = PREFIXES.indexOf(name.split('/')[0]);
  return at < 0 ? PREFIXES.length : at;
}

function section(name, hook, { sources, plugins }) {
  const says = hook.says ?? words[name]?.says;
  if (says === undefined) throw new Error(`${name} has no comment in the source, and no words in scripts/docs/words/hooks.mjs`);
  const patch = hook.patch === undefined ? '' : `patch?: ${hook.patch}`;
  const signature = `(${hook.args.slice(1, -1)}${hook.result === undefined ? '' : `, next: (${patch}) => Promise<${hook.result}>`}) => ${hook.result === undefined ? 'void' : `${hook.result} | Promise<${hook.result}>`}`;
  const listens = plugins.filter(({ node, name: packageName }) => node.listeners[name] !== undefined || sources.listens.get(name)?.has(packageName));
  const facts = [
    ['Kind', KINDS[hook.kind]],
    ['Listener', code(signature)],
    ...payloads(hook, sources.types),
    ['Declared by', code(hook.package)],
    ['Run by', runBy(name, sources)],
    ['On a throw or nonsense', failsOf(name, hook)],
    ['Our plugins on it', codes(listens.map((each) => each.export)) || 'none'],
  ];
  return [`## ${name}`, says, table(['', ''], facts)].join('\n\n');
}

/** The members of each payload that is an object of ours. */
function* payloads({ args }, types) {
  for (const [, argument, type] of args.matchAll(/(\w+): (\w+)/g)) {
    const members = types.get(type);
    if (members !== undefined) yield [code(argument), `${code(type)}: ${members.map(({ name, isOptional }) => code(isOptional ? `${name}?` : name)).join(', ')}`];
  }
}

function runBy(name, { runs }) {
  const who = runs.get(name);
  if (who === undefined && !runByApplications.has(name)) throw new Error(`no source runs ${name}; if an application does, say so in scripts/docs/words/hooks.mjs`);
  return who === undefined ? 'your application' : packages.filter((each) => who.has(each.name)).map((each) => code(each.name)).join(', ');
}

function failsOf(name, { kind }) {
  const fails = words[name]?.fails;
  if (fails !== undefined) return fails;
  if (KINDS[kind] === 'waterfall') throw new Error(`scripts/docs/words/hooks.mjs must say what a throw of a listener on ${name} does`);
  return LOGGED;
}
