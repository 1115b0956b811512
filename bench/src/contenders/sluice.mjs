// Ours, from the built packages of this workspace.
import { existsSync } from 'node:fs';
import { echo, echoArguments, echoSchema, rowsArguments, rowsInput, rowsSchema, rowsValue, text } from '../data.mjs';

export const name = 'sluice';
export const title = 'Sluice';
export const checks = 'arguments and results';

const built = (path) => new URL(`../../../packages/${path}/dist/index.js`, import.meta.url);
const core = built('core/tools');
const timeoutPolicy = built('guard/tool-call-timeout-policy');
/** What a deployment would load, and how: package, export, config. `limits` bind the echo tool or another one. */
const policies = (limits) => [
  ['interaction/permission-rules', 'permissionRules', { rules: [{ tool: 'echo', decision: 'allow' }, { tool: 'shell*', decision: 'deny', reason: 'no shell here' }] }],
  ['guard/tool-call-limits', 'toolCallLimits', { perTool: { [limits]: { maxRunning: 8, perRun: 1_000_000_000 } } }],
  ['guard/tool-call-timeout-policy', 'toolCallTimeoutPolicy', {}],
  ['guard/repeat-tool-reminder', 'repeatToolReminder', {}],
];
const arePoliciesBuilt = policies('').every(([path]) => existsSync(built(path)));

const waterfalls = ['tools/pre-execute', 'tools/execute'];
const notifications = ['tools/call', 'tools/result'];

/** `count` listeners on each hook of a call that change nothing. */
export function listen(ctx, count) {
  for (let i = 0; i < count; i += 1) {
    for (const hook of waterfalls) ctx.on(hook, (_exec, next) => next());
    ctx.on('tools/post-execute', (_exec, _result, next) => next());
    for (const hook of notifications) ctx.on(hook, () => undefined);
  }
}

/** A definition of the echo tool with schemas of its own, as a remote one would have. */
export const echoTool = (toolName = 'echo', extra = {}) => ({
  name: toolName,
  description: 'Says it again.',
  parameters: structuredClone(echoSchema),
  output: { schema: structuredClone(echoSchema), render: (_args, value) => text(value.message) },
  execute: async (args) => echo(args),
  ...extra,
});

/** The echo tool under all of them. Each call has arguments of its own, or the reminder would speak up. */
async function underPolicies(limits, extra) {
  const ctx = await contextWithEcho({ annotations: { readOnlyHint: true }, ...extra });
  for (const [path, plugin, config] of policies(limits)) ctx.plugin((await import(built(path).href))[plugin], config);
  await ctx.ready();
  let n = echoArguments().n;
  return { call: () => ctx.tools.execute({ name: 'echo', arguments: { ...echoArguments(), n: n++ } }), read, close: () => ctx.dispose() };
}

async function start() {
  const { createContext, tools } = await import(core.href);
  const ctx = createContext();
  ctx.plugin(tools);
  return ctx;
}

export async function contextWithEcho(extra) {
  const ctx = await start();
  ctx.tools.register(echoTool('echo', extra));
  return ctx;
}

/** Mounts it when it is built; says whether it was. */
export async function mountTimeoutPolicy(ctx) {
  if (!existsSync(timeoutPolicy)) return false;
  const { toolCallTimeoutPolicy } = await import(timeoutPolicy.href);
  ctx.plugin(toolCallTimeoutPolicy);
  return true;
}

const read = (result) => {
  if (result.isError) throw new Error(JSON.stringify(result.error));
  return result.value;
};

export async function load() {
  await import(core.href);

  const calling = (ctx, toolName = 'echo', more = {}) => ({
    call: () => ctx.tools.execute({ name: toolName, arguments: echoArguments(), ...more }),
    read,
    close: () => ctx.dispose(),
  });

  return {
    small: async () => calling(await contextWithEcho()),
    signal: async () => calling(await contextWithEcho(), 'echo', { signal: new AbortController().signal }),
    listeners: async (count) => {
      const ctx = await contextWithEcho();
      listen(ctx, count);
      return calling(ctx);
    },
    timeout: existsSync(timeoutPolicy)
      ? async () => {
          const ctx = await contextWithEcho({ timeoutMs: 30_000 });
          await mountTimeoutPolicy(ctx);
          return calling(ctx);
        }
      : undefined,
    policies: arePoliciesBuilt ? () => underPolicies('shell*', {}) : undefined,
    binding: arePoliciesBuilt ? () => underPolicies('*', { timeoutMs: 30_000 }) : undefined,
    rows: async () => {
      const ctx = await start();
      ctx.tools.register({
        name: 'rows',
        description: 'Many rows.',
        parameters: rowsInput,
        output: { schema: rowsSchema, render: (_args, value) => text(`${value.rows.length} rows`) },
        execute: async () => rowsValue,
      });
      return { ...calling(ctx), call: () => ctx.tools.execute({ name: 'rows', arguments: rowsArguments() }) };
    },
    tools: async (count) => {
      const ctx = await start();
      for (let i = 0; i < count; i += 1) ctx.tools.register(echoTool(`echo_${i}`));
      return calling(ctx, `echo_${count - 1}`);
    },
    scopes: async (count) => {
      const ctx = await start();
      const scopes = Array.from({ length: count }, (_, i) => {
        const scope = ctx.scope(`agent ${i}`);
        scope.tools.register(echoTool());
        scope.on('tools/pre-execute', (_exec, next) => next());
        return scope;
      });
      return { ...calling(scopes[count >> 1]), close: () => ctx.dispose() };
    },
    batch: async (size) => {
      const ctx = await contextWithEcho({ isConcurrencySafe: () => true });
      const inputs = () => Array.from({ length: size }, () => ({ name: 'echo', arguments: echoArguments() }));
      return { ...calling(ctx), call: () => ctx.tools.executeAll(inputs()), read: (results) => results.map(read) };
    },
  };
}
