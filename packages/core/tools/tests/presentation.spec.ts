import { describe, expect, it } from 'vitest';
import { aTool } from '@sluice/testing';
import type { Context, PresentationMode, SdkRenderer } from '../src/index.ts';
import { inProcessRuntime } from './in-process-runtime.ts';
import { codeOf, setup, textOf } from './support.ts';

const program = (code: string) => ({ name: 'run_code', arguments: { code, description: 'a test' } });

function withRuntime(mode: PresentationMode): Context {
  const { ctx } = setup({ config: { mode } });
  ctx.provide('codeRuntime', inProcessRuntime());
  ctx.tools.register(aTool({ parameters: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] } }));
  return ctx;
}

const names = (tools: readonly { name: string }[]): string[] => tools.map(({ name }) => name);
const sections = (ctx: Context): string[] => ctx.tools.presentation().sections.map(({ name }) => name);

describe('what a model is shown', () => {
  it('is every tool by its name under native, and nothing else [F239]', () => {
    const ctx = withRuntime('native');
    expect(ctx.tools.presentation()).toMatchObject({ mode: 'native', sections: [] });
    expect(names(ctx.tools.presentation().tools)).toEqual(['echo']);
  });

  it('is run_code alone under code, with the rule before the guidance of tools and the declarations after [F239 F248]', () => {
    const ctx = withRuntime('code');
    const { tools, sections: parts } = ctx.tools.presentation();
    expect(names(tools)).toEqual(['run_code']);
    expect(parts.map(({ name, order }) => [name, order])).toEqual([['tools:code-only', 99], ['tools:sdk', 150]]);
    expect(parts[1]?.text).toContain('echo(args: ');
  });

  it('is every tool, run_code last, and the declarations without the rule under both [F239 F248]', () => {
    const ctx = withRuntime('both');
    expect(names(ctx.tools.presentation().tools)).toEqual(['echo', 'run_code']);
    expect(sections(ctx)).toEqual(['tools:sdk']);
  });

  it('is the same frozen object until something changes', () => {
    const ctx = withRuntime('code');
    const first = ctx.tools.presentation();
    expect(ctx.tools.presentation()).toBe(first);
    expect(Object.isFrozen(first) && Object.isFrozen(first.tools) && Object.isFrozen(first.sections[0])).toBe(true);
    ctx.tools.register(aTool({ name: 'other' }));
    expect(ctx.tools.presentation()).not.toBe(first);
    expect(ctx.tools.presentation().sections[1]?.text).toContain('other(args: ');
  });

  it('needs a code runtime for programs, and says so with the mode of the scope [F249 W23]', () => {
    const { ctx } = setup();
    const agent = ctx.scope('agent');
    agent.tools.presentAs('both');
    expect(() => agent.tools.presentation()).toThrow(/mode "both" in scope "agent" needs a code runtime.*mount @sluice\/code-runtime/);
    expect(ctx.tools.presentation().mode).toBe('native');
  });

  it('needs somebody who describes tools in the language of the runtime, and names the known ones [F249]', () => {
    const { ctx } = setup({ config: { mode: 'code' } });
    ctx.provide('codeRuntime', inProcessRuntime({ language: 'python' }));
    expect(() => ctx.tools.presentation()).toThrow(/"python".*known: typescript/);
    const renderer: SdkRenderer = { codeDescription: 'Python.', section: (tools) => `def ${tools.length}`, describe: () => '' };
    const remove = ctx.tools.sdk('python', renderer);
    expect(ctx.tools.presentation().sections[1]?.text).toBe('def 0');
    expect(ctx.tools.presentation().tools[0]?.parameters).toMatchObject({ properties: { code: { description: 'Python.' } } });
    remove();
    expect(() => ctx.tools.presentation()).toThrow(/"python"/);
  });

  it('follows the runtime that the scope has, not the one of the deployment [F251]', () => {
    const { ctx } = setup({ config: { mode: 'code' } });
    ctx.provide('codeRuntime', inProcessRuntime());
    const agent = ctx.scope('agent');
    agent.tools.sdk('lua', { codeDescription: 'Lua.', section: () => 'lua', describe: () => '' });
    agent.provide('codeRuntime', inProcessRuntime({ language: 'lua' }));
    expect(agent.tools.presentation().sections[1]?.text).toBe('lua');
    expect(ctx.tools.presentation().sections[1]?.text).toContain('declare const tools');
  });

  it('keeps a double brace of a description as it is, and its doc comment closed [W20 F264 F270]', () => {
    const ctx = withRuntime('code');
    ctx.tools.register(aTool({ name: 'curly', description: 'Writes {{name}} */ declare const gone: 1; /*' }));
    const text = ctx.tools.presentation().sections[1]?.text ?? '';
    expect(text).toContain('Writes {{name}} *\\/ declare const gone: 1; /*');
  });
});

describe('run_code', () => {
  it('is in the catalogue wherever there are programs, last, and nowhere else [F84 F241]', () => {
    const ctx = withRuntime('both');
    expect(names(ctx.tools.schemas())).toEqual(['echo', 'run_code']);
    expect(ctx.tools.schemas()).toBe(ctx.tools.schemas());
    const plain = ctx.scope('plain');
    plain.tools.presentAs('native');
    expect(names(plain.tools.schemas())).toEqual(['echo']);
    expect(plain.tools.get('run_code')).toBeUndefined();
  });

  it('cannot be registered, shadowed or restricted [F241]', () => {
    const ctx = withRuntime('code');
    expect(() => ctx.tools.register(aTool({ name: 'run_code' }))).toThrow(/reserved for code mode/);
    const agent = ctx.scope('agent');
    expect(() => agent.tools.restrict({ deny: ['run_code'] })).toThrow(/transport of code mode/);
    agent.tools.restrict({ allow: [] });
    expect(names(agent.tools.schemas())).toEqual(['run_code']);
  });

  it('does not exist for a native scope, by whatever way [F241]', async () => {
    const ctx = withRuntime('native');
    expect(codeOf(await ctx.tools.execute(program('return 1')))).toBe('UNKNOWN_TOOL');
  });

  it('does not exist for bodies and programs: no program starts programs', async () => {
    const ctx = withRuntime('both');
    ctx.tools.register(aTool({ name: 'nest', execute: async (_args, exec) => (await exec.execute(program('return 1'))).isError }));
    const result = await ctx.tools.execute({ name: 'nest', arguments: { message: '' } });
    expect(result).toMatchObject({ isError: false, value: true });
    const direct = await ctx.tools.execute(program('return Object.keys(tools)'));
    expect(direct).toMatchObject({ value: { result: expect.not.arrayContaining(['run_code']) as unknown } });
  });

  it('wants a description with a word in it before anything runs [F253]', async () => {
    const ctx = withRuntime('code');
    const result = await ctx.tools.execute({ name: 'run_code', arguments: { code: 'return 1', description: ' ' } });
    expect(codeOf(result)).toBe('INVALID_ARGS');
    expect(textOf(result)).toContain('description');
  });

  it('fails without a runtime, and says what to mount [F250 W23]', async () => {
    const { ctx } = setup({ config: { mode: 'native' } });
    const agent = ctx.scope('agent');
    agent.tools.presentAs('code');
    const result = await agent.tools.execute(program('return 1'));
    expect(codeOf(result)).toBe('CODE_RUN_FAILED');
    expect(textOf(result)).toMatch(/mode "code" in scope "agent" needs a code runtime/);
  });

  it('is drawn as a card that is titled with its description [F255]', () => {
    const ctx = withRuntime('code');
    expect(ctx.tools.present(program('return 1'))).toEqual({ card: 'generic', kind: 'execute', title: 'a test', rawInput: 'return 1' });
    expect(ctx.tools.executionMode(program('return 1'))).toBe('exclusive');
  });
});

describe('a direct call under code', () => {
  it('is unknown before any policy, with the way back, and only tells that it was [F242]', async () => {
    const ctx = withRuntime('code');
    const seen: string[] = [];
    ctx.on('tools/pre-execute', (_exec, next) => { seen.push('pre'); return next(); });
    ctx.on('tools/execute', (_exec, next) => { seen.push('execute'); return next(); });
    ctx.on('tools/post-execute', (_exec, _result, next) => { seen.push('post'); return next(); });
    ctx.on('tools/result', () => { seen.push('result'); });
    ctx.tools.guard(() => { seen.push('guard'); return undefined; });
    const result = await ctx.tools.execute({ name: 'echo', arguments: { message: 'hi' } });
    expect(codeOf(result)).toBe('UNKNOWN_TOOL');
    expect(textOf(result)).toMatch(/Call "run_code" with a program that awaits tools\["echo"\]/);
    expect(seen).toEqual(['result']);
  });

  it('reports bad arguments first, and an abort before all [F243]', async () => {
    const ctx = withRuntime('code');
    expect(codeOf(await ctx.tools.execute({ name: 'echo', arguments: { message: 1 } }))).toBe('INVALID_ARGS');
    const given = await ctx.tools.execute({ name: 'echo', arguments: { message: 'hi' }, signal: AbortSignal.abort() });
    expect(codeOf(given)).toBe('ABORTED_BEFORE_DISPATCH');
  });

  it('is exclusive in a batch, as unknown tools are [F245]', () => {
    const ctx = withRuntime('code');
    ctx.scope('free').tools.presentAs('both');
    ctx.tools.register(aTool({ name: 'safe', isConcurrencySafe: () => true }));
    expect(ctx.tools.executionMode({ name: 'safe', arguments: { message: 'hi' } })).toBe('exclusive');
  });

  it('is fine under both, and for the calls that a body makes [F242 F244]', async () => {
    const ctx = withRuntime('both');
    expect(codeOf(await ctx.tools.execute({ name: 'echo', arguments: { message: 'hi' } }))).toBe('ok');
    const agent = ctx.scope('agent');
    agent.tools.presentAs('code');
    expect(await agent.tools.execute(program("return await tools.echo({ message: 'hi' })"))).toMatchObject({ isError: false, value: { result: { message: 'hi' } } });
  });
});

describe('presentAs', () => {
  it('holds for its scope and the ones below, the nearest wins, and disposing it restores what was [F246 F247]', () => {
    const ctx = withRuntime('native');
    const agent = ctx.scope('agent');
    const child = agent.scope('child');
    const undo = agent.tools.presentAs('code');
    const undoChild = child.tools.presentAs('both');
    expect([ctx, agent, child].map((each) => each.tools.presentation().mode)).toEqual(['native', 'code', 'both']);
    undoChild();
    expect(child.tools.presentation().mode).toBe('code');
    undo();
    expect(child.tools.presentation().mode).toBe('native');
  });

  it('is for scopes, once in each, and takes a mode [F246 W23]', () => {
    const { ctx } = setup();
    expect(() => ctx.tools.presentAs('code')).toThrow(/for a scope/);
    const agent = ctx.scope('agent');
    agent.tools.presentAs('code');
    expect(() => agent.tools.presentAs('both')).toThrow(/"agent" presents its tools as "code" already.*presentAs\("both"\)/);
    expect(() => ctx.scope('other').tools.presentAs('wild' as never)).toThrow(/'native', 'code' or 'both'; got "wild"/);
  });

  it('tells tools/change, and goes with its scope', async () => {
    const { ctx } = setup();
    const told: unknown[] = [];
    ctx.on('tools/change', ({ kind, scopePath }) => { told.push([kind, scopePath.join()]); });
    const agent = ctx.scope('agent');
    agent.tools.presentAs('code')();
    await agent.dispose();
    expect(told).toEqual([['present', 'agent'], ['present', 'agent']]);
    expect(ctx.scope('agent').tools.presentAs('both')).toBeTypeOf('function');
  });
});

describe('sdk', () => {
  it('refuses a second renderer of a language in a scope, and what is none', () => {
    const { ctx } = setup();
    const renderer: SdkRenderer = { codeDescription: '', section: () => '', describe: () => '' };
    ctx.tools.sdk('lua', renderer);
    expect(() => ctx.tools.sdk('lua', renderer)).toThrow(/"lua" already/);
    expect(() => ctx.tools.sdk('', renderer)).toThrow(/takes a language/);
    expect(() => ctx.tools.sdk('go', {} as never)).toThrow(/takes a renderer/);
  });
});
