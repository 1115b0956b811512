import { createHook } from 'node:async_hooks';
import { aTool } from '@sluice/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Context, ToolCallInput, ToolExecutionResult } from '../src/index.ts';
import { setup } from './support.ts';

interface Cost {
  promises: number;
  controllers: number;
  timers: number;
  /** Native `abort` listeners that were put on any signal. */
  listeners: number;
  /** Of those, the ones that are still there afterwards. */
  left: number;
}

/** Counts instead of timing: the same on every machine, and it tells what was made rather than how busy the machine was. */
function meter(): (work: () => Promise<ToolExecutionResult>) => Promise<Cost> {
  const cost: Cost = { promises: 0, controllers: 0, timers: 0, listeners: 0, left: 0 };
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') cost.promises += 1;
      if (type === 'Timeout') cost.timers += 1;
    },
  });
  onTestFinished(() => {
    hook.disable();
  });
  const Native = AbortController;
  vi.stubGlobal('AbortController', class extends Native {
    constructor() {
      super();
      cost.controllers += 1;
    }
  });
  for (const [method, change] of [['addEventListener', 1], ['removeEventListener', -1]] as const) {
    const native = EventTarget.prototype[method] as (...args: unknown[]) => void;
    vi.spyOn(EventTarget.prototype, method).mockImplementation(function (this: EventTarget, ...args: unknown[]) {
      if (args[0] === 'abort') {
        if (change > 0) cost.listeners += 1;
        cost.left += change;
      }
      native.apply(this, args);
    });
  }
  const run = async (work: () => Promise<ToolExecutionResult>): Promise<Cost> => {
    Object.assign(cost, { promises: 0, controllers: 0, timers: 0, listeners: 0, left: 0 });
    hook.enable();
    await work();
    const seen = { ...cost };
    hook.disable();
    return seen;
  };
  return async (work) => {
    const result = await work();
    const settled = Promise.resolve(result);
    // What is made on first use is there by now; and looking itself costs something, too.
    for (let i = 0; i < 3; i += 1) await work();
    const { promises: own } = await run(() => settled);
    const seen = await run(work);
    return { ...seen, promises: seen.promises - own };
  };
}

function mountEcho(ctx: Context, look: boolean): ToolCallInput {
  ctx.tools.register(
    aTool({
      execute: (args, exec) => {
        if (look) expect(exec.signal.aborted).toBe(false);
        return args;
      },
    }),
  );
  return { name: 'echo', arguments: { message: 'hi' } };
}

/** Of a whole call: the pipeline's, and the one that the caller gets. */
const PLAIN: Cost = { promises: 7, controllers: 0, timers: 0, listeners: 0, left: 0 };
/** With one wrapper, which passes the call on without waiting for it. */
const WRAPPED: Cost = { ...PLAIN, promises: 9 };

describe('one call costs', () => {
  it('seven promises and nothing else, whether the body looks at its signal or not', async () => {
    const { ctx } = setup();
    const call = mountEcho(ctx, true);
    const measure = meter();
    expect(await measure(() => ctx.tools.execute(call))).toEqual(PLAIN);
  });

  it('no more with a signal of the caller: it is handed on as it is', async () => {
    const { ctx } = setup();
    const call = mountEcho(ctx, true);
    const measure = meter();
    const { signal } = new AbortController();
    expect(await measure(() => ctx.tools.execute({ ...call, signal }))).toEqual(PLAIN);
  });

  it('no more for listeners that only observe', async () => {
    const { ctx } = setup();
    const call = mountEcho(ctx, false);
    const measure = meter();
    for (const hook of ['tools/call', 'tools/result', 'tools/progress', 'tools/late'] as const) ctx.on(hook, () => {});
    expect(await measure(() => ctx.tools.execute(call))).toEqual(PLAIN);
  });

  it('no more in a runtime with a thousand tools and scopes', async () => {
    const { ctx } = setup();
    const call = mountEcho(ctx, false);
    for (let i = 0; i < 1_000; i += 1) ctx.tools.register(aTool({ name: `tool_${i}` }));
    const scopes = Array.from({ length: 1_000 }, (_, i) => ctx.scope(`s${i}`));
    const measure = meter();
    expect(await measure(() => scopes[500]!.tools.execute(call))).toEqual(PLAIN);
  });

  it('two promises more with a wrapper that passes the call on, and no listener on anybody’s signal', async () => {
    const { ctx } = setup();
    const call = mountEcho(ctx, true);
    const measure = meter();
    const { signal } = new AbortController();
    ctx.on('tools/execute', (_exec, next) => next());
    expect(await measure(() => ctx.tools.execute(call))).toEqual(WRAPPED);
    expect(await measure(() => ctx.tools.execute({ ...call, signal }))).toEqual(WRAPPED);
  });

  it('one controller more, and one listener on each of the two signals, if the wrapper adds one and the body looks', async () => {
    const { ctx } = setup();
    const call = mountEcho(ctx, true);
    const measure = meter();
    const added = new AbortController();
    const caller = new AbortController();
    ctx.on('tools/execute', (_exec, next) => next({ signal: added.signal }));
    expect(await measure(() => ctx.tools.execute({ ...call, signal: caller.signal }))).toEqual({ ...WRAPPED, controllers: 1, listeners: 2 });
  });

  it('no controller if the wrapper adds a signal and the body never looks', async () => {
    const { ctx } = setup();
    const call = mountEcho(ctx, false);
    const measure = meter();
    const added = new AbortController();
    ctx.on('tools/execute', (_exec, next) => next({ signal: added.signal }));
    expect(await measure(() => ctx.tools.execute(call))).toEqual(WRAPPED);
  });

  it('one controller per attempt, and leaves nothing behind', async () => {
    const { ctx } = setup();
    const call = mountEcho(ctx, true);
    const measure = meter();
    const added = new AbortController();
    ctx.on('tools/execute', async (_exec, next) => {
      await next({ signal: added.signal });
      return next({ signal: added.signal });
    });
    const { controllers, listeners, left } = await measure(() => ctx.tools.execute(call));
    expect({ controllers, listeners, left }).toEqual({ controllers: 2, listeners: 2, left: 0 });
  });
});
