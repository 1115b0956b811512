import { aGate, aTool, recordHooks } from '@sluice/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codes, isCoreCode, type Context, type ContentBlock, type ToolCallInput, type ToolExecution, type ToolExecutionResult } from '../src/index.ts';
import { hostileThrows, hostileValues } from './hostile.ts';
import { codeOf, linesOf, setup, textOf, withBed } from './support.ts';
import { flush } from './virtual-time.ts';

const text = (words: string): ContentBlock => ({ type: 'text', text: words });

/** Every object in it is frozen, and JSON gives it back unchanged. */
function expectFrozenJson(result: unknown): void {
  expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  const pending: unknown[] = [result];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    expect(Object.isFrozen(value)).toBe(true);
    pending.push(...(Object.values(value) as unknown[]).filter((part) => part !== undefined));
  }
}

describe('tools/result', () => {
  it('is published once, synchronously, after all transforms and before the promise resolves, with the very objects [F197]', async () => {
    const { ctx } = setup();
    const trace: string[] = [];
    const execs = new Set<ToolExecution>();
    ctx.tools.register(aTool({ finalizeContent: () => { trace.push('finalize'); return [text('final')]; } }));
    ctx.on('tools/call', (exec) => { execs.add(exec); });
    ctx.on('tools/post-execute', (exec, _result, next) => { execs.add(exec); trace.push('post'); return next(); });
    let published!: ToolExecutionResult;
    ctx.on('tools/result', (exec, result) => {
      execs.add(exec);
      published = result;
      trace.push('result');
      void Promise.resolve().then(() => trace.push('a microtask later'));
    });
    const result = await ctx.tools.execute({ name: 'echo' });
    trace.push('resolved');
    expect(published).toBe(result);
    expect(textOf(published)).toBe('final');
    expect(execs.size).toBe(1);
    expect(trace.slice(0, 3)).toEqual(['post', 'finalize', 'result']);
    expect(trace).toContain('resolved');
  });

  it('comes for calls that were aborted before entry, too [F197]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    const recorder = recordHooks(ctx);
    const result = await ctx.tools.execute({ name: 'echo', signal: AbortSignal.abort() });
    expect(recorder.trace()).toEqual(['tools/call', 'tools/result']);
    expect(recorder.results()[0]).toBe(result);
  });

  it('carries a frozen call with deep-frozen arguments and a deep-frozen outcome [F198] [W2] [W9]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    let seen!: [ToolExecution, ToolExecutionResult];
    ctx.on('tools/result', (exec, result) => { seen = [exec, result]; });
    await ctx.tools.execute({ name: 'echo', arguments: { deep: [{ a: 1 }] } });
    const [exec, result] = seen;
    expect(Object.isFrozen(exec)).toBe(true);
    expectFrozenJson(exec.arguments);
    expectFrozenJson(result);
    for (const key of ['name', 'arguments', 'callId', 'id', 'scopePath', 'signal'] as const) {
      expect(() => { (exec as unknown as Record<string, unknown>)[key] = 'other'; }).toThrow(TypeError);
    }
  });

  it('reaches every observer, whatever the others throw or reject with; each is logged by its plugin, none changes the outcome [F199]', async () => {
    for (const [, thrown] of hostileThrows()) {
      await withBed(async ({ ctx, log }) => {
        ctx.tools.register(aTool());
        const plain = await ctx.tools.execute({ name: 'echo', callId: 'c' });
        let reached = 0;
        ctx.plugin({ name: 'thrower', apply: (own) => { own.on('tools/result', () => { throw thrown; }); } });
        ctx.on('tools/result', () => { reached += 1; });
        ctx.plugin({ name: 'rejecter', apply: (own) => { own.on('tools/result', (async () => { throw thrown; }) as () => void); } });
        ctx.on('tools/result', () => { reached += 1; });
        ctx.on('tools/result', () => ({ isError: true }));
        expect(await ctx.tools.execute({ name: 'echo', callId: 'c' })).toEqual(plain);
        await flush();
        expect(reached).toBe(2);
        const lines = linesOf(log, 'error');
        expect(lines).toHaveLength(2);
        expect(lines[0]).toContain('"thrower"');
        expect(lines[1]).toContain('"rejecter"');
        for (const line of lines) expect(line).toContain('"tools/result"');
      });
    }
  });

  it('is for synchronous observers: an async one is a type error [F200]', () => {
    const { ctx } = setup();
    // @ts-expect-error -- nobody would wait for it
    const off = ctx.on('tools/result', async () => {});
    off();
    ctx.on('tools/result', () => {});
  });

  it('is heard in the scope of the call and above it, never beside it, failures of arguments included [F201]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ parameters: { type: 'object', properties: { n: { type: 'integer' } } } }));
    const heard: string[] = [];
    const left = ctx.scope('left');
    const right = ctx.scope('right');
    const below = left.scope('below');
    for (const [name, scope] of Object.entries({ root: ctx, left, right, below })) scope.on('tools/result', (_exec, result) => { heard.push(`${name} ${codeOf(result)}`); });
    await left.tools.execute({ name: 'echo', arguments: { n: 'x' } });
    expect(heard).toEqual(['root INVALID_ARGS', 'left INVALID_ARGS']);
    heard.length = 0;
    await below.tools.execute({ name: 'echo' });
    expect(heard.sort()).toEqual(['below ok', 'left ok', 'root ok']);
  });

  it('may make calls of its own', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    const inner: Promise<ToolExecutionResult>[] = [];
    ctx.on('tools/result', (exec) => {
      if (exec.callId === 'outer') inner.push(ctx.tools.execute({ name: 'echo', callId: 'inner' }));
    });
    await ctx.tools.execute({ name: 'echo', callId: 'outer' });
    expect((await Promise.all(inner)).map(codeOf)).toEqual(['ok']);
  });
});

describe('a success', () => {
  it('has a value and content, and of the rest only what there is [F202] [F204]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    expect(Object.keys(await ctx.tools.execute({ name: 'echo' })).sort()).toEqual(['callId', 'content', 'isError', 'name', 'value']);
    ctx.tools.register(aTool({
      name: 'all',
      output: { schema: { type: 'json' }, render: () => [], presentationMeta: () => 1 },
      execute: (_args, exec) => {
        exec.deferContext({ source: 's', content: [] });
        exec.concludeTurn();
        return null;
      },
    }));
    expect(await ctx.tools.execute({ name: 'all', callId: 'mine' })).toEqual({
      isError: false, callId: 'mine', name: 'all', value: null, content: [], meta: 1, additionalContexts: [{ source: 's', content: [] }], concludesTurn: true,
    });
  });
});

describe('a failure', () => {
  it('has an error and content, never a value or a conclusion [F203] [F204]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ name: 'fails', execute: (_args, exec) => { exec.concludeTurn(); throw new Error('x'); } }));
    expect(await ctx.tools.execute({ name: 'fails', callId: 'c' })).toEqual({
      isError: true, callId: 'c', name: 'fails', error: { message: 'x', info: { name: 'Error', code: 'TOOL_FAILED', started: true } }, content: [text('Error: x')],
    });
  });

  it('made by a wrapper may bring meta and content, which are checked', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    const made = { isError: true, callId: 'forged', name: 'forged', error: { message: 'm', hint: 'h', info: { name: 'N', code: 'MINE', started: true, attempts: 2, causeCode: 'C' } }, content: [text('as it is')], meta: { k: 1 }, value: 1, concludesTurn: true };
    ctx.on('tools/execute', () => made as never);
    expect(await ctx.tools.execute({ name: 'echo', callId: 'c' })).toEqual({
      isError: true, callId: 'c', name: 'echo', content: [text('as it is')], meta: { k: 1 },
      // Whether a body was entered is not for a wrapper to say.
      error: { message: 'm', hint: 'h', info: { name: 'N', code: 'MINE', started: false, attempts: 2, causeCode: 'C' } },
    });
  });

  it.each<[string, object]>([
    ['an error that is no JSON', { isError: true, error: { message: 'm', info: { code: 'C', at: new Date() } } }],
    ['content that is no blocks', { isError: true, error: { message: 'm', info: { code: 'C' } }, content: 'text' }],
    ['meta that is no JSON', { isError: true, error: { message: 'm', info: { code: 'C' } }, meta: 1n }],
    ['no code', { isError: true, error: { message: 'm', info: {} } }],
    ['no message', { isError: true, error: { info: { code: 'C' } } }],
    ['no error', { isError: true }],
    ['neither true nor false', { isError: 'yes' }],
  ])('made by a wrapper with %s is PIPELINE_FAILED: it always can be written down [F206]', async (_what, made) => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    ctx.on('tools/execute', () => made as never);
    const result = await ctx.tools.execute({ name: 'echo' });
    expect(codeOf(result)).toBe('PIPELINE_FAILED');
    expectFrozenJson(result);
  });
});

describe('codes and what the model reads', () => {
  const one = (ctx: Context, overrides: Parameters<typeof aTool>[0] = {}, call: Partial<ToolCallInput> = {}): Promise<ToolExecutionResult> => {
    ctx.tools.register(aTool({ name: 'tool', parameters: { type: 'object', properties: { n: { type: 'integer' } } }, ...overrides }));
    return ctx.tools.execute({ name: 'tool', ...call });
  };
  const table: [code: string, name: string, message: RegExp, started: boolean, make: (ctx: Context) => Promise<ToolExecutionResult>][] = [
    ['ABORTED_BEFORE_DISPATCH', 'AbortError', /^tool call aborted before dispatch$/, false, (ctx) => one(ctx, {}, { signal: AbortSignal.abort() })],
    ['ABORTED', 'AbortError', /^tool call aborted$/, true, (ctx) => {
      const controller = new AbortController();
      return one(ctx, { execute: () => { controller.abort(); return 1; } }, { signal: controller.signal });
    }],
    ['UNKNOWN_TOOL', 'ToolNotFoundError', /^unknown tool "nosuch"$/, false, (ctx) => ctx.tools.execute({ name: 'nosuch' })],
    ['INVALID_ARGS', 'ToolArgsError', /^invalid arguments: .*n.*integer/, false, (ctx) => one(ctx, {}, { arguments: { n: '5' } })],
    ['INVALID_TOOL_OUTPUT', 'ToolOutputError', /^tool "tool" returned invalid output: /, true, (ctx) => one(ctx, { execute: () => undefined })],
    ['TOOL_FAILED', 'RangeError', /^out of range$/, true, (ctx) => one(ctx, { execute: () => { throw new RangeError('out of range'); } })],
    ['DENIED', 'ToolDeniedError', /^the reason$/, false, (ctx) => { ctx.tools.guard(() => 'the reason'); return one(ctx); }],
    ['APPROVAL_UNAVAILABLE', 'ToolDeniedError', /requires approval/, false, (ctx) => { ctx.on('tools/pre-execute', () => ({ kind: 'ask' })); return one(ctx); }],
    ['APPROVAL_REJECTED', 'ToolDeniedError', /^the user rejected tool "tool": not today$/, false, (ctx) => {
      ctx.on('tools/pre-execute', () => ({ kind: 'ask' }));
      ctx.provide('approval', { request: async () => ({ kind: 'rejected', feedback: 'not today' }) });
      return one(ctx);
    }],
    ['APPROVAL_CANCELLED', 'ToolDeniedError', /cancelled/, false, (ctx) => {
      ctx.on('tools/pre-execute', () => ({ kind: 'ask' }));
      ctx.provide('approval', { request: async () => ({ kind: 'cancelled' }) });
      return one(ctx);
    }],
    ['PIPELINE_FAILED', 'PipelineError', /^tools\/execute of plugin "app" failed: x$/, false, (ctx) => { ctx.on('tools/execute', () => { throw new Error('x'); }); return one(ctx); }],
    ['TOOL_BUSY', 'ToolBusyError', /needs what is in use/, false, async (ctx) => {
      const gate = aGate();
      ctx.on('tools/execute', (exec, next) => {
        if (exec.callId !== 'first') return next();
        void next();
        return { isError: true, error: { message: 'm', info: { name: 'N', code: 'C' } } } as never;
      });
      await one(ctx, { locks: () => ({ write: ['k'] }), execute: () => gate.opened.then(() => null) }, { callId: 'first' });
      const busy = await ctx.tools.execute({ name: 'tool', callId: 'second' });
      gate.open();
      await flush();
      return busy;
    }],
  ];

  it.each(table)('%s is a %s, told as one text that starts with "Error: " [F205] [F207] [W18]', async (code, name, message, started, make) => {
    const { ctx } = setup();
    const result = await make(ctx);
    expect(result).toMatchObject({ isError: true, error: { message: expect.stringMatching(message), info: { name, code, started } } });
    const { message: said, hint } = (result as Extract<ToolExecutionResult, { isError: true }>).error;
    expect(result.content).toEqual([text(hint === undefined ? `Error: ${said}` : `Error: ${said}\n${hint}`)]);
    expect(isCoreCode(code)).toBe(true);
    expectFrozenJson(result);
  });

  it('are all there is, each equal to its name; only block feedback has no "Error: " before it [F205] [F207]', () => {
    for (const [key, value] of Object.entries(codes)) expect(key).toBe(value);
    const shownElsewhere = ['BLOCKED', 'TOOL_TIMEOUT', 'CODE_RUN_FAILED'];
    expect(Object.keys(codes).sort()).toEqual([...table.map(([code]) => code), ...shownElsewhere].sort());
    expect(isCoreCode('toString')).toBe(false);
  });
});

describe('whatever listeners do', () => {
  type Bad = 'nothing' | 'throws' | 'rejects' | 'nonsense' | 'twice' | 'at once' | 'drops' | 'without' | 'writes';
  const bad = fc.constantFrom<Bad>('nothing', 'nothing', 'throws', 'rejects', 'nonsense', 'twice', 'at once', 'drops', 'without', 'writes');
  const hooks = ['tools/pre-execute', 'tools/execute', 'tools/post-execute'] as const;
  const without = {
    'tools/pre-execute': [{ kind: 'allow' }, { kind: 'deny', reason: 'no' }, { kind: 'ask' }],
    'tools/execute': [
      { isError: false, value: { made: 'up' } }, { isError: false, value: 1n },
      { isError: true, error: { message: 'm', info: { name: 'N', code: 'MINE' } }, additionalContexts: [{ source: 's', content: [] }] },
    ],
    'tools/post-execute': [{ kind: 'accept', value: 2 }, { kind: 'accept', content: [{ type: 'text', text: 'x' }] }, { kind: 'block', feedback: [] }, { kind: 'accept', value: undefined }],
  };

  /** A listener that does one bad thing in place of `next()`. */
  function listener(hook: (typeof hooks)[number], what: Bad, pick: number): (...args: unknown[]) => unknown {
    return (...args) => {
      const next = args.at(-1) as () => Promise<unknown>;
      const nonsense = hostileValues();
      switch (what) {
        case 'nothing':
          return next();
        case 'throws':
          throw hostileThrows()[pick % hostileThrows().length]![1];
        case 'rejects':
          return next().then(() => { throw hostileThrows()[pick % hostileThrows().length]![1]; });
        case 'nonsense':
          return nonsense[pick % nonsense.length]![1];
        case 'twice':
          return next().then(() => next());
        case 'at once':
          return Promise.all([next(), next()]).then(([first]) => first);
        case 'drops':
          void next();
          return without[hook][pick % without[hook].length];
        case 'without':
          return without[hook][pick % without[hook].length];
        case 'writes': {
          const write = (target: unknown): void => {
            for (const key of ['name', 'isError', 'value', 'callId', 'kind']) {
              try {
                (target as Record<string, unknown>)[key] = 'written';
              } catch {
                // Frozen, as it should be.
              }
            }
          };
          args.slice(0, -1).forEach(write);
          return next().then((answer) => {
            write(answer);
            return answer;
          });
        }
      }
    };
  }

  it('the outcome is frozen plain JSON under the id and name of its call, and tools/result comes exactly once', async () => {
    const act = fc.record({ hook: fc.constantFrom(...hooks), what: bad, pick: fc.nat({ max: 20 }) });
    const body = fc.constantFrom('value', 'throws', 'invalid', 'unknown tool', 'wrong arguments', 'aborted', 'nested');
    const names = new Map([['unknown tool', 'nosuch'], ['wrong arguments', 'value'], ['aborted', 'value']]);
    const observers = fc.array(fc.constantFrom<'throws' | 'rejects' | 'writes'>('throws', 'rejects', 'writes'), { maxLength: 3 });
    await withBed(async ({ ctx }) => {
      ctx.tools.register(aTool({ name: 'value', parameters: { type: 'object', properties: { n: { type: 'integer' } } } }));
      ctx.tools.register(aTool({ name: 'throws', execute: () => { throw new Error('as told'); } }));
      ctx.tools.register(aTool({ name: 'invalid', execute: () => new Map() }));
      ctx.tools.register(aTool({ name: 'nested', execute: async (_args, exec) => (await exec.executeAll([{ name: 'value' }, { name: 'throws' }])).map(codeOf) }));
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(act, { maxLength: 5 }), body, observers, async (acts, kind, watching) => {
          const off: (() => void)[] = [];
          const published: [ToolExecution, ToolExecutionResult][] = [];
          const announced: string[] = [];
          off.push(ctx.on('tools/call', (exec) => { announced.push(exec.id); }));
          for (const what of watching) {
            off.push(ctx.on('tools/result', ((_exec: ToolExecution, result: ToolExecutionResult) => {
              if (what === 'throws') throw new Error('observer');
              if (what === 'rejects') return Promise.reject(new Error('observer'));
              return Reflect.set(result, 'isError', 'written');
            }) as never));
          }
          for (const { hook, what, pick } of acts) off.push(ctx.on(hook, listener(hook, what, pick) as never));
          off.push(ctx.on('tools/result', (exec, result) => { published.push([exec, result]); }));
          const controller = new AbortController();
          if (kind === 'aborted') controller.abort();
          const name = names.get(kind) ?? kind;
          round += 1;
          const callId = `c${round}`;
          try {
            const result = await ctx.tools.execute({ name, callId, arguments: kind === 'wrong arguments' ? { n: 'x' } : {}, signal: controller.signal });
            // Those that a dropped next() began end in their own time.
            await flush();
            expectFrozenJson(result);
            expect(result).toMatchObject({ callId, name });
            expect(typeof result.isError).toBe('boolean');
            expect('value' in result).toBe(!result.isError);
            expect('error' in result).toBe(result.isError);
            expect(published.filter(([exec]) => exec.callId === callId).map(([, seen]) => seen)).toEqual([result]);
            expect(published.map(([exec]) => exec.id).sort()).toEqual(announced.sort());
            expect(new Set(announced).size).toBe(announced.length);
          } finally {
            for (const dispose of off) dispose();
          }
        }),
        { numRuns: 400 },
      );
    });
  }, 30_000);
});
