import { deepStrictEqual } from 'node:assert/strict';
import type { Context, PluginHandle, ToolExecutionResult } from '@sluice/core-tools';
import { aGate, aTool, type Gate } from '../factories.ts';
import { assertForgotten, inWorld, mount, unrelated, type Subject, type World } from './world.ts';

/** Rejects when mounting, `meanwhile` and unmounting leave the context other than it was, or calls in it other than they were. */
export async function leavesNoTrace(
  subject: Subject,
  meanwhile: (world: World, handle: PluginHandle) => Promise<void>,
): Promise<void> {
  await inWorld(subject, async (world) => {
    const { ctx } = world;
    const before = await ctx.tools.execute(unrelated('echo'));
    const tree = ctx.inspect();
    const tools = ctx.tools.schemas();
    const handle = await mount(subject, ctx);
    await meanwhile(world, handle);
    await handle.dispose();
    deepStrictEqual(ctx.inspect(), tree, 'after unmounting (actual) the context is not what it was before (expected)');
    deepStrictEqual(ctx.tools.schemas(), tools, 'after unmounting (actual) the tools are not those of before (expected)');
    deepStrictEqual(await ctx.tools.execute(unrelated('echo')), before, 'a call is not as it was before');
  });
}

const stages = ['pre-execute', 'body', 'post-execute'] as const;

/**
 * For each stage: starts a call, does `act` to the mounted plugin while the call is in that stage, lets the call go on, and
 * rejects unless its result is what it is without the plugin. `act` is waited for after the call was let go.
 */
export async function withCallsInFlight(subject: Subject, world: World, act: (handle: PluginHandle) => Promise<void>): Promise<void> {
  const { ctx } = world;
  for (const stage of stages) {
    const plain = await inWorld(subject, async (other) => {
      const { call, gate } = await callHeldIn(stage, other.ctx);
      gate.open();
      return call;
    });
    const handle = await mount(subject, ctx);
    const { call, gate, signal, release } = await callHeldIn(stage, ctx);
    const acted = act(handle);
    gate.open();
    deepStrictEqual(await call, plain, `a call in ${stage} (actual) did not end as it does without the plugin (expected)`);
    await acted;
    assertForgotten(signal);
    release();
    await handle.dispose();
  }
}

interface HeldCall {
  readonly call: Promise<ToolExecutionResult>;
  readonly gate: Gate;
  readonly signal: AbortSignal;
  /** Takes away what held it. */
  readonly release: () => void;
}

/** A call that has come to `stage` and stays there until the gate is opened. */
async function callHeldIn(stage: (typeof stages)[number], ctx: Context): Promise<HeldCall> {
  const reached = aGate();
  const gate = aGate();
  const hold = async <T>(then: () => T | Promise<T>): Promise<T> => {
    reached.open();
    await gate.opened;
    return then();
  };
  const releases = [
    ctx.tools.register(aTool({ name: 'unrelated_hold', execute: (args) => (stage === 'body' ? hold(() => args) : args) })),
    ctx.on('tools/pre-execute', (_exec, next) => (stage === 'pre-execute' ? hold(next) : next())),
    ctx.on('tools/post-execute', (_exec, _result, next) => (stage === 'post-execute' ? hold(next) : next())),
  ];
  const { signal } = new AbortController();
  const call = ctx.tools.execute(unrelated('hold', { signal }));
  // A call that never gets there says more than a test that waits for it.
  await Promise.race([reached.opened, call]);
  const release = (): void => {
    for (const undo of releases) undo();
  };
  return { call, gate, signal, release };
}
