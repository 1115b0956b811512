import type { Context, ToolDefinition, ToolExecutionResult } from '@sluice/core-tools';
import { aHost, recordHooks, type HookRecorder, type RecordingLogger } from '@sluice/testing';
import { toolCallTimeoutPolicy } from '@sluice/tool-call-timeout-policy';
import { Hangs, toolOf, type BodyRun } from './behaviours.ts';
import { listOf, recordOf, type Case, type JsonRecord, wordOf } from './case.ts';
import { fsMemory, MemoryVolume } from '@sluice/fs-memory';
import { toolFs } from '@sluice/tool-fs';
import { toolNames } from './fs-case.ts';

/** What a pipeline case describes, standing. */
export interface World {
  readonly ctx: Context;
  readonly log: RecordingLogger;
  readonly seen: HookRecorder;
  readonly runs: BodyRun[];
  /** In memory; what file tools of the case work on. */
  readonly files: MemoryVolume;
  /** By tool name, why its registration was refused. */
  readonly refused: ReadonlyMap<string, unknown>;
  /** By name; a call without an agent is made at the root. */
  readonly agents: ReadonlyMap<string, Context>;
  /** How often a person was asked. */
  readonly asked: () => number;
  /** Results that observers mounted by the case have seen after those that misbehave. */
  readonly observed: readonly ToolExecutionResult[];
  dispose(): Promise<void>;
}

export function buildWorld(input: Case): World {
  const host = aHost();
  const { ctx, log } = host;
  const seen = recordHooks(ctx);
  const wrappers = listOf(input['wrappers']);
  // Its place matters only where a case names it.
  if (!wrappers.some((wrapper) => wrapper['do'] === 'timeout')) ctx.plugin(toolCallTimeoutPolicy);
  for (const wrapper of wrappers) addWrapper(ctx, wrapper);
  const hangs = new Hangs();
  for (const listener of listOf(input['listeners'])) addListener(ctx, listener, hangs);
  const observed: ToolExecutionResult[] = [];
  ctx.on('tools/result', (_exec, result) => observed.push(result));
  const asked = recordOf(input['expect'])['asks'] === undefined ? () => 0 : askAboutEverything(ctx);

  const runs: BodyRun[] = [];
  const files = new MemoryVolume();
  const refused = new Map<string, unknown>();
  for (const tool of listOf(input['tools'])) {
    const definition = recordOf(tool['behaviour'])['use'] === 'tool-fs' ? fileTool(ctx, files, tool, runs) : toolOf(tool, runs, hangs);
    try {
      ctx.tools.register(definition);
    } catch (error) {
      refused.set(wordOf(tool['name']), error);
    }
  }
  const agents = buildAgents(ctx, recordOf(input['scopes']));
  const end = async (): Promise<void> => {
    hangs.end();
    await host.dispose();
  };
  return { ctx, log, seen, runs, files, refused, agents, asked, observed, dispose: end };
}

function addWrapper(ctx: Context, wrapper: JsonRecord): void {
  switch (wrapper['do']) {
    case 'timeout':
      ctx.plugin(toolCallTimeoutPolicy);
      return;
    case 'retry':
      ctx.on('tools/execute', async (_exec, next) => {
        let result = await next();
        for (let attempt = 1; attempt < Number(wrapper['max']) && result.isError; attempt += 1) result = await next();
        return result;
      });
      return;
    case 'copy-result-fields':
      ctx.on('tools/execute', async (_exec, next) => ({ ...(await next()) }));
      return;
    default:
      throw new TypeError(`no such wrapper: ${JSON.stringify(wrapper)}`);
  }
}

function addListener(ctx: Context, listener: JsonRecord, hangs: Hangs): void {
  switch (`${wordOf(listener['stage'])} ${wordOf(listener['do'])}`) {
    case 'pre-execute hang':
      ctx.on('tools/pre-execute', () => hangs.forever());
      return;
    case 'post-execute replace-content':
      ctx.on('tools/post-execute', () => ({ kind: 'accept', content: [{ type: 'text', text: wordOf(listener['text']) }] }));
      return;
    case 'result throw':
      ctx.on('tools/result', () => {
        throw new Error('an observer throws');
      });
      return;
    case 'result reject':
      // @ts-expect-error -- an observer that returns a promise is a type error; plain JavaScript does it all the same
      ctx.on('tools/result', () => Promise.reject(new Error('an observer rejects')));
      return;
    case 'result try-to-mutate':
      ctx.on('tools/result', (_exec, result) => {
        (result as { isError: boolean }).isError = true;
      });
      return;
    default:
      throw new TypeError(`no such listener: ${JSON.stringify(listener)}`);
  }
}

/** Policy that leaves every call to a person, who always says yes. */
function askAboutEverything(ctx: Context): () => number {
  let asked = 0;
  ctx.on('tools/pre-execute', () => ({ kind: 'ask' }));
  ctx.provide('approval', {
    request() {
      asked += 1;
      return Promise.resolve({ kind: 'allowed-once' });
    },
  });
  return () => asked;
}

function buildAgents(ctx: Context, scopes: JsonRecord): Map<string, Context> {
  const agents = new Map<string, Context>();
  for (const [name, described] of Object.entries(scopes)) {
    const scope = recordOf(described);
    const parent = scope['parent'] === undefined ? ctx : agents.get(wordOf(scope['parent']));
    if (parent === undefined) throw new TypeError(`the parent of scope "${name}" must come before it`);
    const agent = parent.scope(name);
    agents.set(name, agent);
    if (scope['allow'] === undefined && scope['deny'] === undefined) continue;
    agent.tools.restrict({
      ...(scope['allow'] === undefined ? {} : { allow: scope['allow'] as string[] }),
      ...(scope['deny'] === undefined ? {} : { deny: scope['deny'] as string[] }),
    });
  }
  return agents;
}

/** Our file tool under its neutral name, its runs noted. */
function fileTool(ctx: Context, volume: MemoryVolume, tool: JsonRecord, runs: BodyRun[]): ToolDefinition {
  const scope = ctx.scope('files');
  scope.plugin(fsMemory, { volume });
  scope.plugin(toolFs);
  const name = wordOf(tool['name']);
  const definition = scope.tools.get(toolNames[name] ?? '');
  if (definition === undefined) throw new TypeError(`no such file tool: ${name}`);
  return {
    ...definition,
    name,
    execute(args: BodyRun['args'], exec) {
      runs.push({ tool: name, callId: exec.callId, args, beganMs: performance.now() });
      return definition.execute(args, exec) as Promise<unknown>;
    },
  };
}
