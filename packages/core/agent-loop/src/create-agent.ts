import type { Context } from '@sluice/core-context';
import { openSession, session as sessionPlugin, type Session } from '@sluice/core-session';
import { LoopAgent } from './agent.ts';
import { SPECIFICATIONS } from './model.ts';
import type { Agent, AgentOptions } from './types.ts';

export interface AgentDefaults {
  /** Requests to the model per turn. Default 50. */
  readonly maxSteps: number;
  /** Calls that one turn may make. Default: no bound. */
  readonly maxToolCalls?: number;
  /** Bodies of one reply's calls that may overlap. Default 10. */
  readonly maxParallelToolCalls: number;
}

/** An agent in a scope of its own below `parent`, with its log. */
export function createAgent(parent: Context, options: AgentOptions, defaults: AgentDefaults): Agent {
  const { name, model, instructions = '', settings = {}, session } = options;
  const bounds = {
    maxSteps: count(options.maxSteps ?? defaults.maxSteps, 'maxSteps'),
    maxToolCalls: count(options.maxToolCalls ?? defaults.maxToolCalls ?? Number.MAX_SAFE_INTEGER, 'maxToolCalls'),
    maxParallelToolCalls: count(options.maxParallelToolCalls ?? defaults.maxParallelToolCalls, 'maxParallelToolCalls'),
  };
  if (typeof name !== 'string' || name === '') throw new TypeError('core-agent-loop: an agent needs a name, a non-empty string');
  if (typeof instructions !== 'string') throw new TypeError('core-agent-loop: instructions must be a string');
  assertModel(model);

  const ctx = parent.scope(name);
  try {
    const log = openLog(ctx, session);
    log.repair();
    ctx.plugin(sessionPlugin, { session: log });
    return new LoopAgent({ name, ctx, session: log, model, instructions, settings, ...bounds });
  } catch (error) {
    void ctx.dispose().catch(() => undefined);
    throw error;
  }
}

function openLog(ctx: Context, given: AgentOptions['session']): Session {
  if (given !== undefined && 'append' in given) return given;
  const log = openSession({ logger: ctx.logger, ...given });
  ctx.effect(() => () => log.close(), 'session log');
  return log;
}

function count(value: number, name: string): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new TypeError(`core-agent-loop: ${name} must be a positive integer; got ${String(value)}`);
}

function assertModel(model: Partial<AgentOptions['model']> | undefined): void {
  const { specificationVersion, doStream } = model ?? {};
  if (typeof doStream !== 'function') throw new TypeError('core-agent-loop: model must be a language model of the AI SDK, such as a provider package gives');
  if ((SPECIFICATIONS as readonly unknown[]).includes(specificationVersion)) return;
  throw new TypeError(`core-agent-loop: model is of specification ${JSON.stringify(specificationVersion)}; ${SPECIFICATIONS.join(', ')} are understood`);
}
