import { getEventListeners } from 'node:events';
import { aGate, aTool, recordHooks } from '@sluice/testing';
import { SluiceError } from '@sluice/core-schema';
import { describe, expect, it } from 'vitest';
import { codes, ToolError, type Context, type ContentBlock, type ToolDefinition, type ToolExecutionResult, type ToolRun } from '../src/index.ts';
import { hostileThrows, throwingProxy } from './hostile.ts';
import { codeOf, linesOf, setup, textOf } from './support.ts';
import { flush } from './virtual-time.ts';

/** Runs a body once, as the tool `tool`. */
function run(ctx: Context, execute: NonNullable<Parameters<typeof aTool>[0]>['execute'], signal?: AbortSignal): Promise<ToolExecutionResult> {
  ctx.tools.register(aTool({ name: 'tool', execute: execute! }));
  return ctx.tools.execute({ name: 'tool', callId: 'c1', ...(signal === undefined ? {} : { signal }) });
}

function throwing(thrown: unknown): () => never {
  return () => { throw thrown; };
}

describe('the definition that runs', () => {
  it('is the one captured on entry: unregistered before dispatch it is UNKNOWN_TOOL, and nothing ran [F147]', async () => {
    const { ctx } = setup();
    const ran: string[] = [];
    const off = ctx.tools.register(aTool({ name: 'tool', execute: () => { ran.push('old'); return null; } }));
    ctx.on('tools/pre-execute', (_exec, next) => {
      off();
      return next();
    });
    const result = await ctx.tools.execute({ name: 'tool' });
    expect(result).toMatchObject({ isError: true, error: { message: 'unknown tool "tool"', info: { name: 'ToolNotFoundError', code: 'UNKNOWN_TOOL', started: false } } });
    expect(ran).toEqual([]);
  });

  it.each(['tools/pre-execute', 'tools/execute'] as const)('is never its replacement, put there by a listener of %s [F147]', async (hook) => {
    const { ctx } = setup();
    const ran: string[] = [];
    const version = (name: string): ToolDefinition => aTool({ name: 'tool', execute: () => { ran.push(name); return name; } });
    const off = ctx.tools.register(version('old'));
    let isReplaced = false;
    const replace = (_exec: unknown, next: () => unknown): unknown => {
      if (!isReplaced) {
        off();
        ctx.tools.register(version('new'));
        isReplaced = true;
      }
      return next();
    };
    ctx.on(hook, replace as never);
    expect(codeOf(await ctx.tools.execute({ name: 'tool' }))).toBe('UNKNOWN_TOOL');
    expect(ran).toEqual([]);
    expect(await ctx.tools.execute({ name: 'tool' })).toMatchObject({ value: 'new' });
  });

  it('finishes what it began when it is unregistered while its body runs', async () => {
    const { ctx } = setup();
    const gate = aGate();
    const off = ctx.tools.register(aTool({ name: 'tool', execute: () => gate.opened.then(() => 'done') }));
    const call = ctx.tools.execute({ name: 'tool' });
    await flush();
    off();
    gate.open();
    expect(await call).toMatchObject({ isError: false, value: 'done', content: [{ text: '"done"' }] });
  });

  it('is what it was at registration, whatever is done to the object later', async () => {
    const { ctx } = setup();
    const definition = { ...aTool({ name: 'tool', execute: () => 'mine' }) };
    ctx.tools.register(definition);
    definition.execute = () => 'changed';
    definition.output = { schema: { type: 'number' }, render: () => [] };
    expect(await ctx.tools.execute({ name: 'tool' })).toMatchObject({ value: 'mine', content: [{ text: '"mine"' }] });
  });

  it('is the receiver of its own functions', async () => {
    const { ctx } = setup();
    ctx.tools.register({
      ...aTool({ name: 'tool' }),
      execute(this: { name: string }) {
        return this.name;
      },
    });
    expect(await ctx.tools.execute({ name: 'tool' })).toMatchObject({ value: 'tool' });
  });
});

describe('started', () => {
  it('is true from the moment the body is entered, and decides between the two cancellation codes [F148]', async () => {
    const { ctx } = setup();
    const controller = new AbortController();
    const within = await run(ctx, (_args, exec) => {
      controller.abort();
      expect(exec.signal.aborted).toBe(true);
      return 'too late';
    }, controller.signal);
    expect(within).toMatchObject({ isError: true, error: { message: 'tool call aborted', hint: expect.stringContaining('ran'), info: { name: 'AbortError', code: 'ABORTED', started: true } } });
    const before = await ctx.tools.execute({ name: 'tool', signal: controller.signal });
    expect(before).toMatchObject({ isError: true, error: { message: 'tool call aborted before dispatch', info: { name: 'AbortError', code: 'ABORTED_BEFORE_DISPATCH', started: false } } });
  });

  it('is true for a body that throws at once', async () => {
    const { ctx } = setup();
    expect(await run(ctx, throwing(new Error('at once')))).toMatchObject({ error: { info: { started: true } } });
  });
});

describe('what a body gets', () => {
  it('is its frozen arguments and a frozen run context with the identity of the call [F149]', async () => {
    const { ctx } = setup();
    let args: unknown;
    let run!: ToolRun;
    ctx.tools.register(aTool({
      name: 'tool',
      timeoutMs: 5_000,
      annotations: { readOnlyHint: true },
      execute: (given, exec) => {
        args = given;
        run = exec;
        return null;
      },
    }));
    const agent = ctx.scope('agent');
    const { signal } = new AbortController();
    await agent.tools.execute({ name: 'tool', callId: 'c1', argumentsText: '{"list":[1]}', signal });
    expect(args).toEqual({ list: [1] });
    expect(Object.isFrozen((args as { list: unknown }).list)).toBe(true);
    expect(run).toMatchObject({
      callId: 'c1', rootCallId: 'c1', name: 'tool', argumentsText: '{"list":[1]}', scopePath: ['agent'],
      tool: { timeoutMs: 5_000, annotations: { readOnlyHint: true } },
    });
    expect(run.arguments).toBe(args);
    expect(run.signal).toBe(signal);
    expect(run.id).toMatch(/^call-/);
    expect(Object.keys(run).sort()).toEqual(
      ['arguments', 'argumentsText', 'callId', 'concludeTurn', 'content', 'deferContext', 'execute', 'executeAll', 'id', 'name', 'progress', 'rootCallId', 'scopePath', 'signal', 'tool'],
    );
    expect(Object.isFrozen(run)).toBe(true);
    expect(() => { (run as { name: string }).name = 'other'; }).toThrow(TypeError);
  });

  it('is the one shared signal, never aborted, when nobody gave one', async () => {
    const { ctx } = setup();
    const signals: AbortSignal[] = [];
    ctx.tools.register(aTool({ name: 'tool', execute: (_args, exec) => { signals.push(exec.signal); return null; } }));
    await ctx.tools.execute({ name: 'tool' });
    await ctx.tools.execute({ name: 'tool' });
    expect(signals[0]).toBe(signals[1]);
    expect(signals[0]!.aborted).toBe(false);
  });

  it('is a signal of its own, once wrappers add theirs, and nobody is listened to for it when the attempt is over', async () => {
    const { ctx } = setup();
    const sources = [new AbortController(), new AbortController(), new AbortController()] as const;
    const [caller, outer, inner] = sources;
    ctx.on('tools/execute', (_exec, next) => next({ signal: outer.signal }));
    ctx.on('tools/execute', (_exec, next) => next({ signal: inner.signal }));
    let seen!: AbortSignal;
    ctx.tools.register(aTool({ name: 'tool', execute: (_args, exec) => { seen = exec.signal; return null; } }));
    await ctx.tools.execute({ name: 'tool', signal: caller.signal });
    for (const source of sources) {
      expect(seen).not.toBe(source.signal);
      expect(getEventListeners(source.signal, 'abort')).toEqual([]);
      source.abort();
    }
    expect(seen.aborted).toBe(false);
  });

  it('is a signal that passes on who aborted and why, while it runs', async () => {
    for (const who of ['caller', 'outer', 'inner'] as const) {
      const { ctx } = setup();
      const controllers = { caller: new AbortController(), outer: new AbortController(), inner: new AbortController() };
      ctx.on('tools/execute', (_exec, next) => next({ signal: controllers.outer.signal }));
      ctx.on('tools/execute', (_exec, next) => next({ signal: controllers.inner.signal }));
      let reason: unknown;
      ctx.tools.register(aTool({
        name: 'tool',
        execute: (_args, exec) => {
          exec.signal.addEventListener('abort', () => { reason = exec.signal.reason; });
          controllers[who].abort(who);
          return null;
        },
      }));
      await ctx.tools.execute({ name: 'tool', signal: controllers.caller.signal });
      expect(reason).toBe(who);
    }
  });

  it('leaves nothing on a signal that is first looked at after the body has ended', async () => {
    const { ctx } = setup();
    const added = new AbortController();
    ctx.on('tools/execute', (_exec, next) => next({ signal: added.signal }));
    let kept!: ToolRun;
    await run(ctx, (_args, exec) => {
      kept = exec;
      return null;
    });
    expect(kept.signal.aborted).toBe(false);
    expect(getEventListeners(added.signal, 'abort')).toEqual([]);
    added.abort('over');
    expect(kept.signal.aborted).toBe(false);
  });
});

describe('waiting for a body', () => {
  it('goes on until it has settled, even if it ignores an aborted signal [F150]', async () => {
    const { ctx } = setup();
    const gate = aGate();
    const controller = new AbortController();
    const recorder = recordHooks(ctx);
    const call = run(ctx, async () => {
      await gate.opened;
      return 'ignored it';
    }, controller.signal);
    await flush();
    controller.abort();
    await flush();
    expect(recorder.results()).toEqual([]);
    gate.open();
    expect(codeOf(await call)).toBe('ABORTED');
    expect(recorder.results()).toHaveLength(1);
  });

  it('takes whatever is thenable, and a then that throws as a throw', async () => {
    const { ctx } = setup();
    const thenable = { then: (resolve: (value: string) => void) => { resolve('thenable'); } };
    expect(await run(ctx, () => thenable)).toMatchObject({ value: 'thenable' });
    ctx.tools.register(aTool({ name: 'hostile', execute: () => ({ get then() { throw new Error('then threw'); } }) }));
    expect(await ctx.tools.execute({ name: 'hostile' })).toMatchObject({ error: { message: 'then threw', info: { code: 'TOOL_FAILED' } } });
  });
});

describe('a body that throws', () => {
  it.each<[string, unknown, string]>([
    ['the message of an Error', new RangeError('out of range'), 'out of range'],
    ['the class of an Error without a message', new RangeError(''), 'RangeError'],
    ['the message of an object that has one', { message: 'plain object' }, 'plain object'],
    ['text as it is', 'just text', 'just text'],
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a number', 42, '42'],
    ['a symbol', Symbol('sym'), 'Symbol(sym)'],
    ['an object without a message as text', { toString: () => 'as text' }, 'as text'],
    ['an object whose message is no text as text', { message: 42, toString: () => 'as text' }, 'as text'],
    ['something that cannot be read', throwingProxy(), '<unprintable thrown value>'],
    ['an object that cannot be coerced', Object.create(null), '<unprintable thrown value>'],
    ['an error whose message throws', Object.defineProperty(new Error(), 'message', { get: () => { throw new Error('m'); } }), '<unprintable thrown value>'],
  ])('is TOOL_FAILED with %s, for the model and the program [F151]', async (_what, thrown, message) => {
    const { ctx } = setup();
    const result = await run(ctx, throwing(thrown));
    expect(result).toMatchObject({ isError: true, callId: 'c1', name: 'tool', error: { message, info: { code: 'TOOL_FAILED', started: true } } });
    expect(textOf(result)).toBe(`Error: ${message}`);
    const rejected = await (ctx.tools.register(aTool({ name: 'async', execute: async () => { throw thrown; } })), ctx.tools.execute({ name: 'async', callId: 'c1' }));
    expect(rejected).toEqual({ ...result, name: 'async' });
  });

  it('is a failure and nothing else: the flag is set and the message is there [H067]', async () => {
    const { ctx } = setup();
    const result = await run(ctx, throwing(new Error('boom-17')));
    expect(result.isError).toBe(true);
    expect(result).not.toHaveProperty('value');
    expect(textOf(result)).toBe('Error: boom-17');
  });

  it.each(hostileThrows())('never breaks the pipeline, not even with %s', async (_what, thrown) => {
    const { ctx } = setup();
    const result = await run(ctx, throwing(thrown));
    expect(codeOf(result)).toBe('TOOL_FAILED');
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  it('keeps a foreign string code as causeCode and the class as name, whatever class it is of [F152] [W19]', async () => {
    const { ctx } = setup();
    const enoent = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT', errno: -2 });
    expect(await run(ctx, throwing(enoent))).toMatchObject({ error: { info: { name: 'Error', code: 'TOOL_FAILED', causeCode: 'ENOENT' } } });
    for (const [thrown, info] of [
      [new SluiceError('INVALID_CONFIG', 'no'), { name: 'SluiceError', causeCode: 'INVALID_CONFIG' }],
      [{ name: 'Foreign', message: 'x', code: 'E_FOREIGN' }, { name: 'Foreign', causeCode: 'E_FOREIGN' }],
    ] as const) {
      ctx.tools.register(aTool({ name: `as_${info.causeCode}`, execute: throwing(thrown) }));
      expect(await ctx.tools.execute({ name: `as_${info.causeCode}` })).toMatchObject({ error: { info: { code: 'TOOL_FAILED', ...info } } });
    }
  });

  it('has no causeCode without a string code', async () => {
    const { ctx } = setup();
    for (const [i, code] of [undefined, 42, '', null, {}].entries()) {
      ctx.tools.register(aTool({ name: `t${i}`, execute: throwing(Object.assign(new Error('x'), { code })) }));
      const result = await ctx.tools.execute({ name: `t${i}` });
      expect(result.isError && result.error.info).toEqual({ name: 'Error', code: 'TOOL_FAILED', started: true });
    }
  });

  it('never shows its stack or cause, only to the logger', async () => {
    const { ctx, log } = setup();
    const secret = new Error('db password is hunter2');
    const thrown = new Error('cannot connect', { cause: secret });
    const result = await run(ctx, throwing(thrown));
    expect(JSON.stringify(result)).not.toMatch(/hunter2|at .*body\.spec/);
    expect(log.some((line) => line.data === thrown)).toBe(true);
  });

  it('gives a bounded message, cut between characters, that says how much is missing', async () => {
    const { ctx } = setup();
    const result = await run(ctx, throwing(new Error(`${'x'.repeat(3_999)}😀${'y'.repeat(1_000_000)}`)));
    const message = result.isError ? result.error.message : '';
    expect(message.length).toBeLessThan(4_100);
    expect(message).toMatch(/^x{3999}… \(\d+ more characters\)$/);
  });
});

describe('a ToolError', () => {
  it('speaks to the model with message and hint, and to programs with its own code', async () => {
    const { ctx } = setup();
    const result = await run(ctx, throwing(new ToolError('no such file', { code: 'FS_NOT_FOUND', hint: 'List the directory first.', retryable: true, cause: new Error('secret') })));
    expect(result).toEqual({
      isError: true,
      callId: 'c1',
      name: 'tool',
      error: { message: 'no such file', hint: 'List the directory first.', info: { name: 'ToolError', code: 'FS_NOT_FOUND', started: true, retryable: true } },
      content: [{ type: 'text', text: 'Error: no such file\nList the directory first.' }],
    });
  });

  it.each(Object.values(codes).filter((code) => code !== 'TOOL_FAILED'))('cannot pass itself off as %s', async (code) => {
    const { ctx } = setup();
    const result = await run(ctx, throwing(new ToolError('me', { code })));
    expect(result).toMatchObject({ error: { info: { code: 'TOOL_FAILED', causeCode: code } } });
  });

  it('may bring its own content, which still reads as a failure', async () => {
    const { ctx } = setup();
    const image: ContentBlock = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const cases: [ContentBlock[], unknown][] = [
      [[{ type: 'text', text: 'look:' }, image], [{ type: 'text', text: 'Error: look:' }, image]],
      [[{ type: 'text', text: 'Error: look:' }], [{ type: 'text', text: 'Error: look:' }]],
      [[image], [{ type: 'text', text: 'Error: m' }, image]],
      [[], [{ type: 'text', text: 'Error: m' }]],
      ['no blocks' as never, [{ type: 'text', text: 'Error: m' }]],
    ];
    for (const [i, [content, expected]] of cases.entries()) {
      ctx.tools.register(aTool({ name: `t${i}`, execute: throwing(new ToolError('m', { content })) }));
      const result = await ctx.tools.execute({ name: `t${i}` });
      expect(result).toMatchObject({ isError: true, error: { message: 'm' } });
      expect(result.content).toEqual(expected);
    }
  });

  it('of another copy of the package is one, too', async () => {
    const { ctx } = setup();
    const foreign = Object.assign(new Error('theirs'), { code: 'THEIRS', hint: 'so', [Symbol.for('sluice.tool-error')]: true });
    expect(await run(ctx, throwing(foreign))).toMatchObject({ error: { message: 'theirs', hint: 'so', info: { name: 'ToolError', code: 'THEIRS' } } });
  });
});

describe('a body that gives up because its signal aborted', () => {
  const reasons: [string, (signal: AbortSignal) => unknown][] = [
    ['the standard AbortError', () => new DOMException('This operation was aborted', 'AbortError')],
    ["the signal's reason", (signal) => signal.reason as unknown],
    ['an error that is called AbortError', () => Object.assign(new Error('stopped'), { name: 'AbortError', code: 'ABORT_ERR' })],
  ];

  it.each(reasons)('is ABORTED when it rejects with %s [F153] [W5]', async (_what, thrown) => {
    const { ctx, log } = setup();
    const controller = new AbortController();
    const result = await run(ctx, async (_args, exec) => {
      exec.deferContext({ source: 'tool', content: [] });
      controller.abort(new Error('the user pressed stop'));
      throw thrown(exec.signal);
    }, controller.signal);
    expect(result).toMatchObject({ error: { message: 'tool call aborted', info: { name: 'AbortError', code: 'ABORTED', started: true } }, additionalContexts: [{ source: 'tool' }] });
    expect(linesOf(log, 'error')).toEqual([]);
  });

  it.each(reasons)('is ABORTED for %s under a signal that a wrapper added, too [W5]', async (_what, thrown) => {
    const { ctx } = setup();
    const added = new AbortController();
    ctx.on('tools/execute', (_exec, next) => next({ signal: added.signal }));
    const result = await run(ctx, async (_args, exec) => {
      added.abort();
      throw thrown(exec.signal);
    });
    expect(codeOf(result)).toBe('ABORTED');
  });

  it('keeps its own error, which says more, if it rejects with another', async () => {
    const { ctx } = setup();
    const controller = new AbortController();
    const result = await run(ctx, async () => {
      controller.abort();
      throw new Error('the disk is full');
    }, controller.signal);
    expect(result).toMatchObject({ error: { message: 'the disk is full', info: { code: 'TOOL_FAILED' } } });
  });

  it('is TOOL_FAILED if nothing was aborted: an AbortError of its own making says nothing about the call', async () => {
    const { ctx } = setup();
    const result = await run(ctx, throwing(new DOMException('inner fetch timed out', 'AbortError')));
    expect(result).toMatchObject({ error: { message: 'inner fetch timed out', info: { name: 'AbortError', code: 'TOOL_FAILED', started: true } } });
  });
});
