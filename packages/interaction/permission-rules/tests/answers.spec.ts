import { approval } from '@sluice/approval';
import { aGate } from '@sluice/testing';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RememberableRule } from '../src/index.ts';
import { allow, answering, aRulesHost, ask, codeOf, type RulesHost } from './support.ts';

/** A host where a person answers every question with this rule. */
function always(rule: unknown, config = {}): RulesHost & { asked: number } {
  const host = aRulesHost(config);
  const asked = answering(host.ctx, () => ({ kind: 'allowed-always', rule }));
  return Object.assign(Object.create(host, { asked: { get: () => asked.length } }) as RulesHost & { asked: number }, { [Symbol.asyncDispose]: () => host.dispose() });
}

describe('an answer that allows always', () => {
  it('is remembered, so that the call is not asked about again', async () => {
    await using host = always({ ...allow('bash', { '': { equals: { command: 'ls' } } }), remember: 'session' });
    for (let times = 0; times < 3; times += 1) expect(codeOf(await host.run('bash', { command: 'ls' }))).toBe('ran');
    expect(host.asked).toBe(1);
    expect(host.ctx.rules.list()).toMatchObject([{ tool: 'bash', remember: 'session', scopePath: [] }]);
  });

  it('answers the questions that wait behind it, synchronously', async () => {
    await using host = aRulesHost();
    const first = aGate();
    const decisions: string[] = [];
    void host.ctx.provide('approval', {
      async request(request) {
        await first.opened;
        const call = { toolName: request.toolName, arguments: request.arguments, scopePath: request.scope ?? '' };
        const decision = host.ctx.rules.decide(call);
        decisions.push(decision);
        if (decision === 'allow') return { kind: 'allowed-once' };
        host.ctx.emit('approval/decided', request, { kind: 'allowed-always', rule: host.ctx.rules.ruleFor(request) });
        return { kind: 'allowed-once' };
      },
    });
    const calls = [1, 2, 3].map(() => host.run('bash', { command: 'ls' }));
    first.open();
    expect((await Promise.all(calls)).map(codeOf)).toEqual(['ran', 'ran', 'ran']);
    expect(decisions).toEqual(['ask', 'allow', 'allow']);
  });

  it('holds for the scope that asked, exactly, even when its name has a slash', async () => {
    await using host = always({ ...allow('bash'), remember: 'session' });
    const odd = host.ctx.scope('a/b');
    const nested = host.ctx.scope('a').scope('b');
    await odd.tools.execute({ name: 'bash' });
    expect(host.ctx.rules.list()).toMatchObject([{ scopePath: ['a/b'] }]);
    expect([odd, nested, host.ctx].map((ctx) => ctx.rules.decide({ toolName: 'bash' }))).toEqual(['allow', 'ask', 'ask']);
  });

  it('is remembered too when the question did not come from a rule', async () => {
    await using host = aRulesHost();
    const signal = new AbortController().signal;
    const view = { kind: 'generic', title: 'bash' } as never;
    host.ctx.emit('approval/decided', { id: 'q1', scope: 'planner/sub', toolName: 'bash', callId: 'c', arguments: { a: 1 }, view, signal }, { kind: 'allowed-always', rule: { ...allow('bash'), remember: 'session' } });
    expect(host.ctx.rules.list()).toMatchObject([{ scopePath: ['planner', 'sub'] }]);
  });

  it.each<[string, unknown]>([
    ['no rule', undefined], ['a rule that denies', { ...ask('bash'), decision: 'deny', remember: 'session' }], ['a rule without an end', allow('bash')], ['another tool', { ...allow('read'), remember: 'user' }],
    ['other arguments', { ...allow('bash', { command: { equals: 'rm x' } }), remember: 'user' }], ['a broken condition', { ...allow('bash', { command: { matches: '(' } }), remember: 'user' }],
    ['a rule with a getter', { ...allow('bash'), get remember() { throw new Error('no'); } }],
  ])('with %s allows this once and is not remembered', async (_what, rule) => {
    await using host = always(rule);
    for (let times = 0; times < 2; times += 1) expect(codeOf(await host.run('bash', { command: 'ls' }))).toBe('ran');
    expect(host.asked).toBe(2);
    expect(host.ctx.rules.list()).toEqual([]);
    expect(host.log.messages('error')).toHaveLength(2);
  });

  it('is of no use where the config asks, and explain says so before', async () => {
    await using host = always({ ...allow('bash'), remember: 'session' }, { rules: [ask('bash')] });
    expect(host.ctx.rules.explain({ toolName: 'bash' }).rememberable).toBe(false);
    await host.run('bash');
    await host.run('bash');
    expect(host.asked).toBe(2);
  });

  it('that cannot be stored holds for this session, and the log says so', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'rules-'));
    try {
      // A name that is just short enough itself, but not with what a lock adds to it.
      await using host = always({ ...allow('bash'), remember: 'user' } satisfies RememberableRule, { file: join(directory, 'r'.repeat(240)) });
      for (let times = 0; times < 2; times += 1) expect(codeOf(await host.run('bash'))).toBe('ran');
      expect(host.asked).toBe(1);
      await host.rules.dispose();
      expect(host.log.messages('error')).toEqual([expect.stringContaining('could not be written')]);
      expect(readdirSync(directory)).toEqual([]);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it.each(['allowed-once', 'rejected', 'cancelled', 'unavailable'] as const)('is not the answer %s, which is not remembered', async (kind) => {
    await using host = aRulesHost();
    answering(host.ctx, () => ({ kind, why: '', rule: { ...allow('bash'), remember: 'session' } }) as never);
    await host.run('bash');
    expect(host.ctx.rules.list()).toEqual([]);
  });
});

describe('together with the package that asks', () => {
  it('asks once for what one rule answers, and cancels the question when that package goes', async () => {
    await using host = aRulesHost();
    const approvals = host.ctx.plugin(approval);
    const gate = aGate();
    const asked: unknown[] = [];
    host.ctx.on('approval/request', async (request) => {
      asked.push(request.arguments);
      await gate.opened;
      return { kind: 'allowed-always', rule: { ...allow('bash', { command: { startsWithWord: 'git log' } }), remember: 'session' } };
    });
    const calls = ['git log', 'git log -1', 'git log -2', 'git log; rm x'].map((command) => host.run('bash', { command }));
    gate.open();
    expect((await Promise.all(calls)).map(codeOf)).toEqual(['ran', 'ran', 'ran', 'ran']);
    // The last one is not what the rule says, so it has been asked about; its answer does not cover it and is not remembered.
    expect(asked).toEqual([{ command: 'git log' }, { command: 'git log; rm x' }]);
    expect(host.ctx.rules.list()).toHaveLength(1);

    host.ctx.on('approval/request', () => new Promise(() => {}), { prepend: true });
    const open = host.run('bash', { command: 'ls' });
    for (let turns = 0; turns < 20 && host.ctx.get('approval') !== undefined && (host.ctx.approval as unknown as { pending(): unknown[] }).pending().length === 0; turns += 1) await Promise.resolve();
    await Promise.all([host.rules.dispose(), approvals.dispose()]);
    expect(codeOf(await open)).toBe('APPROVAL_CANCELLED');
  });
});

describe('unmounting while a question is open', () => {
  it('leaves nothing behind, and the question goes on to its answer', async () => {
    await using host = aRulesHost();
    const gate = aGate();
    answering(host.ctx, async () => {
      await gate.opened;
      return { kind: 'allowed-always', rule: { ...allow('bash'), remember: 'session' } };
    });
    const call = host.run('bash');
    await Promise.resolve();
    await host.rules.dispose();
    expect(host.ctx.get('rules')).toBeUndefined();
    const { plugins, services, listeners, contributions } = host.ctx.inspect().counts;
    gate.open();
    expect(codeOf(await call)).toBe('ran');
    expect(codeOf(await host.run('bash'))).toBe('ran');
    const bare = aRulesHost();
    answering(bare.ctx, () => ({ kind: 'rejected' }));
    await bare.rules.dispose();
    const { counts } = bare.ctx.inspect();
    expect({ plugins, services, listeners, contributions }).toEqual({ plugins: counts.plugins, services: counts.services, listeners: counts.listeners, contributions: counts.contributions });
    await bare.dispose();
  });

  it('with the whole context settles the call and ends in nothing', async () => {
    const host = aRulesHost();
    void host.ctx.provide('approval', {
      request: () => new Promise((resolve) => { host.ctx.signal.addEventListener('abort', () => { resolve({ kind: 'cancelled' }); }); }),
    });
    const call = host.run('bash');
    await Promise.resolve();
    await host.dispose();
    expect(codeOf(await call)).not.toBe('ran');
    expect(host.ran).toEqual([]);
  });

  it('does not wait for a person to give up: a caller who aborts is gone at once', async () => {
    await using host = aRulesHost();
    answering(host.ctx, () => new Promise(() => {}));
    const controller = new AbortController();
    const call = host.ctx.tools.execute({ name: 'bash', signal: controller.signal });
    await Promise.resolve();
    controller.abort();
    expect(codeOf(await call)).toBe('ABORTED_BEFORE_DISPATCH');
  });
});
