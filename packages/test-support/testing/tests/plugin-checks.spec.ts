import { setMaxListeners } from 'node:events';
import { definePlugin, type Context, type Disposer, type Plugin, type ToolExecutionResult } from '@sluice/core-tools';
import { afterEach, describe, expect, it } from 'vitest';
import { aCall, aTool, describePlugin, pluginChecks, type PluginCheckOptions } from '../src/index.ts';

type Apply = (ctx: Context) => void | Disposer | Promise<void | Disposer>;

function aPlugin(apply: Apply): Plugin {
  return definePlugin({ name: 'under-test', apply });
}

/** The checks that reject, by name. */
async function failing(factory: () => Plugin, options?: PluginCheckOptions): Promise<string[]> {
  const names: string[] = [];
  for (const { name, run } of pluginChecks(factory, options)) {
    try {
      await run();
    } catch {
      names.push(name);
    }
  }
  return names;
}

const deny = aPlugin((ctx) => {
  ctx.tools.guard(({ name }) => (name === 'shell' ? 'no shell here' : undefined));
});
const provesDenial = async (ctx: Context): Promise<void> => {
  ctx.tools.register(aTool({ name: 'shell' }));
  expect(await ctx.tools.execute(aCall({ name: 'shell' }))).toMatchObject({ isError: true, error: { info: { code: 'DENIED' } } });
};

const inert = 'does nothing until it is mounted';
const successes = 'leaves unrelated calls that succeed as they are without it';
const failures = 'leaves unrelated calls that fail as they are without it';
const throws = 'lets what is thrown further in pass';
const aborts = 'leaves aborted calls as they are without it';
const concurrent = 'keeps concurrent calls apart';
const unmount = 'leaves nothing behind when it is unmounted';
const unmountInFlight = 'can be unmounted with calls in flight';
const updateInFlight = 'can be updated with calls in flight';
const again = 'can be mounted again after it was unmounted';
const apart = 'shares nothing between two instances';
const proven = 'does what it is for, and its proof fails without it';

describe('a plugin that keeps the contract', () => {
  const passing = aPlugin((ctx) => {
    const seen = new Set<string>();
    ctx.on('tools/call', (exec) => { seen.add(exec.id); });
    ctx.on('tools/pre-execute', (_exec, next) => next());
    ctx.on('tools/execute', (_exec, next) => next());
    ctx.on('tools/post-execute', async (_exec, _result, next) => next());
    ctx.on('tools/result', (exec) => seen.delete(exec.id));
    const timer = setInterval(() => seen.clear(), 60_000);
    return () => { clearInterval(timer); };
  });

  it('passes every check', async () => {
    expect(await failing(() => passing)).toEqual([]);
  });

  it('passes with a tool, a service, a wait for another service and an asynchronous start of its own', async () => {
    const plugin = definePlugin({
      name: 'under-test',
      inject: ['tools', 'approval'],
      async apply(ctx) {
        await Promise.resolve();
        ctx.tools.register(aTool({ name: 'its_own' }));
      },
    });
    const setup = (ctx: Context): void => {
      ctx.provide('approval', { request: () => Promise.resolve({ kind: 'cancelled' }) });
    };
    expect(await failing(() => plugin, { setup })).toEqual([]);
  });

  it('passes with a proof that fails without it', async () => {
    expect(await failing(() => deny, { proof: provesDenial })).toEqual([]);
  });
});

/** A plugin that is wrong in one way, and the checks that have to say so. */
interface BadPlugin {
  readonly what: string;
  readonly fails: readonly string[];
  /** Fresh for each run: what it shares, it shares between the mounts of one run. */
  readonly make: () => { factory: () => Plugin; options?: PluginCheckOptions };
}

const bad = (what: string, fails: readonly string[], apply: Apply): BadPlugin => ({
  what,
  fails,
  make: () => ({ factory: () => aPlugin(apply) }),
});

const timers: NodeJS.Timeout[] = [];
const maxListeners = process.getMaxListeners();
afterEach(() => {
  process.setMaxListeners(maxListeners);
  for (const timer of timers.splice(0)) clearInterval(timer);
  process.removeAllListeners('sluice-test');
});

describe('a plugin that breaks the contract', () => {
  it.each<BadPlugin>([
    {
      what: 'starts something when it is built',
      fails: [inert, unmount, unmountInFlight, updateInFlight],
      make: () => ({
        factory: () => {
          timers.push(setInterval(() => undefined, 60_000));
          return deny;
        },
      }),
    },
    {
      what: 'leaves a listener in a context that is not its own',
      fails: [unmount, unmountInFlight, updateInFlight, again],
      make: () => {
        let outer: Context;
        return {
          factory: () =>
            aPlugin(() => {
              outer.on('tools/pre-execute', (_exec, next) => next());
            }),
          options: { setup: (ctx) => { outer = ctx; } },
        };
      },
    },
    bad('leaves a listener on process', [unmount, unmountInFlight, updateInFlight], () => {
      process.setMaxListeners(0).on('sluice-test', () => undefined);
    }),
    bad('leaves a timer running', [unmount, unmountInFlight, updateInFlight], () => {
      timers.push(setInterval(() => undefined, 60_000));
    }),
    bad("leaves a listener on a caller's signal", [aborts, concurrent, unmount, unmountInFlight, updateInFlight], (ctx) => {
      ctx.on('tools/call', ({ signal }) => {
        setMaxListeners(0, signal);
        signal.addEventListener('abort', () => undefined);
      });
    }),
    bad('changes content', [successes, throws, concurrent, unmountInFlight, updateInFlight, apart], (ctx) => {
      ctx.on('tools/post-execute', (_exec, result, next) =>
        result.isError ? next() : { kind: 'accept', content: [{ type: 'text', text: 'improved' }] },
      );
    }),
    bad('rebuilds results from some of their fields', [successes, apart], (ctx) => {
      ctx.on('tools/execute', async (_exec, next) => {
        const result = await next();
        if (result.isError) return result;
        const { isError, callId, name, value, content } = result;
        return { isError, callId, name, value, content };
      });
    }),
    bad('turns failures into successes', [failures, aborts, concurrent], (ctx) => {
      ctx.on('tools/execute', async ({ callId, name }, next): Promise<ToolExecutionResult> => {
        const result = await next();
        return result.isError ? { isError: false, callId, name, value: null, content: [] } : result;
      });
    }),
    bad('swallows what a wrapper further in throws', [throws], (ctx) => {
      ctx.on('tools/execute', async ({ callId, name }, next): Promise<ToolExecutionResult> => {
        try {
          return await next();
        } catch {
          return { isError: false, callId, name, value: null, content: [] };
        }
      });
    }),
    bad('swallows what a policy further in throws', [throws], (ctx) => {
      ctx.on('tools/pre-execute', async (_exec, next) => {
        try {
          return await next();
        } catch {
          return { kind: 'allow' };
        }
      });
    }),
    bad('throws where it only observes', [successes, failures, throws, aborts, apart], (ctx) => {
      ctx.on('tools/result', () => {
        throw new Error('nobody expects this');
      });
    }),
    bad('blocks a call that its caller gave up', [aborts], (ctx) => {
      ctx.on('tools/post-execute', (_exec, result, next) =>
        result.isError && result.error.info.code === 'ABORTED' ? { kind: 'block', feedback: [{ type: 'text', text: 'no' }] } : next(),
      );
    }),
    bad('mixes up calls that run at once', [concurrent], (ctx) => {
      let first: ToolExecutionResult | undefined;
      let running = 0;
      ctx.on('tools/execute', async (exec, next) => {
        running += 1;
        const result = await next();
        running -= 1;
        const answer = running > 0 && exec.parentCallId === undefined ? (first ??= result) : result;
        if (running === 0) first = undefined;
        return answer;
      });
    }),
    bad('ends calls in flight when it ends', [unmountInFlight, updateInFlight], (ctx) => {
      const { signal } = ctx;
      ctx.on('tools/execute', (_exec, next) => next({ signal }));
    }),
    {
      what: 'counts calls in a variable of its module',
      fails: [apart],
      make: () => {
        let calls = 0;
        return {
          factory: () =>
            aPlugin((ctx) => {
              ctx.tools.guard(() => {
                calls += 1;
                return calls > 200 ? 'too many calls' : undefined;
              });
            }),
        };
      },
    },
    {
      what: 'can be started only once',
      fails: [failures, throws, aborts, concurrent, unmount, unmountInFlight, updateInFlight, again, apart],
      make: () => {
        let isStarted = false;
        return {
          factory: () =>
            aPlugin(() => {
              if (isStarted) throw new Error('started before');
              isStarted = true;
            }),
        };
      },
    },
    {
      what: 'waits for something that its test does not give it',
      fails: [successes, failures, throws, aborts, concurrent, unmount, unmountInFlight, updateInFlight, again, apart],
      make: () => ({ factory: () => definePlugin({ name: 'under-test', inject: ['approval'], apply: () => undefined }) }),
    },
    {
      what: 'does nothing',
      fails: [apart, proven],
      make: () => ({ factory: () => aPlugin(() => undefined), options: { proof: provesDenial } }),
    },
    {
      what: 'has a proof that passes anyway',
      fails: [proven],
      make: () => ({ factory: () => deny, options: { proof: () => undefined } }),
    },
  ])('that $what is caught', async ({ fails, make }) => {
    const { factory, options } = make();
    expect(await failing(factory, options)).toEqual(fails);
    // A whole suite per plugin, on a machine that may be busy.
  }, 30_000);
});

describePlugin(() => deny, { proof: provesDenial });

describe('describePlugin', () => {
  it('makes a test of every check, with a name of its own', () => {
    const names = pluginChecks(() => deny, { proof: provesDenial }).map(({ name }) => name);
    expect(names).toHaveLength(12);
    expect(new Set(names).size).toBe(names.length);
  });
});
