import { aTool } from '@sluice/testing';
import { describe, expect, it } from 'vitest';
import type { Context, ContentBlock, ToolDefinition, ToolExecution, ToolExecutionResult } from '../src/index.ts';
import { hostileThrows, hostileValues } from './hostile.ts';
import { codeOf, setup, textOf } from './support.ts';
import { flush } from './virtual-time.ts';

const text = (words: string): ContentBlock => ({ type: 'text', text: words });

/** `tool` ends every outcome with `finalize`, and tells what it saw. */
function mount(ctx: Context, finalize: (exec: ToolExecution, result: ToolExecutionResult) => unknown, overrides: Partial<ToolDefinition> = {}): [ToolExecution, ToolExecutionResult][] {
  const seen: [ToolExecution, ToolExecutionResult][] = [];
  ctx.tools.register({
    ...aTool({ name: 'tool', execute: (args) => args }),
    parameters: { type: 'object', properties: { n: { type: 'integer' } } },
    ...overrides,
    finalizeContent: (exec, result) => {
      seen.push([exec, result]);
      return finalize(exec, result) as ContentBlock[] | undefined;
    },
  });
  return seen;
}

describe('finalizeContent', () => {
  it('has the last word on content, after post-execute, and on nothing else [F189]', async () => {
    const { ctx } = setup();
    mount(ctx, (_exec, result) => [text(`final: ${textOf(result)}`)]);
    ctx.on('tools/post-execute', () => ({ kind: 'accept', content: [text('policy')], additionalContexts: [{ source: 's', content: [] }] }));
    expect(await ctx.tools.execute({ name: 'tool', callId: 'c', arguments: { n: 1 } })).toEqual({
      isError: false, callId: 'c', name: 'tool', value: { n: 1 }, content: [text('final: policy')], additionalContexts: [{ source: 's', content: [] }],
    });
  });

  it('keeps the content when it answers undefined: the very same result is published [F189]', async () => {
    const { ctx } = setup();
    const seen = mount(ctx, () => undefined);
    const result = await ctx.tools.execute({ name: 'tool' });
    expect(seen[0]![1]).toBe(result);
  });

  it('sees the frozen call and the complete, frozen outcome [F189] [F196]', async () => {
    const { ctx } = setup();
    const seen = mount(ctx, () => undefined);
    const agent = ctx.scope('agent');
    await agent.tools.execute({ name: 'tool', callId: 'c', arguments: { n: 1 } });
    const [exec, result] = seen[0]!;
    expect(exec).toMatchObject({ callId: 'c', name: 'tool', arguments: { n: 1 }, scopePath: ['agent'] });
    for (const part of [exec, exec.arguments, result, result.content, result.content[0]]) expect(Object.isFrozen(part)).toBe(true);
  });

  it('is captured on entry: unregistering the tool meanwhile does not disable it [F190]', async () => {
    const { ctx } = setup();
    ctx.on('tools/execute', (_exec, next) => {
      off();
      return next();
    });
    const off = ctx.tools.register({ ...aTool({ name: 'tool' }), finalizeContent: () => [text('redacted')] });
    const result = await ctx.tools.execute({ name: 'tool' });
    expect(codeOf(result)).toBe('UNKNOWN_TOOL');
    expect(textOf(result)).toBe('redacted');
  });

  const outcomes: [string, string, (ctx: Context) => { arguments?: unknown; signal?: AbortSignal }][] = [
    ['a success', 'ok', () => ({})],
    ['a denial', 'DENIED', (ctx) => { ctx.tools.guard(() => 'no'); return {}; }],
    ['a pre-execute listener that threw', 'PIPELINE_FAILED', (ctx) => { ctx.on('tools/pre-execute', () => { throw new Error('x'); }); return {}; }],
    ['a guard that threw', 'PIPELINE_FAILED', (ctx) => { ctx.tools.guard(() => { throw new Error('x'); }); return {}; }],
    ['a wrapper that threw', 'PIPELINE_FAILED', (ctx) => { ctx.on('tools/execute', () => { throw new Error('x'); }); return {}; }],
    ['a post-execute listener that threw', 'PIPELINE_FAILED', (ctx) => { ctx.on('tools/post-execute', () => { throw new Error('x'); }); return {}; }],
    ['a block', 'BLOCKED', (ctx) => { ctx.on('tools/post-execute', () => ({ kind: 'block', feedback: [] })); return {}; }],
    ['an invalid value put in by policy', 'INVALID_TOOL_OUTPUT', (ctx) => { ctx.on('tools/post-execute', () => ({ kind: 'accept', value: undefined })); return {}; }],
    ['wrong arguments', 'INVALID_ARGS', () => ({ arguments: { n: 'x' } })],
    ['arguments that are no JSON', 'INVALID_ARGS', () => ({ arguments: { n: 1n } })],
    ['a call aborted before entry', 'ABORTED_BEFORE_DISPATCH', () => ({ signal: AbortSignal.abort() })],
    ['a call aborted while policy looked', 'ABORTED_BEFORE_DISPATCH', (ctx) => {
      const controller = new AbortController();
      ctx.on('tools/pre-execute', (_exec, next) => { controller.abort(); return next(); });
      return { signal: controller.signal };
    }],
  ];

  it.each(outcomes)('runs exactly once for %s [F191]', async (_what, code, prepare) => {
    const { ctx } = setup();
    const seen = mount(ctx, (_exec, result) => [text(`final: ${codeOf(result)}`)]);
    const call = prepare(ctx);
    const published: ToolExecutionResult[] = [];
    ctx.on('tools/result', (_exec, result) => { published.push(result); });
    const result = await ctx.tools.execute({ name: 'tool', ...call });
    expect(codeOf(result)).toBe(code);
    expect(seen).toHaveLength(1);
    expect(textOf(result)).toBe(`final: ${code}`);
    expect(published).toEqual([result]);
  });

  it('runs exactly once for a body that threw, however often a wrapper tries again [F191]', async () => {
    const { ctx } = setup();
    let attempts = 0;
    const seen = mount(ctx, () => undefined, { execute: () => { attempts += 1; throw new Error('x'); } });
    ctx.on('tools/execute', async (_exec, next) => { await next(); await next(); return next(); });
    await ctx.tools.execute({ name: 'tool' });
    expect([attempts, seen.length]).toEqual([3, 1]);
  });

  it('does not run for a name that nobody registered, nor for calls that a batch never let in', async () => {
    const { ctx } = setup();
    const seen = mount(ctx, () => undefined);
    await ctx.tools.execute({ name: 'nosuch' });
    await ctx.tools.executeAll([{ name: 'tool' }], { signal: AbortSignal.abort() });
    expect(seen).toEqual([]);
  });

  it('sees the failure, not the candidate, when what came before was no proper outcome [F193]', async () => {
    const { ctx } = setup();
    const seen = mount(ctx, () => undefined);
    ctx.on('tools/execute', () => ({ isError: false, value: new Date() }) as never);
    await ctx.tools.execute({ name: 'tool' });
    expect(seen.map(([, result]) => codeOf(result))).toEqual(['INVALID_TOOL_OUTPUT']);
  });

  // An empty list is content.
  const noContent = hostileValues().filter(([what]) => what !== 'an array');
  it.each([...noContent, ['a string', 'text'], ['an unknown block', [{ type: 'video' }]], ['a promise', Promise.resolve([text('x')])], ['a promise that rejects', { make: () => Promise.reject(new Error('late')) }]] as [string, unknown][])(
    'that gives %s fails the call, and what it may have wanted to hide is not shown [F194] [W8]',
    async (_what, answer) => {
      const { ctx } = setup();
      const seen = mount(ctx, () => (typeof answer === 'object' && answer !== null && 'make' in answer ? (answer as { make(): unknown }).make() : answer));
      ctx.on('tools/post-execute', () => ({ kind: 'accept', content: [text('SECRET')], additionalContexts: [{ source: 's', content: [] }] }));
      const result = await ctx.tools.execute({ name: 'tool' });
      expect(result).toMatchObject({
        isError: true, additionalContexts: [{ source: 's', content: [] }],
        error: { hint: expect.stringContaining('ran'), info: { name: 'ToolOutputError', code: 'INVALID_TOOL_OUTPUT', started: true } },
      });
      expect(JSON.stringify(result)).not.toContain('SECRET');
      expect(seen).toHaveLength(1);
      await flush();
    },
  );

  it.each(hostileThrows())('that throws %s fails the call and is not asked again [F194]', async (_what, thrown) => {
    const { ctx } = setup();
    const seen = mount(ctx, () => { throw thrown; });
    const published: ToolExecutionResult[] = [];
    ctx.on('tools/result', (_exec, result) => { published.push(result); });
    const result = await ctx.tools.execute({ name: 'tool' });
    expect(codeOf(result)).toBe('INVALID_TOOL_OUTPUT');
    expect(textOf(result)).toMatch(/^Error: finalizeContent of tool "tool" failed: /);
    expect(seen).toHaveLength(1);
    expect(published).toEqual([result]);
  });

  it('that fails on a failure is INVALID_TOOL_OUTPUT with the code of that failure as causeCode', async () => {
    for (const [, code, prepare] of outcomes.filter(([, code]) => code !== 'ok')) {
      const { ctx } = setup();
      mount(ctx, () => 'nonsense');
      const result = await ctx.tools.execute({ name: 'tool', ...prepare(ctx) });
      expect(result).toMatchObject({ error: { info: { code: 'INVALID_TOOL_OUTPUT', causeCode: code } } });
      const { hint = '', info } = (result as Extract<ToolExecutionResult, { isError: true }>).error;
      if (!info.started) expect(hint).not.toContain('ran');
    }
  });

  it('cannot be undone by an abort: from the finalizer on, the outcome stays as it is [F195]', async () => {
    const { ctx } = setup();
    const controller = new AbortController();
    mount(ctx, () => { controller.abort(); return [text('kept')]; });
    const result = await ctx.tools.execute({ name: 'tool', signal: controller.signal });
    expect(result).toMatchObject({ isError: false, content: [text('kept')] });

    const other = new AbortController();
    ctx.on('tools/result', () => { other.abort(); });
    expect(codeOf(await ctx.tools.execute({ name: 'tool', signal: other.signal }))).toBe('ok');
  });

  it('keeps what it made apart from its own objects', async () => {
    const { ctx } = setup();
    const blocks = [text('mine')];
    mount(ctx, () => blocks);
    const result = await ctx.tools.execute({ name: 'tool' });
    blocks[0] = text('changed');
    expect(textOf(result)).toBe('mine');
    expect(Object.isFrozen(result) && Object.isFrozen(result.content) && Object.isFrozen(result.content[0])).toBe(true);
  });

  it('is the tool’s of each nested call, with the definition as receiver', async () => {
    const { ctx } = setup();
    ctx.tools.register({
      ...aTool({ name: 'inner' }),
      finalizeContent(this: { name: string }, exec) {
        return [text(`${this.name} for ${exec.parentCallId ?? 'nobody'}`)];
      },
    });
    ctx.tools.register(aTool({ name: 'outer', execute: async (_args, exec) => textOf(await exec.execute({ name: 'inner' })) }));
    expect(await ctx.tools.execute({ name: 'outer', callId: 'o' })).toMatchObject({ value: 'inner for o' });
  });
});
