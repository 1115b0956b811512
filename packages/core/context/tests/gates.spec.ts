import type { Context, Plugin } from '@sluice/core-context';
import { describe, expect, it } from 'vitest';
import { aContext, aPlugin, aSwitch, idle } from './support.ts';

const gate = (apply: Plugin['apply'] = () => undefined, overrides: Partial<Plugin> = {}): Plugin => aPlugin(apply, { name: 'gate', gate: true, ...overrides });

/** Asks the hook as a pipeline would: denied while a gate is closed; otherwise the listeners decide, and nobody means yes. */
async function ask(ctx: Context): Promise<string> {
  if (ctx.closedGates().length > 0) return 'denied: closed';
  return ctx.waterfall('host-test/ask', ['?'], () => 'ALLOWED');
}

describe('closedGates()', () => {
  it('is one shared empty array when no gate is closed', () => {
    const { ctx } = aContext();
    ctx.plugin(gate());
    expect(ctx.closedGates()).toEqual([]);
    expect(ctx.closedGates()).toBe(ctx.scope('a').closedGates());
  });

  it('never names a plugin that is no gate', () => {
    const { ctx } = aContext();
    ctx.plugin(aPlugin(() => { throw new Error('boom'); }));
    ctx.plugin(aPlugin(() => undefined, { inject: ['hostTestClock'] }));
    expect(ctx.closedGates()).toEqual([]);
  });

  it('names gates of the own scope and of those above, outermost first, and none of a sibling', () => {
    const { ctx } = aContext();
    const a = ctx.scope('a');
    const waits = (name: string): Plugin => gate(() => undefined, { name, inject: ['hostTestClock'] });
    a.scope('deep').plugin(waits('deep'));
    a.plugin(waits('inner'));
    ctx.plugin(waits('outer'));
    expect(ctx.closedGates()).toEqual(['outer']);
    expect(a.closedGates()).toEqual(['outer', 'inner']);
    expect(ctx.scope('b').closedGates()).toEqual(['outer']);
  });
});

describe('a gate is closed', () => {
  it('while it waits for a service, and again when that has gone', async () => {
    const { ctx } = aContext();
    ctx.plugin(gate(() => undefined, { inject: ['hostTestClock'] }));
    expect(ctx.closedGates()).toEqual(['gate']);
    const off = ctx.provide('hostTestClock', { now: () => 1 });
    expect(ctx.closedGates()).toEqual([]);
    const gone = off();
    expect(ctx.closedGates()).toEqual(['gate']);
    await gone;
    expect(ctx.closedGates()).toEqual(['gate']);
  });

  it('before anything of it is taken away, seen from inside the taking away', async () => {
    const { ctx } = aContext();
    const seen: string[][] = [];
    const off = ctx.provide('hostTestClock', { now: () => 1 });
    ctx.plugin(gate((inner) => {
      inner.contribute({ label: 'spy', attach: () => undefined, detach: () => seen.push([...ctx.closedGates()]) });
    }, { inject: ['hostTestClock'] }));
    await off();
    expect(seen).toEqual([['gate']]);
  });

  it('while it starts', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    const seen: string[][] = [];
    const handle = ctx.plugin(gate(async () => {
      seen.push([...ctx.closedGates()]);
      await open.promise;
    }));
    expect(seen).toEqual([['gate']]);
    expect(ctx.closedGates()).toEqual(['gate']);
    open.on();
    await handle.ready;
    expect(ctx.closedGates()).toEqual([]);
  });

  it('when it failed to start', () => {
    const { ctx } = aContext();
    ctx.plugin(gate(() => { throw new Error('boom'); }));
    expect(ctx.closedGates()).toEqual(['gate']);
  });

  it('when it failed later', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    const handle = ctx.plugin(gate(async () => open.promise));
    open.fail(new Error('boom'));
    await handle.ready.catch(() => undefined);
    expect(handle.status).toBe('failed');
    expect(ctx.closedGates()).toEqual(['gate']);
  });

  it('when it failed to start again', async () => {
    const { ctx } = aContext();
    let starts = 0;
    const off = ctx.provide('hostTestClock', { now: () => 1 });
    ctx.plugin(gate(() => { if (++starts > 1) throw new Error('boom'); }, { inject: ['hostTestClock'] }));
    await off();
    ctx.provide('hostTestClock', { now: () => 2 });
    expect(ctx.closedGates()).toEqual(['gate']);
  });

  it('while an update prepares it, and open on return of a synchronous one', async () => {
    const { ctx } = aContext();
    const seen: string[][] = [];
    const handle = ctx.plugin(gate(() => void seen.push([...ctx.closedGates()])));
    const updated = handle.update({});
    expect(seen).toEqual([['gate'], ['gate']]);
    expect(ctx.closedGates()).toEqual([]);
    await updated;
  });

  it('during an asynchronous update, and not when that has failed and the old one stays', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    let starts = 0;
    const handle = ctx.plugin(gate(() => (++starts === 1 ? undefined : open.promise)));
    const updated = handle.update({});
    const rejects = expect(updated).rejects.toThrow('boom');
    expect(handle.status).toBe('active');
    expect(ctx.closedGates()).toEqual(['gate']);
    open.fail(new Error('boom'));
    await rejects;
    expect(ctx.closedGates()).toEqual([]);
  });
});

describe('a gate is gone', () => {
  it('when it is disposed, open or closed', async () => {
    const { ctx } = aContext();
    const failed = ctx.plugin(gate(() => { throw new Error('boom'); }, { name: 'failed' }));
    const waiting = ctx.plugin(gate(() => undefined, { name: 'waiting', inject: ['hostTestClock'] }));
    await failed.dispose();
    expect(ctx.closedGates()).toEqual(['waiting']);
    await waiting.dispose();
    expect(ctx.closedGates()).toEqual([]);
  });

  it('when the plugin or scope that it is mounted in is disposed', async () => {
    const { ctx } = aContext();
    const waiting = gate(() => undefined, { inject: ['hostTestClock'] });
    const parent = ctx.plugin(aPlugin((inner) => { inner.plugin(waiting); }));
    const scope = ctx.scope('a');
    scope.plugin(waiting);
    expect([ctx.closedGates(), scope.closedGates()]).toEqual([['gate'], ['gate', 'gate']]);
    await parent.dispose();
    await scope.dispose();
    expect([ctx.closedGates(), scope.closedGates()]).toEqual([[], []]);
  });
});

describe('a gate inside another plugin', () => {
  it('stays closed while that plugin waits to start again', async () => {
    const { ctx } = aContext();
    const off = ctx.provide('hostTestClock', { now: () => 1 });
    const bundle = ctx.plugin(aPlugin((inner) => { inner.plugin(gate()); }, { name: 'bundle', inject: ['hostTestClock'] }));
    expect(ctx.closedGates()).toEqual([]);
    await off();
    expect(ctx.closedGates()).toEqual(['gate']);
    ctx.provide('hostTestClock', { now: () => 2 });
    expect(ctx.closedGates()).toEqual([]);
    await bundle.dispose();
    expect(ctx.closedGates()).toEqual([]);
  });

  it('stays closed when that plugin fails to start again, also if it got only half-way', async () => {
    const { ctx } = aContext();
    let starts = 0;
    let off = ctx.provide('hostTestClock', { now: () => 1 });
    const bundle = ctx.plugin(aPlugin((inner) => {
      starts++;
      if (starts === 2) throw new Error('before');
      inner.plugin(gate());
      if (starts === 3) throw new Error('after');
    }, { name: 'bundle', inject: ['hostTestClock'] }));
    for (let time = 2; time <= 3; time++) {
      await off();
      off = ctx.provide('hostTestClock', { now: () => time });
      expect(bundle.status).toBe('failed');
      expect(ctx.closedGates()).toEqual(['gate']);
    }
    await off();
    ctx.provide('hostTestClock', { now: () => 4 });
    expect(ctx.closedGates()).toEqual([]);
  });

  it('is gone when that plugin, started again, no longer mounts it', async () => {
    const { ctx } = aContext();
    let starts = 0;
    const off = ctx.provide('hostTestClock', { now: () => 1 });
    ctx.plugin(aPlugin((inner) => { if (++starts === 1) inner.plugin(gate()); }, { name: 'bundle', inject: ['hostTestClock'] }));
    await off();
    expect(ctx.closedGates()).toEqual(['gate']);
    ctx.provide('hostTestClock', { now: () => 2 });
    expect(ctx.closedGates()).toEqual([]);
  });

  it('is closed at every moment of a swap of that plugin', async () => {
    const { ctx } = aContext();
    const seen: string[][] = [];
    const look = (): void => void seen.push([...ctx.closedGates()]);
    const bundle = ctx.plugin(aPlugin((inner) => {
      inner.contribute({ label: 'spy', attach: look, detach: look });
      inner.plugin(gate());
    }, { name: 'bundle' }));
    seen.length = 0;
    await bundle.update({});
    expect(seen).toEqual([['gate'], ['gate']]);
    expect(ctx.closedGates()).toEqual([]);
  });

  it('is closed after a swap in which the new one of it fails or still starts', async () => {
    const { ctx } = aContext();
    let starts = 0;
    const open = aSwitch();
    const bundle = ctx.plugin(aPlugin((inner) => {
      starts++;
      inner.plugin(gate(() => {
        if (starts === 2) throw new Error('boom');
        return starts === 3 ? open.promise : undefined;
      }));
    }, { name: 'bundle' }));
    await bundle.update({});
    expect(ctx.closedGates()).toEqual(['gate']);
    await bundle.update({});
    expect(ctx.closedGates()).toEqual(['gate']);
    open.on();
    await idle();
    expect(ctx.closedGates()).toEqual([]);
  });
});

describe('a gate under load', () => {
  /** A gate that denies as long as it has not been cleaned up; a cleaned-up policy has lost its rules. */
  const policy = (log: string[] = []): Plugin => {
    let version = 0;
    return gate((ctx) => {
      const me = ++version;
      let rules: string | undefined = `denied by ${me}`;
      ctx.on('host-test/ask', async () => {
        await Promise.resolve();
        return rules ?? 'ALLOWED';
      });
      return () => {
        rules = undefined;
        log.push(`cleaned ${me}`);
      };
    });
  };

  it('never lets a call through while it is swapped under 1,000 of them', async () => {
    const { ctx } = aContext();
    // An outer listener holds each call for a different time, so that swaps happen before, while and after it reaches the gate.
    let calls = 0;
    ctx.on('host-test/ask', async (_question, next) => {
      for (let i = calls++ % 40; i > 0; i--) await Promise.resolve();
      return next();
    });
    const log: string[] = [];
    const handle = ctx.plugin(policy(log));
    const answers: Promise<string>[] = [];
    for (let i = 0; i < 1_000; i++) {
      answers.push(ask(ctx));
      if (i % 25 === 0) void handle.update({});
      if (i % 7 === 0) await Promise.resolve();
    }
    const given = await Promise.all(answers);
    expect(given.filter((answer) => !/^denied by \d+$/.test(answer))).toEqual([]);
    expect(new Set(given).size).toBeGreaterThan(10);
    await idle();
    expect(log).toHaveLength(40);
  });

  it('never lets a call through while its provider comes and goes', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    ctx.on('host-test/ask', async (_question, next) => {
      await open.promise;
      return next();
    });
    const log: string[] = [];
    const plugin = policy(log);
    ctx.plugin({ ...plugin, inject: ['hostTestClock'] });
    let off = ctx.provide('hostTestClock', { now: () => 0 });
    const answers: Promise<string>[] = [];
    for (let i = 0; i < 1_000; i++) {
      answers.push(ask(ctx));
      if (i % 10 === 0) void off();
      if (i % 10 === 5) off = ctx.provide('hostTestClock', { now: () => i });
    }
    open.on();
    const given = await Promise.all(answers);
    expect(given.filter((answer) => answer === 'ALLOWED')).toEqual([]);
    expect(new Set(given)).toContain('denied: closed');
    expect(new Set(given)).toContain('denied by 1');
  });

  it('is not cleaned up while a call in flight may still reach it', async () => {
    const { ctx } = aContext();
    const open = aSwitch();
    ctx.on('host-test/ask', async (_question, next) => {
      await open.promise;
      return next();
    });
    const log: string[] = [];
    const handle = ctx.plugin(policy(log));
    const answer = ask(ctx);
    void handle.update({});
    await idle();
    expect(log).toEqual([]);
    open.on();
    expect(await answer).toBe('denied by 1');
    await idle();
    expect(log).toEqual(['cleaned 1']);
    expect(await ask(ctx)).toBe('denied by 2');
  });

  it('makes a waterfall fail, instead of going on without it, when an outer listener goes on after it has ended', async () => {
    const { ctx } = aContext();
    let goOn: (() => Promise<string>) | undefined;
    ctx.on('host-test/ask', (_question, next) => {
      goOn = next;
      return 'answered';
    });
    const handle = ctx.plugin(policy());
    expect(await ask(ctx)).toBe('answered');
    await handle.dispose();
    await expect(goOn!()).rejects.toMatchObject({ code: 'PLUGIN_DISPOSED' });
  });

  it('makes it fail as well while the cleanups still run', async () => {
    const { ctx } = aContext();
    let goOn: (() => Promise<string>) | undefined;
    ctx.on('host-test/ask', (_question, next) => {
      goOn = next;
      return 'answered';
    });
    const open = aSwitch();
    const handle = ctx.plugin(aPlugin((inner) => {
      inner.on('host-test/ask', () => 'allowed by what is half gone');
      return () => open.promise;
    }, { name: 'policy', gate: true }));
    expect(await ask(ctx)).toBe('answered');
    void handle.dispose();
    await idle();
    expect(ctx.inspect().children[0]?.running).toEqual(['cleanup "apply"']);
    await expect(goOn!()).rejects.toMatchObject({ code: 'PLUGIN_DISPOSED' });
    open.on();
    await handle.dispose();
  });
});
