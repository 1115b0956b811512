import { deepStrictEqual } from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import type { Context, Plugin, PluginHandle, ToolCallInput, ToolExecutionResult } from '@sluice/core-tools';
import { aTool } from '../factories.ts';
import { aHost, type Host } from '../host.ts';
import { recordHooks, type HookRecorder } from '../recorder.ts';

// A suite does not know the config of the plugin it is given.
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
export type AnyPlugin = Plugin<any>;

/** What is tested, and what it needs around it. */
export interface Subject {
  readonly factory: () => AnyPlugin;
  readonly config: object | undefined;
  readonly setup: ((ctx: Context) => void | Promise<void>) | undefined;
}

/** A context of its own with the unrelated tools in it, watched from outside of everything that is mounted later. */
export interface World extends Host {
  readonly seen: HookRecorder;
  /** What the bodies got, in order. */
  readonly bodies: unknown[];
}

export async function aWorld({ setup }: Pick<Subject, 'setup'>): Promise<World> {
  const host = aHost();
  const { ctx } = host;
  const bodies: unknown[] = [];
  try {
    await setup?.(ctx);
    for (const tool of unrelatedTools(bodies)) ctx.tools.register(tool);
    return { ...host, seen: recordHooks(ctx), bodies };
  } catch (error) {
    await ctx.dispose();
    throw error;
  }
}

/** Mounts the plugin in question. Rejects when it waits for a service that `setup` does not give it. */
export async function mount({ factory, config }: Subject, ctx: Context): Promise<PluginHandle> {
  const handle = ctx.plugin(factory(), config);
  await ctx.ready();
  return handle;
}

export async function inWorld<T>(subject: Subject, use: (world: World) => Promise<T>): Promise<T> {
  const world = await aWorld(subject);
  try {
    return await use(world);
  } finally {
    await world.dispose();
  }
}

/** Everything that anybody could tell apart: what was answered, what hooks and bodies saw, what went wrong on the side. */
export interface Picture {
  readonly results: readonly ToolExecutionResult[];
  /** By call: how calls that run at once interleave is nobody's promise. */
  readonly hooks: ReadonlyMap<string | undefined, readonly unknown[]>;
  readonly bodies: readonly unknown[];
  readonly errors: readonly unknown[];
}

export function picture(world: World, results: readonly ToolExecutionResult[]): Picture {
  const hooks = new Map<string | undefined, unknown[]>();
  for (const { hook, phase, callId, detail } of world.seen.events) {
    hooks.set(callId, [...(hooks.get(callId) ?? []), { hook, phase, detail }]);
  }
  return {
    results,
    hooks,
    bodies: world.bodies,
    errors: world.log.entries.filter(({ level }) => level === 'error'),
  };
}

/** Runs `scenario` once without the plugin and once with it, and rejects when the two differ in anything. */
export async function sameWithAndWithout(subject: Subject, scenario: (world: World) => Promise<ToolExecutionResult[]>): Promise<void> {
  const without = await inWorld(subject, async (world) => {
    world.seen.clear();
    return picture(world, await scenario(world));
  });
  await inWorld(subject, async (world) => {
    await mount(subject, world.ctx);
    world.seen.clear();
    deepStrictEqual(picture(world, await scenario(world)), without, 'with the plugin mounted (actual) it is not as without it (expected)');
  });
}

/** A call of one of the unrelated tools, under a name that says so in a rule or a limit. */
export function unrelated(name: string, overrides: Partial<ToolCallInput> = {}): ToolCallInput {
  const args = overrides.argumentsText === undefined ? { arguments: { of: name } } : {};
  return { name: `unrelated_${name}`, callId: name, ...args, ...overrides };
}

/** Rejects when something is still listening on `signal`. */
export function assertForgotten(signal: AbortSignal): void {
  deepStrictEqual(getEventListeners(signal, 'abort').length, 0, "listeners are left on the caller's signal");
}

function unrelatedTools(bodies: unknown[]): ReturnType<typeof aTool>[] {
  const isConcurrencySafe = (): boolean => true;
  return [
    aTool({
      name: 'unrelated_echo',
      isConcurrencySafe,
      execute(args, { signal, callId }) {
        bodies.push({ callId, args, isFrozen: Object.isFrozen(args), isAborted: signal.aborted });
        return args;
      },
    }),
    aTool({
      name: 'unrelated_talk',
      output: { schema: {}, render: () => [{ type: 'text', text: 'said' }], presentationMeta: () => ({ shown: true }) },
      async execute(args, exec) {
        exec.progress({ message: 'half', completed: 1, total: 2 });
        await Promise.resolve();
        exec.deferContext({ source: 'unrelated', content: [{ type: 'text', text: 'later' }] });
        exec.concludeTurn();
        const nested = await exec.execute({ name: 'unrelated_echo', arguments: args, callId: 'nested' });
        return { nested: !nested.isError };
      },
    }),
    aTool({
      name: 'unrelated_slow',
      isConcurrencySafe,
      async execute(args) {
        for (let hops = Number(args['hops']); hops > 0; hops -= 1) await Promise.resolve();
        if (args['fails'] === true) throw new Error(`as told by ${Number(args['id'])}`);
        return args;
      },
    }),
    aTool({ name: 'unrelated_failure', execute: () => { throw new Error('as told'); } }),
    aTool({ name: 'unrelated_nonsense', execute: () => undefined }),
  ];
}
