import { describe, expect, it, vi } from 'vitest';
import { aGate, aTool } from '@sluice/testing';
import { ToolError, type Context, type ContentBlock, type JsonValue, type ToolExecutionResult } from '../src/index.ts';
import { inProcessRuntime } from './in-process-runtime.ts';
import { codeOf, setup, textOf, type Bed } from './support.ts';

function bed(config: object = {}): Bed {
  const made = setup({ config: { mode: 'code', ...config } });
  made.ctx.provide('codeRuntime', inProcessRuntime());
  return made;
}

const run = (ctx: Context, code: string, more: object = {}): Promise<ToolExecutionResult> =>
  ctx.tools.execute({ name: 'run_code', arguments: { code, description: 'a test' }, callId: 'outer', ...more });

function valueOf(result: ToolExecutionResult): JsonValue | undefined {
  if (result.isError) throw new Error(result.error.message);
  return (result.value as { result?: JsonValue }).result;
}

const message = (args: Readonly<Record<string, JsonValue>>): string => args['message'] as string;

const image: ContentBlock = { type: 'image', data: 'AAAA', mimeType: 'image/png' };

describe('a program', () => {
  it('gives what it printed and returned, as value and as text [F254]', async () => {
    const { ctx } = bed();
    expect(await run(ctx, "console.log('a', 1); return { b: [1, null] }")).toMatchObject({
      value: { logs: ['a 1'], result: { b: [1, null] } },
      content: [{ type: 'text', text: 'a 1\n{\n  "b": [\n    1,\n    null\n  ]\n}' }],
    });
    expect(textOf(await run(ctx, "return 'as it is'"))).toBe('as it is');
    expect(textOf(await run(ctx, ''))).toBe('(run_code completed with no output)');
    expect(textOf(await run(ctx, 'return null'))).toBe('null');
  });

  it('lays out five levels of its result and no more, however deep it is [F254]', async () => {
    const { ctx } = bed();
    const text = textOf(await run(ctx, 'let at = { end: 1 }; for (let i = 0; i < 300; i += 1) at = { at }; return at'));
    expect(text.split('\n')).toHaveLength(11);
    expect(text).toContain('{"at":{"at":');
    expect(JSON.parse(text)).toHaveProperty('at.at.at.at.at.at');
  });

  it('finds every tool that its scope sees, whatever its name, and no other [F272]', async () => {
    const { ctx } = bed();
    ctx.tools.register(aTool({ name: '__proto__' }));
    ctx.tools.register(aTool({ name: 'with-dash' }));
    ctx.tools.register(aTool({ name: 'hidden' }));
    const agent = ctx.scope('agent');
    agent.tools.restrict({ deny: ['hidden'] });
    const code = "return [Object.keys(tools).filter((name) => !name.startsWith('$')).sort(), await tools['with-dash']({ message: 'x' })]";
    expect(valueOf(await run(agent, code))).toEqual([['__proto__', 'with-dash'], { message: 'x' }]);
  });

  it('keeps the tools that it started with; one that went away is unknown, one that came is not bound [F273]', async () => {
    const { ctx } = bed();
    const remove = ctx.tools.register(aTool({ name: 'gone' }));
    ctx.tools.register(aTool({
      name: 'swap',
      execute: () => {
        remove();
        ctx.tools.register(aTool({ name: 'fresh' }));
        return { message: '' };
      },
    }));
    const code = "await tools.swap({ message: '' }); const e = await tools.gone({ message: '' }).catch((e) => e); return [e.code, typeof tools.fresh]";
    expect(valueOf(await run(ctx, code))).toEqual(['UNKNOWN_TOOL', 'undefined']);
  });

  it('fails with its kind, its message and what it had printed, and what it deferred stays [F284 F289]', async () => {
    const { ctx } = bed();
    ctx.tools.register(aTool({ name: 'note', execute: (args, exec) => { exec.deferContext({ source: 'n', content: [{ type: 'text', text: 'noted' }] }); return args; } }));
    const result = await run(ctx, "console.log('so far'); await tools.note({ message: '' }); throw new Error('broke')");
    expect(result).toMatchObject({ isError: true, error: { info: { code: 'CODE_RUN_FAILED', name: 'CodeRunFailedError', causeCode: 'exception', started: true } } });
    expect(textOf(result)).toMatch(/^Error: run_code failed \(exception, none\): broke\n[^]*so far$/);
    expect(result.additionalContexts).toMatchObject([{ source: 'n' }]);
  });

  it('keeps the error of a runtime that rejects, and its calls have ended by then [F287 F289]', async () => {
    const { ctx } = setup({ config: { mode: 'code' } });
    const ended = vi.fn();
    ctx.provide('codeRuntime', inProcessRuntime({
      run({ bindings }) {
        void bindings[0]?.functions['slow']?.({ message: '' }).catch(ended);
        return Promise.reject(new Error('no worker'));
      },
    }));
    ctx.tools.register(aTool({ name: 'slow', execute: (_args, exec) => new Promise((_resolve, reject) => { exec.signal.addEventListener('abort', () => { reject(exec.signal.reason as Error); }); }) }));
    const result = await run(ctx, '');
    expect(codeOf(result)).toBe('TOOL_FAILED');
    expect(textOf(result)).toContain('no worker');
    expect(ended).toHaveBeenCalledOnce();
  });

  it('that is aborted is ABORTED, and its call and batch place are free [F289]', async () => {
    const { ctx } = bed();
    const gate = aGate();
    ctx.tools.register(aTool({ name: 'wait', execute: (_args, exec) => new Promise((_resolve, reject) => { gate.open(); exec.signal.addEventListener('abort', () => { reject(exec.signal.reason as Error); }); }) }));
    const controller = new AbortController();
    const running = run(ctx, "await tools.wait({ message: '' })", { signal: controller.signal });
    await gate.opened;
    controller.abort(new Error('enough'));
    expect(codeOf(await running)).toBe('ABORTED');
  });
});

describe('a call of a program', () => {
  it('goes through the whole pipeline under an id of its own and the root of the outer call [F275 F277]', async () => {
    const { ctx } = bed();
    ctx.tools.register(aTool());
    const seen: string[] = [];
    ctx.on('tools/pre-execute', (exec, next) => { seen.push(`pre ${exec.callId} of ${exec.parentCallId ?? '-'} in ${exec.rootCallId}`); return next(); });
    ctx.on('tools/result', (exec) => { seen.push(`result ${exec.callId}`); });
    await run(ctx, "await tools.echo({ message: 'a' }); await tools.echo({ message: 'b' })");
    expect(seen).toEqual([
      'pre outer of - in outer',
      'pre outer:code:1 of outer in outer', 'result outer:code:1',
      'pre outer:code:2 of outer in outer', 'result outer:code:2',
      'result outer',
    ]);
  });

  it('that a guard denies rejects with name, code and message, which the program may catch [F281 W38]', async () => {
    const { ctx } = bed();
    ctx.tools.register(aTool());
    ctx.tools.guard((exec) => (exec.name === 'echo' ? { deny: 'not today', code: 'CLOSED' } : undefined));
    const code = "try { await tools.echo({ message: '' }) } catch (e) { return [e instanceof ToolCallError, e.toolName, e.code, e.message] }";
    expect(valueOf(await run(ctx, code))).toEqual([true, 'echo', 'CLOSED', 'not today']);
  });

  it('that fails rejects with the message, without prefix or content [F281]', async () => {
    const { ctx } = bed();
    ctx.tools.register(aTool({ execute: () => { throw new ToolError('no such file', { code: 'GONE', hint: 'Look elsewhere.' }); } }));
    expect(valueOf(await run(ctx, "return await tools.echo({ message: '' }).catch((e) => [e.code, e.message])"))).toEqual(['GONE', 'no such file']);
  });

  it('gives the value after policy has shaped it [F281]', async () => {
    const { ctx } = bed();
    ctx.tools.register(aTool());
    ctx.on('tools/post-execute', (exec, _result, next) => (exec.name === 'echo' ? { kind: 'accept', value: { message: 'shaped' } } : next()));
    expect(valueOf(await run(ctx, "return await tools.echo({ message: 'raw' })"))).toEqual({ message: 'shaped' });
  });

  it('with arguments that are no JSON rejects alone, dispatches nothing and takes no number [F274]', async () => {
    const { ctx } = bed();
    ctx.tools.register(aTool());
    const dispatched = vi.fn();
    ctx.on('tools/code-dispatch-start', ({ callId }) => { dispatched(callId); });
    const code = `
      const said = [];
      for (const bad of [undefined, { message: undefined }, { message: NaN }, { get message() { throw 1 } }, new Date()]) {
        await tools.echo(bad).catch((e) => said.push(e.message.slice(0, 37)));
      }
      await tools.echo({ message: 'good' });
      return said`;
    expect(valueOf(await run(ctx, code))).toEqual(Array.from({ length: 5 }, () => 'tool arguments must be lossless JSON:'));
    expect(dispatched.mock.calls).toEqual([['outer:code:1']]);
  });

  it('is told as it starts and once more with its result, also when it fails [F280]', async () => {
    const { ctx } = bed();
    ctx.tools.register(aTool({ parameters: { type: 'object', properties: { message: { type: 'string' } } } }));
    const told: string[] = [];
    ctx.on('tools/code-dispatch-start', ({ callId }) => { told.push(`start ${callId}`); });
    ctx.on('tools/code-dispatch', ({ callId }, result) => { told.push(`${codeOf(result)} ${callId}`); });
    await run(ctx, "await tools.echo({ message: 'a' }); await tools.echo({ message: 1 }).catch(() => 0)");
    expect(told).toEqual(['start outer:code:1', 'ok outer:code:1', 'start outer:code:2', 'INVALID_ARGS outer:code:2']);
  });

  it('is not hung or hurt by an observer that throws or rejects [F292 W11]', async () => {
    const { ctx } = bed();
    ctx.tools.register(aTool());
    ctx.on('tools/code-dispatch-start', () => { throw new Error('log is full'); });
    ctx.on('tools/code-dispatch', () => Promise.reject(new Error('log is full')) as never);
    expect(valueOf(await run(ctx, "return await tools.echo({ message: 'a' })"))).toEqual({ message: 'a' });
  });

  it('that no program made finds no way around the mode: only real nested calls are exempt [W12]', async () => {
    const { ctx } = bed();
    ctx.tools.register(aTool());
    const forged = { name: 'echo', arguments: { message: '' }, callId: 'outer:code:1', parentCallId: 'outer', parent: Symbol('token') };
    expect(codeOf(await ctx.tools.execute(forged))).toBe('UNKNOWN_TOOL');
  });

  it('past the budget of the run rejects, and those before it ran', async () => {
    const { ctx } = bed({ maxSubCalls: 3 });
    const body = vi.fn((args: unknown) => args);
    ctx.tools.register(aTool({ execute: body }));
    const code = "const all = await Promise.allSettled([1, 2, 3, 4].map(() => tools.echo({ message: '' }))); return all.map((e) => e.reason?.message ?? 'ok')";
    expect(valueOf(await run(ctx, code))).toEqual(['ok', 'ok', 'ok', 'this program has made the 3 calls that one program may make']);
    expect(body).toHaveBeenCalledTimes(3);
  });
});

describe('the calls of a program', () => {
  it('overlap as native ones do: safe ones up to the cap, exclusive ones alone, started in order [F278 F279]', async () => {
    const { ctx } = bed({ maxParallelSubCalls: 2 });
    let running = 0;
    const peaks: string[] = [];
    const execute = async (args: Readonly<Record<string, JsonValue>>) => {
      running += 1;
      peaks.push(`${message(args)} beside ${String(running - 1)}`);
      await Promise.resolve();
      await new Promise((resolve) => { setImmediate(resolve); });
      running -= 1;
      return args;
    };
    ctx.tools.register(aTool({ name: 'safe', isConcurrencySafe: () => true, execute }));
    ctx.tools.register(aTool({ name: 'alone', execute }));
    await run(ctx, "await Promise.all([tools.safe({ message: 's1' }), tools.safe({ message: 's2' }), tools.safe({ message: 's3' }), tools.alone({ message: 'a' }), tools.safe({ message: 's4' })])");
    expect(peaks[0]).toBe('s1 beside 0');
    expect(peaks[1]).toBe('s2 beside 1');
    expect(peaks.map((each) => each.split(' ')[0])).toEqual(['s1', 's2', 's3', 'a', 's4']);
    expect(peaks[3]).toBe('a beside 0');
    expect(peaks[4]).toBe('s4 beside 0');
  });

  it('leave their contexts, and the images of successes, behind the outer result in the order of the calls [F284 F285]', async () => {
    const { ctx } = bed();
    const note = (text: string) => ({ source: text, content: [{ type: 'text' as const, text }] });
    ctx.tools.register(aTool({
      name: 'draw',
      execute: (args, exec) => { exec.deferContext(note(`note ${message(args)}`)); exec.content([{ type: 'text', text: 'drawn' }, image]); return args; },
    }));
    ctx.on('tools/post-execute', (exec, _result, next) =>
      (exec.callId.endsWith(':2') ? { kind: 'block', feedback: [{ type: 'text', text: 'no' }], additionalContexts: [note('blocked')] } : next()));
    const result = await run(ctx, "await tools.draw({ message: '1' }); await tools.draw({ message: '2' }).catch(() => 0)");
    expect(result.additionalContexts?.map(({ source, content }) => [source, content.length])).toEqual([
      ['tools-code-mode', 2], ['note 1', 1], ['blocked', 1],
    ]);
  });

  it('conclude the turn if one of them says so and the program succeeds [F286]', async () => {
    const { ctx } = bed();
    ctx.tools.register(aTool({ name: 'done', execute: (args, exec) => { exec.concludeTurn(); return args; } }));
    expect(await run(ctx, "await tools.done({ message: '' })")).toMatchObject({ isError: false, concludesTurn: true });
    expect(await run(ctx, "await tools.done({ message: '' }); throw new Error('after all')")).not.toHaveProperty('concludesTurn');
  });

  it('that nobody waits for are told to stop and waited for; queued ones never start [F276 F280 F287 F288]', async () => {
    const { ctx } = bed();
    const events: string[] = [];
    const reasons: string[] = [];
    ctx.tools.register(aTool({
      name: 'slow',
      execute: (args, exec) => new Promise((resolve) => {
        events.push(`body ${message(args)}`);
        exec.signal.addEventListener('abort', () => {
          reasons.push((exec.signal.reason as Error).message);
          setImmediate(() => { events.push(`end ${message(args)}`); resolve(args); });
        });
      }),
    }));
    ctx.on('tools/code-dispatch-start', ({ callId }) => { events.push(`start ${callId}`); });
    ctx.on('tools/code-dispatch', ({ callId }) => { events.push(`settle ${callId}`); });
    const outcome = await run(ctx, `
      for (const message of ['1', '2']) tools.slow({ message }).catch(() => 0);
      await new Promise((resolve) => setImmediate(resolve));
      return 'left'`);
    expect(valueOf(outcome)).toBe('left');
    expect(events).toEqual(['start outer:code:1', 'body 1', 'end 1', 'settle outer:code:1']);
    expect(reasons).toEqual(['run_code settled']);
  });

  it('hear why they came to nothing [F288]', async () => {
    const { ctx } = setup({ config: { mode: 'code' } });
    const said: string[] = [];
    const note = (error: Error): void => { said.push(error.message); };
    let late: (() => Promise<unknown>) | undefined;
    ctx.provide('codeRuntime', inProcessRuntime({
      async run({ bindings }) {
        const slow = bindings[0]?.functions['slow'];
        if (slow === undefined) throw new Error('not bound');
        late = () => slow({ message: '3' }).catch(note);
        void slow({ message: '1' }).catch(note);
        void slow({ message: '2' }).catch(note);
        await new Promise((resolve) => { setImmediate(resolve); });
        return { logs: [] };
      },
    }));
    ctx.tools.register(aTool({ name: 'slow', execute: (args, exec) => new Promise((resolve) => { exec.signal.addEventListener('abort', () => { resolve(args); }); }) }));
    await run(ctx, '');
    await late?.();
    expect(said).toEqual([
      'run_code run is over (the program ended); slow result discarded',
      'run_code run is over (the program ended); slow tool call abandoned',
      'run_code run is over (the program ended); slow not dispatched',
    ]);
  });

  it('hold the clock of the run while a person is asked for one of them', async () => {
    const { ctx } = setup({ config: { mode: 'code' } });
    const held: boolean[] = [];
    const plain = inProcessRuntime();
    ctx.provide('codeRuntime', inProcessRuntime({
      async run(request) {
        const unwatch = request.onHold?.((is) => { held.push(is); });
        const outcome = await plain.run(request);
        unwatch?.();
        return outcome;
      },
    }));
    ctx.provide('approval', { request: () => Promise.resolve({ kind: 'allowed-once' as const }) });
    ctx.tools.register(aTool());
    ctx.tools.guard((exec) => (exec.name === 'echo' ? { ask: 'may it?' } : undefined));
    expect(valueOf(await run(ctx, "return await tools.echo({ message: 'yes' })"))).toEqual({ message: 'yes' });
    expect(held).toEqual([true, false]);
  });

  it('are many without growing what is kept: ten thousand in a row', async () => {
    const { ctx } = bed();
    ctx.tools.register(aTool());
    expect(valueOf(await run(ctx, "let n = 0; for (; n < 10_000; n += 1) await tools.echo({ message: 'x' }); return n"))).toBe(10_000);
  });
});

describe('tools.$describe and $search', () => {
  it('give declarations and names of a catalogue that is too large to show', async () => {
    const { ctx } = bed({ sdkBudgetChars: 2_000 });
    for (let i = 0; i < 50; i += 1) ctx.tools.register(aTool({ name: `tool_${i}`, description: `Does job number ${i}. And more.` }));
    ctx.tools.register(aTool({ name: 'find_bird', description: 'Finds a bird by its song.', parameters: { type: 'object', properties: { song: { type: 'string' } }, required: ['song'] } }));
    const text = ctx.tools.presentation().sections[1]?.text ?? '';
    expect(text).toContain('tool_7: Tool; // Does job number 7.');
    expect(text).toContain('$describe(name: string)');
    const code = "return [await tools.$search('bird song'), await tools.$describe('find_bird'), await tools.$describe('find_brid').catch((e) => [e.code, e.message])]";
    const [found, declared, missing] = valueOf(await run(ctx, code)) as [JsonValue, string, JsonValue];
    expect(found).toEqual([{ name: 'find_bird', summary: 'Finds a bird by its song.' }]);
    expect(declared).toContain('find_bird(args: {\n    song: string;\n  }): Promise<Json>;');
    expect(missing).toEqual(['UNKNOWN_TOOL', 'there is no tool "find_brid"; did you mean find_bird?']);
  });
});
