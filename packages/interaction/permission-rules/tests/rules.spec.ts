import { aTool } from '@sluice/testing';
import { describe, expect, it } from 'vitest';
import { permissionRules, type Rule } from '../src/index.ts';
import { allow, answering, aRulesHost, ask, codeOf, deny } from './support.ts';

describe('behaviour', () => {
  it('runs what a rule allows, asks about what a rule asks about, and refuses what a rule denies', async () => {
    await using host = aRulesHost({ rules: [allow('read'), ask('write'), deny('bash')] });
    const asked = answering(host.ctx, () => ({ kind: 'allowed-once' }));
    expect([codeOf(await host.run('read')), codeOf(await host.run('write')), codeOf(await host.run('bash'))]).toEqual(['ran', 'ran', 'DENIED']);
    expect(asked.map(({ toolName }) => toolName)).toEqual(['write']);
    expect(host.ran).toHaveLength(2);
  });

  it('asks about a tool that no rule speaks of, and nobody to ask is a denial [P5.16]', async () => {
    await using host = aRulesHost({ rules: [allow('read')] });
    expect(codeOf(await host.run('write'))).toBe('APPROVAL_UNAVAILABLE');
    const asked = answering(host.ctx, () => ({ kind: 'rejected' }));
    expect(codeOf(await host.run('write'))).toBe('APPROVAL_REJECTED');
    expect(asked).toHaveLength(1);
    expect(host.ran).toEqual([]);
  });

  it('lets the strictest match win, whatever the order', async () => {
    const rules = [allow('*'), ask('b*'), deny('bash')];
    for (const order of [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]]) {
      await using host = aRulesHost({ rules: order.map((index) => rules[index] as Rule) });
      expect(host.ctx.rules.decide({ toolName: 'bash' })).toBe('deny');
      expect(host.ctx.rules.decide({ toolName: 'bash2' })).toBe('ask');
      expect(host.ctx.rules.decide({ toolName: 'read' })).toBe('allow');
    }
  });

  it('gives a rule\'s reason to the person and to the model', async () => {
    await using host = aRulesHost({ rules: [{ ...ask('write'), reason: 'it changes files' }, { ...deny('bash'), reason: 'use the build tool' }] });
    const asked = answering(host.ctx, () => ({ kind: 'allowed-once' }));
    await host.run('write');
    expect(asked[0]?.reason).toBe('it changes files');
    expect(await host.run('bash')).toMatchObject({ error: { message: 'use the build tool', info: { code: 'DENIED', listener: 'permission-rules' } } });
  });

  it('never lets a grant override a deny: rules are consulted once more after a person said yes [P5.18]', async () => {
    await using host = aRulesHost({ rules: [] });
    answering(host.ctx, async () => {
      await host.rules.update({ root: '/work', rules: [deny('bash')] });
      return { kind: 'allowed-once' };
    });
    expect(codeOf(await host.run('bash'))).toBe('DENIED');
    expect(host.ran).toEqual([]);
  });

  it('holds for nested calls as for any other', async () => {
    await using host = aRulesHost({ rules: [allow('outer'), deny('bash')] });
    host.ctx.tools.register(aTool({ name: 'outer', execute: async (_args, exec) => codeOf(await exec.execute({ name: 'bash' })) }));
    expect(await host.run('outer')).toMatchObject({ value: 'DENIED' });
    expect(host.ran).toEqual([]);
  });
});

describe('defaults', () => {
  const annotated = { read: { readOnlyHint: true }, bash: { destructiveHint: true }, odd: { readOnlyHint: true, destructiveHint: true }, plain: {} };
  const decisions = (config: object): Record<string, string> => {
    const host = aRulesHost(config, []);
    const seen: Record<string, string> = {};
    for (const [name, annotations] of Object.entries(annotated)) {
      host.ctx.tools.register(aTool({ name, annotations }));
      seen[name] = host.ctx.rules.decide({ toolName: name });
    }
    void host.dispose();
    return seen;
  };

  it.each([
    [{}, { read: 'ask', bash: 'ask', odd: 'ask', plain: 'ask' }],
    [{ readOnlyHint: 'allow' }, { read: 'allow', bash: 'ask', odd: 'ask', plain: 'ask' }],
    [{ unmatched: 'allow' }, { read: 'allow', bash: 'ask', odd: 'ask', plain: 'allow' }],
    [{ unmatched: 'deny', readOnlyHint: 'allow' }, { read: 'allow', bash: 'deny', odd: 'deny', plain: 'deny' }],
    [{ unmatched: 'allow', destructiveHint: 'deny' }, { read: 'allow', bash: 'deny', odd: 'deny', plain: 'allow' }],
    [{ unmatched: 'allow', destructiveHint: 'allow' }, { read: 'allow', bash: 'allow', odd: 'allow', plain: 'allow' }],
  ])('%j', (defaults, expected) => {
    expect(decisions({ defaults })).toEqual(expected);
  });

  it('takes a tool that cannot be seen from here for a destructive one', async () => {
    await using host = aRulesHost({ defaults: { unmatched: 'allow', destructiveHint: 'ask' } });
    expect(host.ctx.rules.decide({ toolName: 'read' })).toBe('allow');
    expect(host.ctx.rules.decide({ toolName: 'read', scopePath: ['planner'] })).toBe('ask');
    expect(host.ctx.rules.decide({ toolName: 'nowhere' })).toBe('ask');
  });

  it('means nothing by names of Object.prototype', async () => {
    await using host = aRulesHost({ rules: [allow('read', { constructor: { equals: {} } }), allow('read', { toString: { matches: '.*' } })] });
    expect(host.ctx.rules.decide({ toolName: 'read' })).toBe('ask');
  });
});

describe('explaining', () => {
  it('says which rule decided, what else matched, and whether remembering would help', async () => {
    await using host = aRulesHost({ rules: [allow('*'), { ...ask('bash'), reason: 'a shell' }] });
    expect(host.ctx.rules.explain({ toolName: 'bash', arguments: { command: 'ls' } })).toMatchObject({
      decision: 'ask',
      source: 'config',
      reason: 'a shell',
      rule: { id: 'config[1]', source: 'config', decision: 'ask' },
      matched: [{ id: 'config[1]' }, { id: 'config[0]' }],
      rememberable: false,
    });
    expect(host.ran).toEqual([]);
  });

  it('says so when no rule decided', async () => {
    await using host = aRulesHost();
    const explanation = host.ctx.rules.explain({ toolName: 'bash' });
    expect(explanation).toMatchObject({ decision: 'ask', source: 'default', matched: [], rememberable: true });
    expect(explanation.why).toContain('no rule matches');
  });

  it('refuses what is no call', async () => {
    await using host = aRulesHost();
    expect(() => host.ctx.rules.explain({ toolName: 'bash', arguments: { a: undefined } })).toThrow('arguments must be JSON');
    expect(() => host.ctx.rules.explain({ toolName: 5 as never })).toThrow(TypeError);
  });
});

describe('observing', () => {
  it('tells what would have happened and enforces nothing', async () => {
    await using host = aRulesHost({ mode: 'observe', rules: [deny('bash'), allow('read')] });
    const told: string[] = [];
    host.ctx.on('rules/observed', (exec, { decision }) => told.push(`${exec.name} ${decision}`));
    // Another policy asks, so the guards run twice.
    host.ctx.on('tools/pre-execute', () => ({ kind: 'ask' }));
    answering(host.ctx, () => ({ kind: 'allowed-once' }));
    for (const name of ['bash', 'read', 'write']) expect(codeOf(await host.run(name))).toBe('ran');
    expect(told).toEqual(['bash deny', 'read allow', 'write ask']);
    expect(host.log.messages('info')).toEqual([expect.stringContaining('would deny'), expect.stringContaining('would ask')]);
  });

  it('is not disturbed by an observer that throws', async () => {
    await using host = aRulesHost({ mode: 'observe' });
    host.ctx.on('rules/observed', () => { throw new Error('observer'); });
    expect(codeOf(await host.run('bash'))).toBe('ran');
    expect(host.log.messages('error')).toHaveLength(1);
  });
});

describe('options', () => {
  it.each<[string, unknown, RegExp]>([
    ['an unknown decision', { tool: 'a', decision: 'maybe' }, /decision/],
    ['no tool', { decision: 'deny' }, /tool/],
    ['an unknown member', { tool: 'a', decision: 'deny', pattern: 'x' }, /pattern/],
    ['no condition in when', { tool: 'a', decision: 'allow', when: {} }, /when/],
    ['a condition of two', { tool: 'a', decision: 'allow', when: { p: { path: 'a', matches: 'b' } } }, /when/],
    ['an unknown condition', { tool: 'a', decision: 'allow', when: { p: { startsWith: 'a' } } }, /startsWith/],
    ['no value to be one of', { tool: 'a', decision: 'allow', when: { p: { oneOf: [] } } }, /oneOf/],
  ])('refuses %s when mounted', async (_what, rule, message) => {
    await using host = aRulesHost();
    await host.rules.dispose();
    expect(() => host.ctx.plugin(permissionRules, { rules: [rule as Rule] })).toThrow(message);
  });

  it.each<[string, Rule, string]>([
    ['a tool that is no glob for names', deny('a b'), 'config[0].tool'],
    ['an argument path that makes no sense', deny('a', { 'a..b': { equals: 1 } }), 'config[0].when["a..b"]'],
    ['an absolute glob', allow('a', { p: { path: '/etc/*' } }), 'absolute'],
    ['a glob that leaves the root', allow('a', { p: { path: '../x' } }), '".."'],
    ['a glob with backslashes', allow('a', { p: { path: 'a\\b' } }), 'backslash'],
    ['words that a shell would read', allow('a', { c: { startsWithWord: 'git $X' } }), 'plain ones'],
    ['an assignment as first word', allow('a', { c: { startsWithWord: 'A=1 git' } }), 'plain ones'],
    ['what is no regular expression', allow('a', { c: { matches: '(' } }), 'cannot be used'],
    ['a regular expression that only looks like one when wrapped', allow('a', { c: { matches: 'a)|(?:b' } }), 'cannot be used'],
    ['a backreference, whose time cannot be bounded', allow('a', { c: { matches: '(a*)\\1b' } }), 'cannot be used'],
    ['a value that is no JSON', allow('a', { c: { equals: Number.NaN } }), 'config[0]'],
  ])('fails for %s, and lets nothing run meanwhile', async (_what, rule, message) => {
    await using host = aRulesHost();
    await host.rules.dispose();
    const handle = host.ctx.plugin(permissionRules, { rules: [allow('*'), rule].reverse() });
    await expect(handle.ready).rejects.toThrow(message);
    expect(await host.run('bash')).toMatchObject({ error: { info: { code: 'PIPELINE_FAILED', listener: 'permission-rules' } } });
    expect(host.ran).toEqual([]);
  });

  it('keeps the old rules when an update is wrong', async () => {
    await using host = aRulesHost({ rules: [deny('bash'), allow('read')] });
    await expect(host.rules.update({ rules: [allow('*'), allow('a b')] })).rejects.toThrow('config[1].tool');
    expect([codeOf(await host.run('bash')), codeOf(await host.run('read'))]).toEqual(['DENIED', 'ran']);
  });
});
