import { aGate, aTool } from '@sluice/testing';
import { describe, expect, it } from 'vitest';
import type { AdditionalContext, Context, ContentBlock, PostToolDecision, ToolExecutionResult } from '../src/index.ts';
import { hostileThrows, hostileValues } from './hostile.ts';
import { codeOf, linesOf, setup, textOf } from './support.ts';
import { flush } from './virtual-time.ts';

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const context = (source: string): AdditionalContext => ({ source, content: [text(`from ${source}`)] });

/** `ok` gives its arguments and defers a context; `fails` defers one and throws. */
function mountTools(ctx: Context): void {
  ctx.tools.register(
    aTool({
      name: 'ok',
      output: { schema: { type: 'json' }, render: (_args, value) => [text(JSON.stringify(value))], presentationMeta: (_args, value) => ({ drawn: value as never }) },
      execute: (args, exec) => {
        exec.deferContext(context('body'));
        exec.concludeTurn();
        return args;
      },
    }),
  );
  ctx.tools.register(
    aTool({
      name: 'fails',
      execute: (_args, exec) => {
        exec.deferContext(context('body'));
        throw Object.assign(new Error('as told'), { code: 'E_TOLD' });
      },
    }),
  );
}

/** Every call is decided like this, whatever it was. */
function decide(ctx: Context, decision: unknown): void {
  ctx.on('tools/post-execute', () => decision as PostToolDecision);
}

describe('tools/post-execute', () => {
  it('sees the frozen call and the frozen outcome, and accepts by default [F175] [W9]', async () => {
    const { ctx } = setup();
    mountTools(ctx);
    const plain = await ctx.tools.execute({ name: 'ok', callId: 'c', arguments: { n: 1 } });
    let seen!: [{ callId: string }, ToolExecutionResult];
    ctx.on('tools/post-execute', async (exec, result, next) => {
      seen = [exec, result];
      const decision = await next();
      expect(decision).toEqual({ kind: 'accept' });
      return decision;
    });
    const result = await ctx.tools.execute({ name: 'ok', callId: 'c', arguments: { n: 1 } });
    expect(result).toEqual(plain);
    expect(seen[1]).toBe(result);
    expect(seen[0].callId).toBe('c');
    for (const part of [seen[0], result, result.content, result.content[0], result.additionalContexts, result.additionalContexts![0]!.content]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    expect(() => { (result as { value: unknown }).value = 2; }).toThrow(TypeError);
    expect(() => { (result.content as ContentBlock[]).push(text('more')); }).toThrow(TypeError);
    const failure = await ctx.tools.execute({ name: 'fails' });
    for (const part of [failure, failure.isError && failure.error, failure.isError && failure.error.info, failure.content]) expect(Object.isFrozen(part)).toBe(true);
  });

  describe('runs', () => {
    const cases: [what: string, code: string, runs: boolean, mount: (ctx: Context) => { name: string; arguments?: unknown; signal?: AbortSignal }][] = [
      ['a success', 'ok', true, () => ({ name: 'ok' })],
      ['a body that threw', 'TOOL_FAILED', true, () => ({ name: 'fails' })],
      ['an invalid value', 'INVALID_TOOL_OUTPUT', true, (ctx) => {
        ctx.tools.register(aTool({ name: 'bad', execute: () => undefined }));
        return { name: 'bad' };
      }],
      ['an unknown tool', 'UNKNOWN_TOOL', true, () => ({ name: 'nosuch' })],
      ['arguments that are wrong', 'INVALID_ARGS', true, () => ({ name: 'ok', arguments: 5 })],
      ['a denial', 'DENIED', true, (ctx) => {
        ctx.on('tools/pre-execute', () => ({ kind: 'deny', reason: 'no' }));
        return { name: 'ok' };
      }],
      ['a guard’s denial', 'DENIED', true, (ctx) => {
        ctx.tools.guard(() => 'no');
        return { name: 'ok' };
      }],
      ['a question that nobody can answer', 'APPROVAL_UNAVAILABLE', true, (ctx) => {
        ctx.on('tools/pre-execute', () => ({ kind: 'ask' }));
        return { name: 'ok' };
      }],
      ['a cancellation after entry', 'ABORTED_BEFORE_DISPATCH', true, (ctx) => {
        const controller = new AbortController();
        ctx.on('tools/pre-execute', (_exec, next) => {
          controller.abort();
          return next();
        });
        return { name: 'ok', signal: controller.signal };
      }],
      ['a failure that a wrapper made', 'MINE', true, (ctx) => {
        ctx.on('tools/execute', () => ({ isError: true, error: { message: 'm', info: { name: 'N', code: 'MINE' } } }) as never);
        return { name: 'ok' };
      }],
      ['a call that was aborted before entry', 'ABORTED_BEFORE_DISPATCH', false, () => ({ name: 'ok', signal: AbortSignal.abort() })],
      ['wrong arguments of a call that was aborted before entry', 'INVALID_ARGS', false, () => ({ name: 'ok', arguments: 5, signal: AbortSignal.abort() })],
      ['a pre-execute listener that threw', 'PIPELINE_FAILED', false, (ctx) => {
        ctx.on('tools/pre-execute', () => { throw new Error('x'); });
        return { name: 'ok' };
      }],
      ['a guard that threw', 'PIPELINE_FAILED', false, (ctx) => {
        ctx.tools.guard(() => { throw new Error('x'); });
        return { name: 'ok' };
      }],
      ['an approval service that threw', 'PIPELINE_FAILED', false, (ctx) => {
        ctx.on('tools/pre-execute', () => ({ kind: 'ask' }));
        ctx.provide('approval', { request: () => Promise.reject(new Error('x')) });
        return { name: 'ok' };
      }],
      ['a wrapper that threw', 'PIPELINE_FAILED', false, (ctx) => {
        ctx.on('tools/execute', () => { throw new Error('x'); });
        return { name: 'ok' };
      }],
    ];

    it.each(cases.filter(([, , runs]) => runs))('after %s [F175]', async (_what, code, _runs, mount) => {
      const { ctx } = setup();
      mountTools(ctx);
      const call = mount(ctx);
      const seen: string[] = [];
      ctx.on('tools/post-execute', (_exec, result, next) => {
        seen.push(codeOf(result));
        return next();
      });
      expect(codeOf(await ctx.tools.execute(call))).toBe(code);
      expect(seen).toEqual([code]);
    });

    it.each(cases.filter(([, , runs]) => !runs))('not after %s, while finalizer and tools/result do [F175]', async (_what, code, _runs, mount) => {
      const { ctx } = setup();
      mountTools(ctx);
      const call = mount(ctx);
      const seen: string[] = [];
      decide(ctx, { kind: 'block', feedback: [text('never')] });
      ctx.on('tools/result', (_exec, result) => { seen.push(codeOf(result)); });
      expect(codeOf(await ctx.tools.execute(call))).toBe(code);
      expect(seen).toEqual([code]);
    });
  });

  it('may be left without next(): what lies further in then has no say', async () => {
    const { ctx } = setup();
    mountTools(ctx);
    decide(ctx, { kind: 'accept', content: [text('outer')] });
    let ran = false;
    ctx.on('tools/post-execute', (_exec, _result, next) => {
      ran = true;
      return next();
    });
    expect(textOf(await ctx.tools.execute({ name: 'ok' }))).toBe('outer');
    expect(ran).toBe(false);
  });

  it('hands the inner decision to the outer listener, checked and frozen, to keep or replace', async () => {
    const { ctx } = setup();
    mountTools(ctx);
    let inner!: PostToolDecision;
    ctx.on('tools/post-execute', async (_exec, _result, next) => {
      inner = await next();
      return { kind: 'block', feedback: [text('outer')] };
    });
    decide(ctx, { kind: 'accept', content: [text('inner')], additionalContexts: [context('inner')], extra: 1 });
    expect(textOf(await ctx.tools.execute({ name: 'ok' }))).toBe('outer');
    expect(inner).toEqual({ kind: 'accept', content: [text('inner')], additionalContexts: [context('inner')] });
    expect(Object.isFrozen(inner)).toBe(true);
  });
});

describe('accept', () => {
  it('with content replaces what the model reads, and only that: value, meta, contexts and conclusion stay [F176] [F187] [F219]', async () => {
    const { ctx } = setup();
    mountTools(ctx);
    const plain = await ctx.tools.execute({ name: 'ok', callId: 'c', arguments: { n: 1 } });
    const mine = [text('shorter')];
    decide(ctx, { kind: 'accept', content: mine });
    const result = await ctx.tools.execute({ name: 'ok', callId: 'c', arguments: { n: 1 } });
    expect(result).toEqual({ ...plain, content: [text('shorter')] });
    expect(result).toMatchObject({ value: { n: 1 }, meta: { drawn: { n: 1 } }, concludesTurn: true });
    mine[0] = text('changed later');
    expect(textOf(result)).toBe('shorter');
  });

  it('with a value runs the whole value pipeline again: checked, frozen, rendered and drawn anew [F177] [F219]', async () => {
    const { ctx } = setup();
    mountTools(ctx);
    decide(ctx, { kind: 'accept', value: { n: 2 } });
    const result = await ctx.tools.execute({ name: 'ok', callId: 'c', arguments: { n: 1 } });
    expect(result).toEqual({
      isError: false, callId: 'c', name: 'ok', value: { n: 2 }, content: [text('{"n":2}')], meta: { drawn: { n: 2 } },
      additionalContexts: [context('body')], concludesTurn: true,
    });
    expect(Object.isFrozen(result.isError ? undefined : result.value)).toBe(true);
  });

  it('with a value renders it, even if the body had supplied content of its own', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ name: 'tool', execute: (_args, exec) => { exec.content([text('supplied')]); return 1; } }));
    decide(ctx, { kind: 'accept', value: 2 });
    expect(textOf(await ctx.tools.execute({ name: 'tool' }))).toBe('2');
  });

  it.each<[string, unknown]>([['undefined', undefined], ['no JSON', new Date()], ['of the wrong type', 'text']])(
    'with a value that is %s is INVALID_TOOL_OUTPUT, and says that the tool ran [F179]',
    async (_what, value) => {
      const { ctx } = setup();
      ctx.tools.register(aTool({ name: 'tool', output: { schema: { type: 'number' }, render: () => [] }, execute: (_args, exec) => { exec.deferContext(context('body')); return 1; } }));
      decide(ctx, { kind: 'accept', value });
      expect(await ctx.tools.execute({ name: 'tool' })).toMatchObject({
        isError: true, error: { hint: expect.stringContaining('ran'), info: { code: 'INVALID_TOOL_OUTPUT', started: true } }, additionalContexts: [context('body')],
      });
    },
  );

  it('with a value is UNKNOWN_TOOL when the tool has gone meanwhile or was replaced [F181]', async () => {
    for (const isReplaced of [false, true]) {
      const { ctx } = setup();
      const off = ctx.tools.register(aTool({ name: 'tool', execute: (_args, exec) => { exec.deferContext(context('body')); return 1; } }));
      ctx.on('tools/post-execute', () => {
        off();
        if (isReplaced) ctx.tools.register(aTool({ name: 'tool' }));
        return { kind: 'accept', value: 2 };
      });
      const result = await ctx.tools.execute({ name: 'tool' });
      expect(result).toMatchObject({ error: { hint: expect.stringContaining('ran'), info: { code: 'UNKNOWN_TOOL', started: true } }, additionalContexts: [context('body')] });
    }
  });

  it('with content on a failure changes what is read, never that it failed [F180]', async () => {
    const { ctx } = setup();
    mountTools(ctx);
    const plain = await ctx.tools.execute({ name: 'fails', callId: 'c' });
    decide(ctx, { kind: 'accept', content: [text('try the other tool')] });
    expect(await ctx.tools.execute({ name: 'fails', callId: 'c' })).toEqual({ ...plain, content: [text('try the other tool')] });
  });

  it.each<[string, string, object]>([
    ['content and a value together', 'ok', { kind: 'accept', content: [], value: 1 }],
    ['both keys, though one is undefined', 'ok', { kind: 'accept', content: undefined, value: 1 }],
    ['both keys, though the other is undefined', 'ok', { kind: 'accept', content: [], value: undefined }],
    ['a value on a failure', 'fails', { kind: 'accept', value: 1 }],
    ['content that is a string', 'ok', { kind: 'accept', content: 'text' }],
    ['content that is null', 'ok', { kind: 'accept', content: null }],
    ['content with an unknown block', 'ok', { kind: 'accept', content: [{ type: 'video' }] }],
    ['contexts that are a string', 'ok', { kind: 'accept', additionalContexts: 'abc' }],
    ['a context without a source', 'ok', { kind: 'accept', additionalContexts: [{ content: [] }] }],
    ['a context with content that is no blocks', 'ok', { kind: 'accept', additionalContexts: [{ source: 's', content: 'text' }] }],
    ['no kind', 'ok', { content: [] }],
    ['an unknown kind', 'ok', { kind: 'approve' }],
    ['pre-execute’s word', 'ok', { kind: 'allow' }],
    ['feedback that is a string', 'ok', { kind: 'block', feedback: 'no' }],
    ['a block without feedback', 'ok', { kind: 'block' }],
  ])('and every other answer fail closed: %s is PIPELINE_FAILED, naming the plugin [F178] [F180] [F188] [W1] [W8]', async (_what, name, decision) => {
    const { ctx, log } = setup();
    mountTools(ctx);
    ctx.plugin({ name: 'careless', inject: ['tools'], apply: (own) => { decide(own, decision); } });
    const result = await ctx.tools.execute({ name });
    expect(result).toMatchObject({ isError: true, error: { info: { name: 'PipelineError', code: 'PIPELINE_FAILED', listener: 'careless', started: true } } });
    expect(textOf(result)).toMatch(/^Error: tools\/post-execute of plugin "careless" failed: /);
    expect(linesOf(log, 'error')).toHaveLength(1);
  });

  it.each(hostileValues())('is not %s: that is PIPELINE_FAILED [W1]', async (_what, answer) => {
    const { ctx } = setup();
    mountTools(ctx);
    decide(ctx, answer);
    expect(codeOf(await ctx.tools.execute({ name: 'ok' }))).toBe('PIPELINE_FAILED');
  });
});

describe('block', () => {
  const blocked = async (feedback: ContentBlock[], name = 'ok', more: object = {}): Promise<ToolExecutionResult> => {
    const { ctx } = setup();
    mountTools(ctx);
    decide(ctx, { kind: 'block', feedback, ...more });
    return ctx.tools.execute({ name, callId: 'c' });
  };

  it('makes a failure whose content is the feedback, word for word: no value, no meta, no conclusion [F182] [F219]', async () => {
    expect(await blocked([text('Not this one.'), text('Ask first.')])).toEqual({
      isError: true,
      callId: 'c',
      name: 'ok',
      error: { message: 'Not this one.\nAsk first.', hint: expect.stringContaining('ran') as string, info: { name: 'ToolBlockedError', code: 'BLOCKED', started: true, listener: 'app' } },
      content: [text('Not this one.'), text('Ask first.')],
    });
  });

  it.each<[string, ContentBlock[], string]>([
    ['the texts of its blocks, one per line', [text('a'), text('b')], 'a\nb'],
    ['the type of blocks that are no text', [text('a'), { type: 'image', data: '', mimeType: 'image/png' }], 'a\n[image content]'],
    ['a fixed sentence when there are no words', [], 'the result was blocked by policy'],
    ['a fixed sentence when the words are empty', [text('')], 'the result was blocked by policy'],
  ])('says in its message %s [F182]', async (_what, feedback, message) => {
    expect(await blocked(feedback)).toMatchObject({ error: { message } });
  });

  it('keeps only its own contexts; what was collected before belongs to what is not to be seen [F183] [F215]', async () => {
    expect(await blocked([text('no')])).not.toHaveProperty('additionalContexts');
    expect((await blocked([text('no')], 'ok', { additionalContexts: [context('policy')] })).additionalContexts).toEqual([context('policy')]);
  });

  it('over a failure keeps the code of it as causeCode [F186]', async () => {
    const result = await blocked([text('no')], 'fails');
    expect(result).toMatchObject({ error: { message: 'no', info: { code: 'BLOCKED', causeCode: 'TOOL_FAILED', started: true } } });
    const { ctx } = setup();
    decide(ctx, { kind: 'block', feedback: [text('no')] });
    const unknown = await ctx.tools.execute({ name: 'nosuch' });
    expect(unknown).toMatchObject({ error: { info: { code: 'BLOCKED', causeCode: 'UNKNOWN_TOOL', started: false } } });
    // Nothing ran, so nothing is said to have.
    expect(unknown.isError && unknown.error).not.toHaveProperty('hint');
  });
});

describe('contexts', () => {
  const wrap = (ctx: Context): void => {
    ctx.on('tools/execute', async (_exec, next) => {
      const result = await next();
      return { ...result, additionalContexts: [...(result.additionalContexts ?? []), context('wrapper')] };
    });
  };

  it('come from the body first, then from wrappers, then from the decision [F183]', async () => {
    for (const name of ['ok', 'fails']) {
      const { ctx } = setup();
      mountTools(ctx);
      wrap(ctx);
      decide(ctx, { kind: 'accept', additionalContexts: [context('policy'), context('policy 2')] });
      const result = await ctx.tools.execute({ name });
      expect(result.additionalContexts?.map(({ source }) => source)).toEqual(['body', 'wrapper', 'policy', 'policy 2']);
    }
  });

  it('that are an empty list leave the key absent [F184]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    ctx.on('tools/execute', async (_exec, next) => ({ ...(await next()), additionalContexts: [] }));
    decide(ctx, { kind: 'accept', additionalContexts: [] });
    expect(await ctx.tools.execute({ name: 'echo' })).not.toHaveProperty('additionalContexts');
  });

  it('survive a listener that throws or answers nonsense; finalizer and tools/result still run [F185] [W24]', async () => {
    for (const answer of [() => { throw new Error('x'); }, () => 5 as never]) {
      const { ctx } = setup();
      mountTools(ctx);
      wrap(ctx);
      ctx.on('tools/post-execute', answer);
      const published: ToolExecutionResult[] = [];
      ctx.on('tools/result', (_exec, result) => { published.push(result); });
      const result = await ctx.tools.execute({ name: 'ok' });
      expect(result).toMatchObject({ isError: true, error: { hint: expect.stringContaining('ran'), info: { code: 'PIPELINE_FAILED', started: true } } });
      expect(result.additionalContexts?.map(({ source }) => source)).toEqual(['body', 'wrapper']);
      expect(published).toEqual([result]);
    }
  });

  it('survive a wrapper that throws after the body [W24]', async () => {
    const { ctx } = setup();
    mountTools(ctx);
    ctx.on('tools/execute', async (_exec, next) => {
      await next();
      throw new Error('wrapper');
    });
    const result = await ctx.tools.execute({ name: 'ok' });
    expect(codeOf(result)).toBe('PIPELINE_FAILED');
    expect(result.additionalContexts).toEqual([context('body')]);
  });
});

describe('a post-execute listener that throws', () => {
  it.each(hostileThrows())('%s makes the call PIPELINE_FAILED, naming the plugin, and is logged [F185]', async (_what, thrown) => {
    const { ctx, log } = setup();
    mountTools(ctx);
    ctx.plugin({ name: 'broken', inject: ['tools'], apply: (own) => { own.on('tools/post-execute', () => { throw thrown; }); } });
    expect(await ctx.tools.execute({ name: 'ok' })).toMatchObject({ error: { info: { code: 'PIPELINE_FAILED', listener: 'broken' } } });
    expect(linesOf(log, 'error')).toHaveLength(1);
  });

  it('cannot be hidden by an outer one: a policy that broke is no policy', async () => {
    const { ctx } = setup();
    mountTools(ctx);
    ctx.on('tools/post-execute', async (_exec, _result, next) => {
      try {
        return await next();
      } catch {
        return { kind: 'accept' };
      }
    });
    ctx.on('tools/post-execute', () => { throw new Error('redaction failed'); });
    expect(codeOf(await ctx.tools.execute({ name: 'ok' }))).toBe('PIPELINE_FAILED');
  });

  it('keeps the code of what it threw, and of the failure that it hit, to tell them apart', async () => {
    const { ctx } = setup();
    mountTools(ctx);
    ctx.on('tools/post-execute', () => { throw Object.assign(new Error('x'), { code: 'E_POLICY' }); });
    expect(await ctx.tools.execute({ name: 'fails' })).toMatchObject({ error: { info: { code: 'PIPELINE_FAILED', causeCode: 'E_POLICY' } } });
  });
});

describe('an abort during post-execute', () => {
  it.each<[string, (ctx: Context) => PostToolDecision, string, string]>([
    ['replaces a success', () => ({ kind: 'accept' }), 'ok', 'ABORTED'],
    ['leaves a block', () => ({ kind: 'block', feedback: [text('no')] }), 'ok', 'BLOCKED'],
    ['leaves a failure', () => ({ kind: 'accept' }), 'fails', 'TOOL_FAILED'],
  ])('%s', async (_what, decision, name, code) => {
    const { ctx } = setup();
    mountTools(ctx);
    const controller = new AbortController();
    ctx.on('tools/post-execute', () => {
      controller.abort();
      return { additionalContexts: [context('policy')], ...decision(ctx) };
    });
    const result = await ctx.tools.execute({ name, signal: controller.signal });
    expect(codeOf(result)).toBe(code);
    expect(result.additionalContexts?.at(-1)).toEqual(context('policy'));
    expect(result).not.toHaveProperty('value');
    expect(result).not.toHaveProperty('concludesTurn');
  });
});

describe('a listener that is unloaded while it is being waited for', () => {
  it('still has its say on the calls that it holds', async () => {
    const { ctx } = setup();
    mountTools(ctx);
    const gate = aGate();
    const handle = ctx.plugin({
      name: 'slow-policy',
      inject: ['tools'],
      apply: (own) => {
        own.on('tools/post-execute', async () => {
          await gate.opened;
          return { kind: 'block', feedback: [text('too late to get away')] };
        });
      },
    });
    const call = ctx.tools.execute({ name: 'ok' });
    await flush();
    const gone = handle.dispose();
    gate.open();
    expect(codeOf(await call)).toBe('BLOCKED');
    await gone;
    expect(codeOf(await ctx.tools.execute({ name: 'ok' }))).toBe('ok');
  });
});
