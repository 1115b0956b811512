import type { CodeRuntime, ToolSchema } from '@sluice/core-tools';
import { aHost, aTool, describePlugin, type Host } from '@sluice/testing';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { systemPrompt, UNLISTED, type SystemPromptConfig } from '../src/index.ts';

const opened: Host[] = [];
afterEach(async () => {
  for (const host of opened.splice(0)) await host.dispose();
});

function mounted(config: Partial<SystemPromptConfig> = {}, names: readonly string[] = []): Host['ctx'] {
  const host = aHost();
  opened.push(host);
  host.ctx.plugin(systemPrompt, config);
  for (const name of names) host.ctx.tools.register(aTool({ name }));
  return host.ctx;
}
const schema = (name: string): ToolSchema => ({ name, description: name, parameters: { type: 'object' } });
const toolNames = async (ctx: Host['ctx']): Promise<string[]> => (await ctx.systemPrompt.assemble()).tools.map(({ name }) => name);

describePlugin(() => systemPrompt, {
  proof: async (ctx) => {
    const off = ctx.systemPrompt.section({ name: 'a', text: 'Hello.' });
    expect((await ctx.systemPrompt.assemble()).system).toBe('Hello.');
    off();
  },
});

describe('sections', () => {
  it('come in order, equal ones by name, whatever the order of registration; empty ones are left out', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(['b0', 'a0', 'z-5', 'c7', 'e7'], { minLength: 5 }), async (names) => {
        const ctx = mounted();
        for (const name of names) ctx.systemPrompt.section({ name, order: Number(name.slice(1)), text: name });
        ctx.systemPrompt.section({ name: 'empty', text: '' });
        ctx.systemPrompt.section({ name: 'nothing', text: () => undefined });
        expect((await ctx.systemPrompt.assemble()).system).toBe('z-5\n\na0\n\nb0\n\nc7\n\ne7');
      }),
      { numRuns: 20 },
    );
  });

  it('are never interpolated, generated or not', async () => {
    const ctx = mounted();
    ctx.systemPrompt.section({ name: 'a', text: '{{name}} ${name} $& %s' });
    ctx.systemPrompt.section({ name: 'b', text: () => '{{tools}}' });
    expect((await ctx.systemPrompt.assemble()).system).toBe('{{name}} ${name} $& %s\n\n{{tools}}');
  });

  it('belong to their scope; one of the same name takes the place of the one above, until it goes', async () => {
    const ctx = mounted();
    const agent = ctx.scope('agent');
    ctx.systemPrompt.section({ name: 'who', text: (scope) => `for ${scope.scopePath.join('/') || 'all'}` });
    const off = agent.systemPrompt.section({ name: 'who', text: 'an agent' });
    agent.systemPrompt.section({ name: 'more', order: 1, text: 'more' });
    expect([(await ctx.systemPrompt.assemble()).system, (await agent.systemPrompt.assemble()).system]).toEqual(['for all', 'an agent\n\nmore']);
    off();
    off();
    expect((await agent.systemPrompt.assemble()).system).toBe('for agent\n\nmore');
    await agent.dispose();
    expect((await ctx.scope('agent').systemPrompt.assemble()).system).toBe('for agent');
  });

  it('of one name in one scope are refused, naming both owners', () => {
    const ctx = mounted();
    ctx.systemPrompt.section({ name: 'a', text: '1' });
    expect(() => ctx.systemPrompt.section({ name: 'a', text: '2' })).toThrow(/section "a" of "app" is already there, by "app"/);
  });

  it.each([
    ['no name', { name: '', text: 'x' }],
    ['an order that is no number', { name: 'a', order: Number.NaN, text: 'x' }],
    ['a text that is none', { name: 'a', text: 3 }],
  ])('are refused with %s', (_name, section) => {
    expect(() => mounted().systemPrompt.section(section as never)).toThrow(TypeError);
  });

  it.each([
    ['throws', () => { throw new Error('no file'); }, 'no file'],
    ['rejects', () => Promise.reject(new Error('no file')), 'no file'],
    ['gives no text', () => 7, 'got number'],
  ])('fail the assembly, by name, when one %s', async (_name, text, why) => {
    const ctx = mounted();
    ctx.systemPrompt.section({ name: 'broken', text: text as never });
    await expect(ctx.systemPrompt.assemble()).rejects.toMatchObject({ code: 'PROMPT_SECTION_FAILED', message: expect.stringMatching(new RegExp(`"broken" of "app".*${why}`)) as string });
  });

  it('survive a change of config', async () => {
    const host = aHost();
    opened.push(host);
    const handle = host.ctx.plugin(systemPrompt);
    host.ctx.systemPrompt.section({ name: 'a', text: 'stays' });
    host.ctx.tools.register(aTool({ name: 'a' }));
    host.ctx.tools.register(aTool({ name: 'b' }));
    await handle.update({ toolOrder: [UNLISTED, 'a'] });
    expect([(await host.ctx.systemPrompt.assemble()).system, await toolNames(host.ctx)]).toEqual(['stays', ['b', 'a']]);
  });
});

describe('tools', () => {
  it('are those that the scope sees, by name in code units, whatever the order of registration [D79, D86]', async () => {
    const ctx = mounted({}, ['b', 'a', 'B', '_a']);
    const agent = ctx.scope('agent');
    agent.tools.restrict({ deny: ['b'] });
    expect([await toolNames(ctx), await toolNames(agent)]).toEqual([['B', '_a', 'a', 'b'], ['B', '_a', 'a']]);
    expect(Object.keys((await ctx.systemPrompt.assemble()).tools[0] as object).sort()).toEqual(['description', 'name', 'parameters']);
  });

  it('can be put in an order, with the rest at the marker; a name that is hidden here, or no tool, is passed over [D87, D88]', async () => {
    const ctx = mounted({ toolOrder: ['c', UNLISTED, 'a', 'run_code', 'typo'] }, ['a', 'e', 'd', 'c']);
    const agent = ctx.scope('agent');
    agent.tools.restrict({ deny: ['c'] });
    expect([await toolNames(ctx), await toolNames(agent)]).toEqual([['c', 'd', 'e', 'a'], ['d', 'e', 'a']]);
  });

  it.each([
    ['without the marker', ['a']],
    ['with the marker twice', [UNLISTED, 'a', UNLISTED]],
    ['with a name twice', ['a', UNLISTED, 'a']],
  ])('refuse an order %s when the plugin is mounted [D87]', async (_name, toolOrder) => {
    const host = aHost();
    const mount = async (): Promise<void> => host.ctx.plugin(systemPrompt, { toolOrder }).ready;
    await expect(mount()).rejects.toThrow(/toolOrder/);
    await host.ctx.dispose();
  });

  it('come from providers too, of this scope and those above, detached from what they gave [D80, D85]', async () => {
    const ctx = mounted({}, ['own']);
    const given = schema('extra');
    const off = ctx.systemPrompt.tools(() => [given]);
    const agent = ctx.scope('agent');
    agent.systemPrompt.tools((scope) => Promise.resolve([schema(`of_${scope.scopePath.join('_')}`)]));
    expect([await toolNames(ctx), await toolNames(agent)]).toEqual([['extra', 'own'], ['extra', 'of_agent', 'own']]);
    const { tools } = await ctx.systemPrompt.assemble();
    expect([tools[0] === given, Object.isFrozen(tools[0]?.parameters)]).toEqual([false, true]);
    off();
    expect(await toolNames(agent)).toEqual(['of_agent', 'own']);
  });

  it.each([
    ['a name twice', () => [schema('own')], 'PROMPT_DUPLICATE_TOOL'],
    ['no JSON', () => [{ ...schema('x'), parameters: { f: () => 1 } }], 'PROMPT_INVALID'],
  ])('fail the assembly when a provider gives %s [D81]', async (_name, provider, code) => {
    const ctx = mounted({}, ['own']);
    ctx.systemPrompt.tools(provider as never);
    await expect(ctx.systemPrompt.assemble()).rejects.toMatchObject({ code });
  });

  it('may be as deep as schemas get [D82, D83]', async () => {
    const ctx = mounted();
    let parameters: object = {};
    for (let depth = 0; depth < 5_000; depth += 1) parameters = { not: parameters };
    ctx.systemPrompt.tools(() => [{ name: 'deep', description: '', parameters: parameters as never }]);
    expect(await toolNames(ctx)).toEqual(['deep']);
  });

  it('refuses a provider that is no function', () => {
    expect(() => mounted().systemPrompt.tools([] as never)).toThrow(TypeError);
  });
});

describe('programs', () => {
  const runtime: CodeRuntime = { language: 'typescript', isolation: 'none', run: () => Promise.resolve({ logs: [] }) };

  it('are described by themselves: the rule before the guidance of tools, the functions after [T248]', async () => {
    const ctx = mounted({}, ['read']);
    ctx.provide('codeRuntime', runtime);
    ctx.systemPrompt.section({ name: 'guidance', order: 120, text: 'GUIDANCE {{read}}' });
    const agent = ctx.scope('agent');
    agent.tools.presentAs('code');
    const { sections, tools } = await agent.systemPrompt.assemble();
    expect([sections.map(({ name }) => name), tools.map(({ name }) => name)]).toEqual([['tools:code-only', 'guidance', 'tools:sdk'], ['run_code']]);
    const both = ctx.scope('both');
    both.tools.presentAs('both');
    expect((await both.systemPrompt.assemble()).sections.map(({ name }) => name)).toEqual(['guidance', 'tools:sdk']);
    expect((await ctx.systemPrompt.assemble()).sections.map(({ name }) => name)).toEqual(['guidance']);
  });

  it('can be described by somebody else, in one scope [W23]', async () => {
    const ctx = mounted({}, ['read']);
    ctx.provide('codeRuntime', runtime);
    const agent = ctx.scope('agent');
    agent.tools.presentAs('both');
    agent.systemPrompt.section({ name: 'tools:sdk', order: 150, text: 'my own words' });
    expect((await agent.systemPrompt.assemble()).system).toBe('my own words');
  });

  it('without anybody who runs them fail the assembly of that scope [T249]', async () => {
    const ctx = mounted();
    const agent = ctx.scope('agent');
    agent.tools.presentAs('code');
    await expect(agent.systemPrompt.assemble()).rejects.toMatchObject({ code: 'CODE_RUNTIME_MISSING' });
    expect((await ctx.systemPrompt.assemble()).system).toBe('');
  });
});

describe('listeners on system-prompt/assemble', () => {
  it('have the last word: what they answer is not sorted again [D90]', async () => {
    const ctx = mounted({}, ['b']);
    ctx.systemPrompt.section({ name: 'a', text: 'a' });
    const agent = ctx.scope('agent');
    agent.on('system-prompt/assemble', async ({ scopePath }, next) => {
      const { sections, tools } = await next();
      return { sections: [{ name: 'z', order: 9, text: scopePath.join('/') }, ...sections], tools: [...tools, schema('a')] };
    });
    const { system, tools } = await agent.systemPrompt.assemble();
    expect([system, tools.map(({ name }) => name), Object.isFrozen(tools)]).toEqual(['agent\n\na', ['b', 'a'], true]);
    expect((await ctx.systemPrompt.assemble()).system).toBe('a');
  });

  it.each([
    ['nothing', () => undefined],
    ['sections without text', () => ({ sections: [{ name: 'x' }], tools: [] })],
    ['no tools', () => ({ sections: [] })],
    ['what is no JSON', () => ({ sections: [], tools: [], more: () => 1 })],
  ])('fail the assembly when they answer %s', async (_name, answer) => {
    const ctx = mounted();
    ctx.on('system-prompt/assemble', answer as never);
    await expect(ctx.systemPrompt.assemble()).rejects.toMatchObject({ code: 'PROMPT_INVALID' });
  });
});

it('works without core-tools', async () => {
  const { createContext } = await import('@sluice/core-context');
  const ctx = createContext();
  ctx.plugin(systemPrompt);
  ctx.systemPrompt.section({ name: 'a', text: 'alone' });
  expect(await ctx.systemPrompt.assemble()).toEqual({ system: 'alone', sections: [{ name: 'a', order: 0, text: 'alone' }], tools: [] });
  await ctx.dispose();
});
