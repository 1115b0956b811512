import { aTool } from '@sluice/testing';
import { describe, expect, it } from 'vitest';
import { definePlugin, isSluiceError, type ToolDefinition } from '../src/index.ts';
import { codeOf, setup } from './support.ts';

/** Whether everything that can be reached from a value is frozen. */
function isDeepFrozen(value: unknown): boolean {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const at = pending.pop();
    if (typeof at !== 'object' || at === null) continue;
    if (!Object.isFrozen(at)) return false;
    pending.push(...(Object.values(at) as unknown[]));
  }
  return true;
}

/** An object schema whose property `a` nests `depth` times. */
function nested(depth: number): object {
  let schema: object = { type: 'string' };
  for (let i = 0; i < depth; i += 1) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

const everything = {
  parameters: { type: 'object', properties: { path: { type: 'string', description: 'Where' } }, required: ['path'] },
  output: { schema: { type: 'object' }, render: () => [], presentationMeta: () => ({ secret: 'meta' }) },
  timeoutMs: 1_000,
  isConcurrencySafe: () => true,
  locks: () => ({ read: ['a'] }),
  annotations: { title: 'Secret title', readOnlyHint: true },
  repeatKey: () => 'key',
  finalizeContent: () => undefined,
  presentCall: () => ({ card: 'generic' as const, title: 'x' }),
  presentResult: () => ({ card: 'generic' as const }),
} satisfies Partial<ToolDefinition>;

describe('what a model is told about a tool', () => {
  it('is its name, description and parameters, and nothing else of all that a definition holds [F79]', () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ ...everything, name: 'read', description: 'Reads.' }));
    const raw = { ...aTool({ ...everything, name: 'raw', description: 'Raw.' }), version: 3, tags: ['x'], inputSchema: {} };
    ctx.tools.register({ ...raw });
    expect(ctx.tools.schemas()).toEqual([
      { name: 'read', description: 'Reads.', parameters: everything.parameters },
      { name: 'raw', description: 'Raw.', parameters: everything.parameters },
    ]);
    for (const schema of ctx.tools.schemas()) expect(Reflect.ownKeys(schema)).toEqual(['name', 'description', 'parameters']);
  });

  it('is plain JSON: a round trip through text changes nothing', () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ description: 'lone \ud800, {{braces}}, "quotes" and \u2028', parameters: nested(3) }));
    const schemas = ctx.tools.schemas();
    expect(JSON.parse(JSON.stringify(schemas))).toEqual(schemas);
  });

  it('cannot be changed by who reads it, nor by who registered it: it is detached and deep-frozen [F80]', () => {
    const { ctx } = setup();
    const parameters = { type: 'object', properties: { a: { enum: ['x'] } } };
    ctx.tools.register(aTool({ parameters }));
    const schemas = ctx.tools.schemas();
    expect(isDeepFrozen(schemas)).toBe(true);
    expect(Object.isFrozen(parameters)).toBe(false);
    parameters.properties.a.enum.push('y');
    expect(schemas[0]?.parameters).toEqual({ type: 'object', properties: { a: { enum: ['x'] } } });
    expect(() => (schemas as unknown[]).push({})).toThrow(TypeError);
  });

  it('is the same array until something changes in view, and another one after [F80]', async () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    const other = ctx.scope('other');
    ctx.tools.register(aTool({ name: 'x' }));
    const before = [ctx, agent, other].map((each) => each.tools.schemas());
    const same = (): boolean[] => [ctx, agent, other].map((each, i) => each.tools.schemas() === before[i]);
    await agent.tools.execute({ name: 'x' });
    expect(same()).toEqual([true, true, true]);
    const off = agent.tools.register(aTool({ name: 'own' }));
    expect(same()).toEqual([true, false, true]);
    off();
    expect(agent.tools.schemas()).toEqual(before[1]);
    const lift = agent.tools.restrict({ deny: ['x'] });
    expect(agent.tools.schemas()).toEqual([]);
    lift();
    ctx.tools.register(aTool({ name: 'y' }));
    expect(same()).toEqual([false, false, false]);
    // Two contexts of one scope see the same.
    let seen: unknown;
    agent.plugin(definePlugin({ name: 'p', apply: (own) => { seen = own.tools.schemas(); } }));
    expect(seen).toBe(agent.tools.schemas());
  });

  it('cannot fail later: parameters that are no JSON are refused when the tool is registered, by name [F81]', () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ name: 'good' }));
    for (const poison of [1n, Number.NaN, new Date(0), () => 1, new Map()]) {
      const parameters = { type: 'object', properties: { a: { default: poison } } };
      try {
        ctx.tools.register(aTool({ name: 'bad', parameters }));
        expect.unreachable();
      } catch (error) {
        expect(isSluiceError(error) && error.code).toBe('INVALID_SCHEMA');
        expect((error as Error).message).toMatch(/tool "bad" parameters.*default/);
      }
    }
    expect(ctx.tools.schemas().map((schema) => schema.name)).toEqual(['good']);
  });

  it('is refused with a reason, not a stack overflow, when parameters nest 5,000 and 100,000 deep; deep ones still work [F82 F83]', async () => {
    const { ctx } = setup();
    for (const depth of [5_000, 100_000]) {
      try {
        ctx.tools.register(aTool({ name: 'deep', parameters: nested(depth) }));
        expect.unreachable();
      } catch (error) {
        expect(isSluiceError(error) && error.code).toBe('INVALID_SCHEMA');
        expect((error as Error).message.length).toBeLessThan(1_000);
      }
    }
    ctx.tools.register(aTool({ name: 'deep', parameters: nested(100) }));
    expect(JSON.stringify(ctx.tools.schemas()[0]?.parameters).match(/properties/g)).toHaveLength(100);
    const wrong = await ctx.tools.execute({ name: 'deep', argumentsText: `${'{"a":'.repeat(100)}1${'}'.repeat(100)}` });
    expect(codeOf(wrong)).toBe('INVALID_ARGS');
    const right = await ctx.tools.execute({ name: 'deep', argumentsText: `${'{"a":'.repeat(100)}"x"${'}'.repeat(100)}` });
    expect(codeOf(right)).toBe('ok');
  });

  it('keeps the order of registration; sorting is for who assembles a prompt [F86]', () => {
    const { ctx } = setup();
    const offs = ['zeta', 'alpha', 'Mid'].map((name) => ctx.tools.register(aTool({ name })));
    expect(ctx.tools.schemas().map((schema) => schema.name)).toEqual(['zeta', 'alpha', 'Mid']);
    offs[0]?.();
    ctx.tools.register(aTool({ name: 'zeta' }));
    expect(ctx.tools.schemas().map((schema) => schema.name)).toEqual(['alpha', 'Mid', 'zeta']);
  });

  it('is the catalogue of capabilities: every visible tool, and all that a page about them needs [F84 F91]', async () => {
    const { ctx } = setup();
    const handle = ctx.plugin(
      definePlugin({
        name: 'tool-package',
        inject: ['tools'],
        apply(own) {
          own.tools.register(aTool({ name: 'one', description: 'The first.' }));
          own.tools.register(aTool({ name: 'two', description: 'The second.' }));
        },
      }),
    );
    await ctx.ready();
    const page = ctx.tools.schemas().map(({ name, description, parameters }) => `## ${name}\n${description}\n${JSON.stringify(parameters)}`);
    expect(page).toEqual(['## one\nThe first.\n{"type":"object"}', '## two\nThe second.\n{"type":"object"}']);
    await handle.dispose();
    expect(ctx.tools.schemas()).toEqual([]);
  });

  it('costs nothing to ask again, with 2,000 tools or with two', () => {
    const { ctx } = setup();
    for (let i = 0; i < 2_000; i += 1) ctx.tools.register(aTool({ name: `tool_${i}` }));
    const agent = ctx.scope('agent');
    const first = agent.tools.schemas();
    for (let i = 0; i < 10_000; i += 1) if (agent.tools.schemas() !== first) expect.unreachable();
    expect(first).toHaveLength(2_000);
  });
});
