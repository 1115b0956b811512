import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { aGate, aTool } from '@sluice/testing';
import { describe, expect, it, vi } from 'vitest';
import { definePlugin, isSluiceError, tools, type Context, type Disposer, type ToolChange, type ToolExecution } from '../src/index.ts';
import { codeOf, linesOf, setup, withBed } from './support.ts';

function heard(ctx: Context): ToolChange[] {
  const changes: ToolChange[] = [];
  ctx.on('tools/change', (change) => { changes.push(change); });
  return changes;
}

function listed(ctx: Context): string[] {
  return ctx.tools.schemas().map((schema) => schema.name);
}

describe('tools/change', () => {
  it('says what changed and where, at once, after each registration and restriction and its end; never for guards [F307] [W41]', () => {
    const { ctx } = setup();
    const agent = ctx.scope('planner').scope('helper');
    const changes = heard(ctx);
    const take = (): ToolChange[] => changes.splice(0);
    const off = ctx.tools.register(aTool({ name: 'x' }));
    expect(take()).toEqual([{ kind: 'register', name: 'x', scopePath: [] }]);
    const offOwn = agent.tools.register(aTool({ name: 'own' }));
    expect(take()).toEqual([{ kind: 'register', name: 'own', scopePath: ['planner', 'helper'] }]);
    const lift = agent.tools.restrict({ deny: ['x'] });
    expect(take()).toEqual([{ kind: 'restrict', scopePath: ['planner', 'helper'] }]);
    ctx.tools.guard(() => undefined)();
    expect(take()).toEqual([]);
    lift();
    expect(take()).toEqual([{ kind: 'restrict', scopePath: ['planner', 'helper'] }]);
    offOwn();
    off();
    expect(take()).toEqual([
      { kind: 'unregister', name: 'own', scopePath: ['planner', 'helper'] },
      { kind: 'unregister', name: 'x', scopePath: [] },
    ]);
    for (const again of [off, offOwn, lift]) again();
    expect(take()).toEqual([]);
  });

  it('finds the change already made, and is frozen', () => {
    const { ctx } = setup();
    const seen: unknown[] = [];
    ctx.on('tools/change', (change) => {
      seen.push([change.kind, listed(ctx), ctx.tools.get('echo') !== undefined, Object.isFrozen(change), Object.isFrozen(change.scopePath)]);
    });
    ctx.tools.register(aTool())();
    expect(seen).toEqual([['register', ['echo'], true, true, true], ['unregister', [], false, true, true]]);
  });

  it('says nothing when nothing changed: a refused registration or restriction', () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    ctx.tools.register(aTool());
    const changes = heard(ctx);
    expect(() => ctx.tools.register(aTool())).toThrow();
    expect(() => ctx.tools.register(aTool({ name: 'no name' }))).toThrow();
    expect(() => agent.tools.restrict({ deny: ['nobody'] })).toThrow();
    expect(changes).toEqual([]);
  });

  it('is heard in the scope of the change and above it, not below or beside [F299]', () => {
    const { ctx } = setup();
    const planner = ctx.scope('planner');
    const helper = planner.scope('helper');
    const other = ctx.scope('other');
    const all = [ctx, planner, helper, other].map(heard);
    planner.tools.register(aTool());
    expect(all.map((changes) => changes.length)).toEqual([1, 1, 0, 0]);
    ctx.tools.register(aTool());
    expect(all.map((changes) => changes.length)).toEqual([2, 1, 0, 0]);
  });

  it('tells every listener, whoever of them throws or rejects, and never the one who made the change [F299 F308 F309] [W25]', async () => {
    const { ctx, log } = setup();
    const agent = ctx.scope('agent');
    ctx.on('tools/change', () => { throw new Error('first is broken'); });
    ctx.on('tools/change', (async () => { throw new Error('second is broken'); }) as () => void);
    const changes = heard(ctx);
    const off = ctx.tools.register(aTool());
    expect(codeOf(await ctx.tools.execute({ name: 'echo' }))).toBe('ok');
    const lift = agent.tools.restrict({ deny: ['echo'] });
    lift();
    off();
    expect(codeOf(await ctx.tools.execute({ name: 'echo' }))).toBe('UNKNOWN_TOOL');
    ctx.tools.register(aTool());
    expect(changes.map((change) => change.kind)).toEqual(['register', 'restrict', 'restrict', 'unregister', 'register']);
    await new Promise((resolve) => setImmediate(resolve));
    const errors = linesOf(log, 'error');
    expect(errors.filter((line) => line.includes('first is broken'))).toHaveLength(5);
    expect(errors.filter((line) => line.includes('second is broken'))).toHaveLength(5);
    expect(errors.every((line) => line.includes('"app"') && line.includes('tools/change'))).toBe(true);
  });

  it('may be answered with another change: a listener that registers or takes away is heard in turn', () => {
    const { ctx } = setup();
    const seen: string[] = [];
    ctx.on('tools/change', ({ kind, name }) => {
      seen.push(`${kind} ${name ?? ''}`);
      if (kind === 'register' && name === 'x') ctx.tools.register(aTool({ name: 'y' }))();
    });
    ctx.tools.register(aTool({ name: 'x' }));
    expect(seen).toEqual(['register x', 'register y', 'unregister y']);
    expect(listed(ctx)).toEqual(['x']);
  });

  it('lets a listener undo the very registration that it hears of', async () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    const before = ctx.inspect();
    const plugin = definePlugin({ name: 'p', apply: (own) => void own.tools.register(aTool()) });
    const handles: { dispose(): Promise<void> }[] = [];
    const off = ctx.on('tools/change', ({ kind }) => { if (kind === 'register') void agent.dispose(); });
    handles.push(agent.plugin(plugin));
    off();
    await agent.dispose();
    await Promise.all(handles.map((handle) => handle.dispose()));
    expect(ctx.inspect().counts).toEqual({ ...before.counts, scopes: 0 });
  });
});

describe('events of calls', () => {
  it('reach the scope that made the call and those above it: a listener at the root hears all, one in a scope its own and below [F299 F301]', async () => {
    const { ctx } = setup();
    const planner = ctx.scope('planner');
    const helper = planner.scope('helper');
    const other = ctx.scope('other');
    ctx.tools.register(aTool());
    const seen: string[] = [];
    for (const [name, at] of Object.entries({ ctx, planner, helper, other })) {
      at.on('tools/call', () => { seen.push(`${name} call`); });
      at.on('tools/pre-execute', (_exec, next) => { seen.push(`${name} pre`); return next(); });
      at.on('tools/execute', (_exec, next) => { seen.push(`${name} execute`); return next(); });
      at.on('tools/post-execute', (_exec, _result, next) => { seen.push(`${name} post`); return next(); });
      at.on('tools/result', () => { seen.push(`${name} result`); });
    }
    const from = async (at: Context): Promise<string[]> => {
      seen.length = 0;
      await at.tools.execute({ name: 'echo' });
      return [...new Set(seen.map((line) => line.split(' ')[0]!))];
    };
    expect(await from(planner)).toEqual(['ctx', 'planner']);
    expect(seen.filter((line) => line.startsWith('planner'))).toEqual(['planner call', 'planner pre', 'planner execute', 'planner post', 'planner result']);
    expect(await from(ctx)).toEqual(['ctx']);
    expect(await from(helper)).toEqual(['ctx', 'planner', 'helper']);
    expect(await from(other)).toEqual(['ctx', 'other']);
  });

  it('carry their subject in the arguments and nothing in the receiver [F300]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    const receivers: unknown[] = [];
    const subjects: string[] = [];
    function note(receiver: unknown, exec: ToolExecution): void {
      receivers.push(receiver);
      subjects.push(exec.callId);
    }
    ctx.on('tools/call', function (this: unknown, exec) { note(this, exec); });
    ctx.on('tools/pre-execute', function (this: unknown, exec, next) { note(this, exec); return next(); });
    ctx.on('tools/execute', function (this: unknown, exec, next) { note(this, exec); return next(); });
    ctx.on('tools/post-execute', function (this: unknown, exec, _result, next) { note(this, exec); return next(); });
    ctx.on('tools/result', function (this: unknown, exec) { note(this, exec); });
    await ctx.tools.execute({ name: 'echo', callId: 'c' });
    expect(subjects).toEqual(Array.from({ length: 5 }, () => 'c'));
    for (const receiver of receivers) expect(receiver ?? {}).not.toMatchObject({ callId: 'c' });
    const ofGuards: unknown[] = [];
    ctx.tools.guard(function (this: unknown) { ofGuards.push(this); return undefined; });
    await ctx.tools.execute({ name: 'echo' });
    expect(ofGuards).toEqual([undefined]);
  });

  it('contain what an observer throws, and tell the next one [F299]', async () => {
    const { ctx, log } = setup();
    ctx.tools.register(aTool());
    const told = vi.fn();
    for (const hook of ['tools/call', 'tools/result'] as const) {
      ctx.on(hook, () => { throw new Error(`${hook} is broken`); });
      ctx.on(hook, () => { told(hook); });
    }
    expect(codeOf(await ctx.tools.execute({ name: 'echo' }))).toBe('ok');
    expect(told.mock.calls).toEqual([['tools/call'], ['tools/result']]);
    expect(linesOf(log, 'error').filter((line) => line.includes('is broken'))).toHaveLength(2);
  });
});

describe('a disposer', () => {
  it('removes exactly what it stands for, once; a stale one leaves a later thing of the same name alone [F304]', async () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    const first = ctx.tools.register(aTool({ execute: () => 'first' }));
    first();
    const second = ctx.tools.register(aTool({ execute: () => 'second' }));
    first();
    expect(await ctx.tools.execute({ name: 'echo' })).toMatchObject({ value: 'second' });

    const denies = [agent.tools.restrict({ deny: ['echo'] }), agent.tools.restrict({ deny: ['echo'] })];
    denies[0]?.();
    denies[0]?.();
    expect(listed(agent)).toEqual([]);
    denies[1]?.();
    expect(listed(agent)).toEqual(['echo']);

    const guard = (): string => 'no';
    const guards = [ctx.tools.guard(guard), ctx.tools.guard(guard)];
    guards[0]?.();
    guards[0]?.();
    expect(codeOf(await ctx.tools.execute({ name: 'echo' }))).toBe('DENIED');
    guards[1]?.();
    expect(codeOf(await ctx.tools.execute({ name: 'echo' }))).toBe('ok');
    second();
    expect(ctx.inspect().contributions).toEqual([]);
  });

  it('may be the cleanup of an effect, which then stands at its place in the order of disposal [F306]', async () => {
    const { ctx } = setup();
    const order: string[] = [];
    ctx.on('tools/change', ({ kind, name }) => { if (kind === 'unregister') order.push(`tool ${name ?? ''} gone`); });
    const off = ctx.effect(() => ctx.tools.register(aTool({ name: 'x' })));
    expect(listed(ctx)).toEqual(['x']);
    await off();
    await off();
    expect(listed(ctx)).toEqual([]);
    expect(order.splice(0)).toEqual(['tool x gone']);

    // In a plugin: what is registered goes first and at once, then cleanups, last in first out, each awaited.
    const handle = ctx.plugin(
      definePlugin({
        name: 'p',
        apply(own) {
          own.effect(() => async () => {
            await Promise.resolve();
            order.push('first effect');
          });
          own.tools.register(aTool({ name: 'y' }));
          own.effect(() => async () => {
            order.push('second effect begins');
            await new Promise((resolve) => setImmediate(resolve));
            order.push('second effect ends');
          });
        },
      }),
    );
    const disposed = handle.dispose();
    expect(order[0]).toBe('tool y gone');
    await disposed;
    expect(order).toEqual(['tool y gone', 'second effect begins', 'second effect ends', 'first effect']);
  });
});

describe('what a plugin or scope registered', () => {
  function everything(own: Context): void {
    own.tools.register(aTool({ name: 'its_tool' }));
    own.tools.guard(() => 'guarded');
    own.tools.restrict({ deny: ['global'] });
    own.on('tools/result', () => {});
    own.on('tools/change', () => {});
    own.on('tools/pre-execute', (_exec, next) => next());
  }

  it('goes with it, all of it and at once, and what others registered stays [F305]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ name: 'global' }));
    const agent = ctx.scope('agent');
    agent.tools.register(aTool({ name: 'stays' }));
    const before = ctx.inspect();
    const handle = agent.plugin(definePlugin({ name: 'p', apply: (own) => everything(own) }));
    expect(listed(agent)).toEqual(['stays', 'its_tool']);
    expect(codeOf(await agent.tools.execute({ name: 'stays' }))).toBe('DENIED');
    const disposed = handle.dispose();
    expect(listed(agent)).toEqual(['global', 'stays']);
    await disposed;
    expect(codeOf(await agent.tools.execute({ name: 'stays' }))).toBe('ok');
    expect(ctx.inspect()).toEqual(before);
  });

  it('goes with its scope, and with every scope above it, and the changes are announced where somebody still listens [F305] [W41]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ name: 'global' }));
    const before = ctx.inspect();
    const changes = heard(ctx);
    const planner = ctx.scope('planner');
    const helper = planner.scope('helper');
    everything(helper);
    everything(planner);
    changes.length = 0;
    await planner.dispose();
    expect(changes.filter((change) => change.kind === 'unregister').map((change) => change.scopePath.join('/')).sort()).toEqual(['planner', 'planner/helper']);
    expect(ctx.inspect().counts).toEqual({ ...before.counts, listeners: before.counts.listeners + 1 });
    expect(codeOf(await ctx.tools.execute({ name: 'global' }))).toBe('ok');
  });

  it('of a plugin that fails to start is undone: its tool is not there, and its name is free [F308]', async () => {
    const { ctx } = setup();
    const before = ctx.inspect();
    const handle = ctx.plugin(
      definePlugin({
        name: 'broken',
        apply(own) {
          own.tools.register(aTool());
          own.tools.guard(() => 'no');
          throw new Error('cannot start');
        },
      }),
    );
    await expect(handle.ready).rejects.toThrow('cannot start');
    expect(listed(ctx)).toEqual([]);
    ctx.tools.register(aTool());
    expect(codeOf(await ctx.tools.execute({ name: 'echo' }))).toBe('ok');
    await handle.dispose();
    expect(ctx.inspect().children).toEqual(before.children);
  });

  it('is swapped in one go when the plugin is updated: at no moment are there two, or none for a call', async () => {
    const { ctx } = setup();
    const handle = ctx.plugin(
      definePlugin<{ version: number }>({
        name: 'versioned',
        config: { type: 'object', additionalProperties: false, properties: { version: { type: 'integer', default: 1 } } },
        apply: (own, { version }) => void own.tools.register(aTool({ execute: () => version })),
      }),
    );
    const gate = aGate();
    ctx.on('tools/execute', async (_exec, next) => {
      await gate.opened;
      return next();
    });
    const inFlight = ctx.tools.execute({ name: 'echo' });
    await handle.update({ version: 2 });
    gate.open();
    // The one that was captured is gone and its replacement is never run in its place.
    expect(codeOf(await inFlight)).toBe('UNKNOWN_TOOL');
    expect(await ctx.tools.execute({ name: 'echo' })).toMatchObject({ value: 2 });
    expect(listed(ctx)).toEqual(['echo']);
  });

  it('cannot be added to once the owner is disposed [F312]', async () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    let own: Context | undefined;
    const handle = ctx.plugin(definePlugin({ name: 'p', apply: (its) => { own = its; } }));
    const [ofScope, ofPlugin] = [agent.tools, own!.tools];
    await agent.dispose();
    await handle.dispose();
    const before = ctx.inspect();
    for (const late of [
      () => ofScope.register(aTool()),
      () => ofScope.restrict({ deny: ['*'] }),
      () => ofScope.guard(() => 'no'),
      () => ofPlugin.register(aTool()),
      () => ofPlugin.guard(() => 'no'),
    ]) {
      let thrown: unknown;
      try {
        late();
      } catch (error) {
        thrown = error;
      }
      expect(isSluiceError(thrown) && thrown.code).toBe('CONTEXT_DISPOSED');
    }
    expect(ctx.inspect()).toEqual(before);
    expect(listed(ctx)).toEqual([]);
  });
});

describe('a tool that is unregistered', () => {
  it('finishes the call whose body runs, with the schema and render that it began with; the next call finds none [F311]', async () => {
    const { ctx } = setup();
    const gate = aGate();
    const entered = aGate();
    const definition = aTool({
      output: { schema: { type: 'string' }, render: (_args, value: string) => [{ type: 'text', text: `rendered ${value}` }] },
      execute: async () => {
        entered.open();
        await gate.opened;
        return 'late';
      },
      finalizeContent: (_exec, result) => [...result.content, { type: 'text', text: 'finalized' }],
    });
    const off = ctx.tools.register(definition);
    const inFlight = ctx.tools.execute({ name: 'echo' });
    await entered.opened;
    off();
    ctx.tools.register(aTool({ output: { schema: { type: 'number' }, render: () => [] } }));
    gate.open();
    expect(await inFlight).toMatchObject({ isError: false, value: 'late', content: [{ text: 'rendered late' }, { text: 'finalized' }] });
  });

  it.each<[string, (ctx: Context, act: () => void) => void]>([
    ['tools/call', (ctx, act) => ctx.on('tools/call', () => { act(); })],
    ['pre-execute', (ctx, act) => ctx.on('tools/pre-execute', (_exec, next) => { act(); return next(); })],
    ['a guard', (ctx, act) => ctx.tools.guard(() => { act(); return undefined; })],
    ['a wrapper', (ctx, act) => ctx.on('tools/execute', (_exec, next) => { act(); return next(); })],
  ])('or replaced in %s, before its body was entered, is UNKNOWN_TOOL; the replacement does not run [F311]', async (_where, listen) => {
    for (const isReplaced of [false, true]) {
      const body = vi.fn();
      await withBed(async ({ ctx }) => {
        const off = ctx.tools.register(aTool({ execute: body }));
        let isDone = false;
        listen(ctx, () => {
          if (isDone) return;
          isDone = true;
          off();
          if (isReplaced) ctx.tools.register(aTool({ execute: body }));
        });
        const result = await ctx.tools.execute({ name: 'echo' });
        expect(codeOf(result)).toBe('UNKNOWN_TOOL');
        expect(result.isError && result.error.info.started).toBe(false);
      });
      expect(body).not.toHaveBeenCalled();
    }
  });
});

describe('the tools plugin itself', () => {
  it('takes its service along when it is disposed, and plugins that need it wait for the next [F310]', async () => {
    const { ctx, handle } = setup();
    const dependent = ctx.plugin(definePlugin({ name: 'p', inject: ['tools'], apply: (own) => void own.tools.register(aTool()) }));
    expect(listed(ctx)).toEqual(['echo']);
    await handle.dispose();
    expect(ctx.get('tools')).toBeUndefined();
    expect(() => ctx.tools).toThrow(/tools/);
    expect(dependent.status).toBe('waiting');
    await expect(ctx.ready()).rejects.toThrow(/"p".*tools/s);
    ctx.plugin(tools);
    expect(dependent.status).toBe('active');
    expect(listed(ctx)).toEqual(['echo']);
  });

  it('reaches no tool any more for whoever kept the service: the policies that need it are gone as well', async () => {
    const { ctx, handle } = setup();
    const body = vi.fn();
    ctx.tools.register(aTool({ execute: body }));
    ctx.plugin(definePlugin({ name: 'policy', inject: ['tools'], apply: (own) => void own.tools.guard(() => 'never') }));
    const kept = ctx.tools;
    await handle.dispose();
    expect(codeOf(await kept.execute({ name: 'echo' }))).toBe('UNKNOWN_TOOL');
    expect((await kept.executeAll([{ name: 'echo' }])).map(codeOf)).toEqual(['UNKNOWN_TOOL']);
    expect(kept.get('echo')).toBeUndefined();
    expect(kept.schemas()).toEqual([]);
    expect(body).not.toHaveBeenCalled();
  });

  it('keeps what an application registered when its config changes: tools, restrictions and, above all, guards', async () => {
    const { ctx, handle } = setup();
    const agent = ctx.scope('agent');
    const offs: Disposer[] = [
      ctx.tools.register(aTool({ name: 'shell' })),
      ctx.tools.register(aTool()),
      agent.tools.restrict({ deny: ['shell'] }),
      ctx.tools.guard((exec) => (exec.name === 'shell' ? 'never' : undefined)),
    ];
    const kept = ctx.tools;
    const deep = { name: 'echo', argumentsText: `${'{"a":'.repeat(20)}1${'}'.repeat(20)}` };
    expect(codeOf(await ctx.tools.execute(deep))).toBe('ok');
    await handle.update({ limits: { maxDepth: 10 } });
    expect(codeOf(await ctx.tools.execute(deep))).toBe('INVALID_ARGS');
    for (const service of [ctx.tools, kept]) {
      expect(service.schemas().map((schema) => schema.name)).toEqual(['shell', 'echo']);
      expect(codeOf(await service.execute({ name: 'shell' }))).toBe('DENIED');
    }
    expect(listed(agent)).toEqual(['echo']);
    for (const off of offs) off();
    expect(listed(ctx)).toEqual([]);
    expect(ctx.inspect().contributions).toEqual([]);
  });

  it('lets a body finish, and keep its locks, over an update of the config', async () => {
    const { ctx, handle } = setup();
    const gate = aGate();
    const order: string[] = [];
    ctx.tools.register(
      aTool({
        locks: () => ({ write: ['file'] }),
        async execute(args) {
          const id = args['id'] as number;
          order.push(`${id} begins`);
          if (id === 1) await gate.opened;
          order.push(`${id} ends`);
        },
        output: { schema: {}, render: () => [] },
      }),
    );
    const call = (id: number): ReturnType<typeof ctx.tools.execute> => ctx.tools.execute({ name: 'echo', arguments: { id } });
    const first = call(1);
    await handle.update({ limits: {} });
    const second = call(2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual(['1 begins']);
    gate.open();
    await Promise.all([first, second]);
    expect(order).toEqual(['1 begins', '1 ends', '2 begins', '2 ends']);
  });

  it('of one tree knows nothing of another, and one in a scope nothing of the one above', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    await withBed(({ ctx: another }) => {
      expect(listed(another)).toEqual([]);
    });
    const apart = ctx.scope('apart');
    apart.plugin(tools);
    expect(listed(apart)).toEqual([]);
    apart.tools.register(aTool({ name: 'own' }));
    expect(listed(apart)).toEqual(['own']);
    expect(listed(ctx)).toEqual(['echo']);
  });
});

describe('10,000 times', () => {
  const collect = (() => {
    setFlagsFromString('--expose-gc');
    return runInNewContext('gc') as () => void;
  })();

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  async function heap(): Promise<number> {
    // Several times: what is held weakly, or finalised, goes in steps.
    for (let i = 0; i < 4; i += 1) {
      await turn();
      collect();
    }
    return process.memoryUsage().heapUsed;
  }

  /** Bytes that each cycle leaves, over 10,000 and more: the least of several parts, since what others in the process build falls into some. */
  async function growth(cycle: (i: number) => void | Promise<void>): Promise<number> {
    let i = 0;
    const grown = async (cycles: number): Promise<number> => {
      const before = await heap();
      for (const end = i + cycles; i < end; i += 1) {
        await cycle(i);
        if (i % 50 === 0) await turn();
      }
      return ((await heap()) - before) / cycles;
    };
    await grown(1_000);
    let least = Math.min(await grown(5_000), await grown(5_000));
    // A leak shows in every part; the neighbours' garbage does not.
    for (let more = 0; more < 4 && least >= LIMIT; more += 1) least = Math.min(least, await grown(2_500));
    return least;
  }

  // A leaked closure or map entry is 100 bytes and more; the noise of the test runner is a few.
  const LIMIT = 40;

  it('registering, restricting and guarding leaves nothing, not even with a new name and schema each time', async () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    ctx.tools.register(aTool());
    const before = ctx.inspect();
    const grown = await growth((i) => {
      const parameters = { type: 'object', properties: { [`p${i}`]: { type: 'string', description: `${i}` } } };
      const offs = [
        ctx.tools.register(aTool({ name: `t${i}`, parameters })),
        agent.tools.register(aTool({ name: 'own' })),
        agent.tools.restrict({ deny: [`t${i}`] }),
        agent.tools.guard(() => undefined),
      ];
      agent.tools.schemas();
      for (const off of offs) off();
    });
    expect(ctx.inspect()).toEqual(before);
    expect(listed(agent)).toEqual(['echo']);
    expect(grown).toBeLessThan(LIMIT);
  }, 60_000);

  it('mounting and unmounting a plugin with tools, guards and listeners leaves nothing', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    const plugin = definePlugin({
      name: 'cycled',
      inject: ['tools'],
      apply(own) {
        own.tools.register(aTool({ name: 'cycled' }));
        own.tools.guard(() => undefined);
        own.on('tools/pre-execute', (_exec, next) => next());
        own.on('tools/change', () => {});
        own.effect(() => () => {});
      },
    });
    const before = ctx.inspect();
    const grown = await growth(async (i) => {
      const handle = ctx.plugin(plugin);
      if (i % 100 === 0) await ctx.tools.execute({ name: 'cycled' });
      await handle.dispose();
    });
    expect(ctx.inspect()).toEqual(before);
    expect(listed(ctx)).toEqual(['echo']);
    expect(grown).toBeLessThan(LIMIT);
  }, 60_000);

  it('opening and closing a scope with tools, a restriction and a call leaves nothing', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    const before = ctx.inspect();
    const grown = await growth(async () => {
      const agent = ctx.scope('agent');
      agent.tools.register(aTool({ name: 'own' }));
      agent.tools.restrict({ deny: ['echo'] });
      agent.tools.guard(() => undefined);
      await agent.tools.execute({ name: 'own', signal: agent.signal });
      await agent.dispose();
    });
    expect(ctx.inspect()).toEqual(before);
    expect(grown).toBeLessThan(LIMIT);
  }, 60_000);
});
