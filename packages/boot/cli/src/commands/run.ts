import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Context, Plugin } from '@sluice/core-context';
import type { LanguageModel, TurnEndReason } from '@sluice/core-agent-loop';
import { DeploymentError, shownPath } from '../file/problem.ts';
import { conditionsWith, locate } from '../plugins/locate.ts';
import type { Io } from '../terminal/io.ts';
import { exitCodes } from './exit-codes.ts';
import { interruptible } from './interrupt.ts';
import { open, ownConditions, type DeploymentOptions } from './open.ts';

export interface RunOptions extends DeploymentOptions {
  readonly model?: string;
  readonly session?: string;
  readonly instructions?: string;
  readonly maxSteps?: number;
  readonly watch?: boolean;
}

const EXIT_BY_REASON: Readonly<Record<TurnEndReason, number>> = {
  done: exitCodes.ok,
  concluded: exitCodes.ok,
  stopped: exitCodes.denied,
  aborted: exitCodes.aborted,
  'max-steps': exitCodes.failed,
  'max-tool-calls': exitCodes.failed,
  length: exitCodes.failed,
  'content-filter': exitCodes.failed,
  'model-error': exitCodes.failed,
  failed: exitCodes.failed,
};

/** Has an agent work on a task with the deployment's tools, draws what it does, and keeps its log. @returns the exit code */
export async function run(task: string, options: RunOptions, io: Io): Promise<number> {
  const spec = options.model ?? process.env['SLUICE_MODEL'];
  if (spec === undefined || spec === '') throw new DeploymentError([{ message: 'no model is named', remedy: 'Say --model provider:model, such as --model openai:gpt-5, or set SLUICE_MODEL.' }]);
  const from = process.cwd();
  const { deployment, ctx } = await open(options, io, options.watch === true ? { onReload: (result) => io.err(io.paintErr.dim(result.isApplied ? 'deployment reloaded' : `deployment not reloaded: ${result.error.message}`)) } : undefined);
  try {
    const directory = dirname(deployment.file);
    const model = await modelOf(spec, { from, directory });
    await mount(deployment.ctx, directory, 'agents', '@sluice/core-agent-loop', async () => (await import('@sluice/core-agent-loop')).agentLoop);
    const file = options.session === undefined ? join(directory, '.sluice', 'sessions', `${new Date().toISOString().replaceAll(/[:.]/g, '-')}.jsonl`) : resolve(from, options.session);
    mkdirSync(dirname(file), { recursive: true });
    const agent = ctx.agents.create({
      name: 'agent',
      model,
      session: { file },
      ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
      ...(options.maxSteps === undefined ? {} : { maxSteps: options.maxSteps }),
    });
    const isDrawn = deployment.current.plugins.some(({ plugin }) => plugin.name === 'render-terminal');
    if (!isDrawn) agent.ctx.plugin(await pluginOf(directory, '@sluice/render-terminal', async () => (await import('@sluice/render-terminal')).renderTerminal as Plugin));
    return await interruptible(async (signal, wasInterrupted) => {
      const result = await agent.run(task, { signal }).ended;
      await agent.dispose();
      if (result.reason !== 'done' && result.reason !== 'concluded') io.err(`${io.paintErr.red(`ended: ${result.reason}`)}${result.message === undefined ? '' : `: ${result.message}`}`);
      if (io.isDebug && result.cause instanceof Error) io.err(io.paintErr.dim(result.cause.stack ?? ''));
      io.err(io.paintErr.dim(`${count(result.steps, 'step')}, ${count(result.toolCalls, 'call')}; to see it again:  sluice replay ${shownPath(file)}`));
      return wasInterrupted() ? exitCodes.interrupted : EXIT_BY_REASON[result.reason];
    });
  } finally {
    await deployment.close();
  }
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

/** A model by `provider:model`, or a module that exports one: `./model.js`, seen from where the command was started. */
async function modelOf(spec: string, { from, directory }: { readonly from: string; readonly directory: string }): Promise<LanguageModel> {
  if (!/^\.{0,2}\//.test(spec)) {
    const { loadModel } = await import('@sluice/core-agent-loop/load-model');
    return loadModel(spec, { from: directory });
  }
  const path = resolve(from, spec);
  let exports: Record<string, unknown>;
  try {
    exports = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (cause) {
    throw new DeploymentError([{ message: `the model ${spec} cannot be loaded: ${(cause as Error).message.split('\n')[0] ?? ''}`, cause }]);
  }
  const model = exports['default'] ?? exports['model'];
  if (typeof (model as { doStream?: unknown } | undefined)?.doStream === 'function') return model as LanguageModel;
  throw new DeploymentError([{ message: `${spec} exports no language model`, remedy: 'Export one of the AI SDK (with doStream) as default.' }]);
}

/** Mounts what the deployment file does not, so that a file for `call` serves for `run` too. */
async function mount(ctx: Context, directory: string, service: 'agents', name: string, own: () => Promise<Plugin>): Promise<void> {
  if (ctx.get(service) === undefined) ctx.plugin(await pluginOf(directory, name, own));
}

/** The deployment's own copy of a package, or else the one that came with this. */
async function pluginOf(directory: string, name: string, own: () => Promise<Plugin>): Promise<Plugin> {
  try {
    const { default: plugin } = (await import(locate(name, directory, conditionsWith(ownConditions())))) as { default: Plugin };
    return plugin;
  } catch {
    return own();
  }
}
