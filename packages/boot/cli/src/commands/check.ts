import type { Context, ContextNode } from '@sluice/core-context';
import type { Deployment } from '../deployment/load.ts';
import type { ReadPlugin, ReadScope } from '../deployment/read.ts';
import { shownPath } from '../file/problem.ts';
import type { Io } from '../terminal/io.ts';
import { exitCodes } from './exit-codes.ts';
import { interruptible } from './interrupt.ts';
import { open, type DeploymentOptions } from './open.ts';

const HOOKS = ['tools/pre-execute', 'tools/execute', 'tools/post-execute', 'tools/call', 'tools/result', 'approval/request', 'agent/pre-step', 'agent/request'] as const;

interface PluginReport {
  readonly use: string;
  readonly id?: string;
  readonly name: string;
  readonly isGate: boolean;
  readonly needs: readonly string[];
  readonly provides: readonly string[];
  readonly hooks: Readonly<Record<string, number>>;
  readonly guards: number;
  readonly tools: readonly string[];
}

interface ScopeReport {
  readonly name: string;
  readonly extends?: string;
  readonly plugins: readonly PluginReport[];
  readonly tools: readonly string[];
  readonly hidden: readonly string[];
  readonly presentation: string;
}

export interface Report {
  readonly file: string;
  readonly env?: string;
  readonly plugins: readonly PluginReport[];
  readonly scopes: readonly ScopeReport[];
  readonly tools: readonly string[];
  /** By hook: the plugins that listen, outermost first. */
  readonly hooks: Readonly<Record<string, readonly string[]>>;
}

/** Validates a deployment and says what it is composed of. @returns the exit code */
export async function check(options: DeploymentOptions & { readonly json?: boolean; readonly watch?: boolean }, io: Io): Promise<number> {
  const show = (deployment: Deployment): void => {
    const report = reportOf(deployment);
    if (options.json === true) io.out(JSON.stringify(report, null, 2));
    else print(report, io);
  };
  const opened: { deployment?: Deployment } = {};
  const { deployment } = await open(options, io, options.watch !== true ? undefined : {
    onReload: (result) => {
      if (!result.isApplied) io.err(`${io.paintErr.red('not applied, the composition stays as it is:')}\n${result.error.message}\n`);
      else if (opened.deployment !== undefined) {
        const { mounted, updated, disposed } = result.changes;
        io.out(io.paint.green(`reloaded: ${[['mounted', mounted], ['updated', updated], ['ended', disposed]].map(([what, ids]) => `${(ids as readonly string[]).length} ${what as string}`).join(', ')}`));
        show(opened.deployment);
      }
    },
  });
  opened.deployment = deployment;
  try {
    show(deployment);
    if (options.watch !== true) return exitCodes.ok;
    io.err(io.paintErr.dim(`watching ${deployment.files.length} files; Ctrl-C ends`));
    return await interruptible(async (signal) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      return exitCodes.ok;
    });
  } finally {
    await deployment.close();
  }
}

export function reportOf(deployment: Deployment): Report {
  const { file, env, ctx, current } = deployment;
  const root = ctx.inspect().children.find(({ name, kind }) => name === 'deployment' && kind === 'plugin');
  const scopeNode = (node: ContextNode, name: string): ContextNode | undefined => {
    for (const child of node.children) {
      const found = child.kind === 'scope' && child.name === name ? child : scopeNode(child, name);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return {
    file,
    ...(env === undefined ? {} : { env }),
    plugins: pluginsOf(current.plugins, root),
    scopes: current.scopes.map((each) => scopeReport(each, deployment.scope(each.entry.name), root && scopeNode(root, each.entry.name), ctx)),
    tools: toolNames(ctx),
    hooks: Object.fromEntries(HOOKS.flatMap((hook) => {
      const names = hooksOf(ctx, hook);
      return names.length === 0 ? [] : [[hook, names]];
    })),
  };
}

function hooksOf(ctx: Context, hook: (typeof HOOKS)[number]): string[] {
  return ctx.listeners(hook as 'tools/call').map(({ plugin }) => plugin).filter((name) => name !== 'deployment');
}

function toolNames(ctx: Context): string[] {
  return ctx.get('tools')?.schemas().map(({ name }) => name) ?? [];
}

/** Nodes stand in the order of mounting, which after reloads is not the order of the file: they are found by name, in turn. */
function pluginsOf(plugins: readonly ReadPlugin[], parent: ContextNode | undefined): PluginReport[] {
  const left = [...(parent?.children ?? [])];
  return plugins.map(({ entry, plugin }) => {
    const index = left.findIndex(({ name, kind }) => kind === 'plugin' && name === plugin.name);
    const node = index < 0 ? undefined : left.splice(index, 1)[0];
    const contributions = node?.contributions ?? [];
    return {
      use: entry.use?.value ?? entry.id,
      ...(entry.id === entry.use?.value ? {} : { id: entry.id }),
      name: plugin.name,
      isGate: plugin.gate === true,
      needs: plugin.inject ?? [],
      provides: node?.services ?? [],
      hooks: node?.listeners ?? {},
      guards: contributions.filter((label) => label.startsWith('guard')).length,
      tools: contributions.flatMap((label) => /^tool "(.*)"$/.exec(label)?.[1] ?? /^tool (.*)$/.exec(label)?.[1] ?? []),
    };
  });
}

function scopeReport({ entry, plugins }: ReadScope, ctx: Context, node: ContextNode | undefined, root: Context): ScopeReport {
  const tools = toolNames(ctx);
  return {
    name: entry.name,
    ...(entry.extends === undefined ? {} : { extends: entry.extends.value }),
    plugins: pluginsOf(plugins, node),
    tools,
    hidden: toolNames(root).filter((name) => !tools.includes(name)),
    presentation: ctx.get('tools')?.presentation().mode ?? 'native',
  };
}

function print({ file, env, plugins, scopes, tools, hooks }: Report, { out, paint }: Io): void {
  const providers = new Map(plugins.flatMap(({ name, provides }) => provides.map((service) => [service, name])));
  const line = (plugin: PluginReport): string => {
    const { use, id, isGate, needs, provides, guards, hooks: own, tools: registered } = plugin;
    const facts = [
      isGate ? paint.yellow('gate') : '',
      guards > 0 ? 'guard' : '',
      provides.length > 0 ? `provides ${provides.join(', ')}` : '',
      registered.length > 0 ? `tools ${registered.join(', ')}` : '',
      Object.keys(own).length > 0 ? `hooks ${Object.keys(own).join(', ')}` : '',
      needs.length > 0 ? `needs ${needs.map((service) => `${service}${providers.has(service) ? ` (${providers.get(service) ?? ''})` : ''}`).join(', ')}` : '',
    ].filter((fact) => fact !== '');
    return `${paint.green('✓')} ${id === undefined ? use : `${id} = ${use}`}${facts.map((fact) => `\n      ${paint.dim(fact)}`).join('')}`;
  };
  out(`${paint.bold(shownPath(file))}${env === undefined ? '' : ` (environment ${env})`}: ${count(plugins.length, 'plugin')}, ${count(scopes.length, 'scope')}, ${count(tools.length, 'tool')}`);
  out(`\n${paint.bold('plugins, in order')}`);
  for (const plugin of plugins) out(`  ${line(plugin)}`);
  if (scopes.length > 0) out(`\n${paint.bold('scopes')}`);
  for (const scope of scopes) {
    out(`  ${scope.name}${scope.extends === undefined ? '' : ` in ${scope.extends}`}: presents ${count(scope.tools.length, 'tool')} ${scope.presentation === 'native' ? 'natively' : scope.presentation === 'code' ? 'as functions of programs' : 'both ways'}`);
    if (scope.hidden.length > 0) out(`      ${paint.dim(`hides ${scope.hidden.join(', ')}`)}`);
    for (const plugin of scope.plugins) out(`    ${line(plugin)}`);
  }
  const listed = Object.entries(hooks);
  if (listed.length > 0) out(`\n${paint.bold('hooks, outermost first')}`);
  for (const [hook, names] of listed) out(`  ${hook.padEnd(20)} ${names.join(' > ')}`);
  const guards = [...plugins.filter((plugin) => plugin.guards > 0).map(({ name }) => name), ...scopes.flatMap((scope) => scope.plugins.filter((plugin) => plugin.guards > 0).map(({ name }) => `${name} (${scope.name})`))];
  out(`\n${paint.bold('guards')}\n  ${guards.length === 0 ? 'none' : guards.join(', ')}`);
  const gates = plugins.filter(({ isGate }) => isGate).map(({ name }) => name);
  out(`${paint.bold('gates')}\n  ${gates.length === 0 ? 'none: nothing here is closed while a policy is not ready' : gates.join(', ')}`);
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
