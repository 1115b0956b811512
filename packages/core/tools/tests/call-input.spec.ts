import { aCall, aTool, recordHooks } from '@sluice/testing';
import { describe, expect, it } from 'vitest';
import type { ToolCallInput, ToolExecution, ToolExecutionResult } from '../src/index.ts';
import { throwingProxy } from './hostile.ts';
import { codeOf, setup, textOf } from './support.ts';

/** Tools that note what their bodies got. */
function recordingTool(name: string, parameters: object) {
  const runs: unknown[] = [];
  const tool = aTool({
    name,
    parameters,
    execute: (args) => {
      runs.push(args);
      return { ok: true };
    },
  });
  return { tool, runs };
}

const anything = { type: 'object' };

describe('identity', () => {
  it('reads each property of the input exactly once, before any hook runs [F92]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    const reads: string[] = [];
    ctx.on('tools/call', () => { reads.push('entered'); });
    const values: Record<string, unknown> = { name: 'echo', arguments: { message: 'hi' }, callId: 'c1', signal: new AbortController().signal };
    const input = new Proxy(values, {
      get(target, key) {
        reads.push(String(key));
        return target[key as string];
      },
    });
    expect(codeOf(await ctx.tools.execute(input as never))).toBe('ok');
    expect(reads.indexOf('entered')).toBe(reads.length - 1);
    for (const key of ['name', 'arguments', 'callId', 'signal', 'argumentsText']) {
      expect(reads.filter((each) => each === key), key).toHaveLength(1);
    }
  });

  it('mints an id per call that the caller cannot choose, while callId may repeat [F93]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    const seen: ToolExecution[] = [];
    ctx.on('tools/call', (exec) => { seen.push(exec); });
    const input = { ...aCall({ callId: 'same' }), id: 'mine', rootCallId: 'forged', parentCallId: 'forged', scopePath: ['forged'] };
    await ctx.tools.execute(input);
    await ctx.tools.execute(input);
    expect(seen.map(({ callId }) => callId)).toEqual(['same', 'same']);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(2);
    expect(seen.map(({ id }) => id)).not.toContain('mine');
    expect(seen[0]).toMatchObject({ rootCallId: 'same', scopePath: [] });
    expect(seen[0]).not.toHaveProperty('parentCallId');
  });

  it('mints a callId when there is none, and uses it for the result [F93]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    const seen: ToolExecution[] = [];
    ctx.on('tools/call', (exec) => { seen.push(exec); });
    const result = await ctx.tools.execute(aCall());
    expect(result.callId).toBe(seen[0]!.callId);
    expect(seen[0]!.callId).not.toBe('');
  });

  it('passes the root call id on through nested calls of nested calls, and the id of the direct parent only [F93] [F94]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    ctx.tools.register(aTool({ name: 'inner', execute: (_args, exec) => exec.execute(aCall({ callId: 'leaf' })) }));
    ctx.tools.register(aTool({ name: 'outer', execute: (_args, exec) => exec.execute({ name: 'inner', callId: 'mid' }) }));
    const seen: ToolExecution[] = [];
    ctx.on('tools/call', (exec) => { seen.push(exec); });
    await ctx.tools.execute({ name: 'outer', callId: 'top' });
    expect(seen.map(({ callId, rootCallId, parentCallId }) => ({ callId, rootCallId, parentCallId }))).toEqual([
      { callId: 'top', rootCallId: 'top', parentCallId: undefined },
      { callId: 'mid', rootCallId: 'top', parentCallId: 'top' },
      { callId: 'leaf', rootCallId: 'top', parentCallId: 'mid' },
    ]);
  });

  it('is frozen for every listener, guard and wrapper: nobody redirects a call to another tool, other arguments or another scope [F110] [W2]', async () => {
    const { ctx } = setup();
    const { tool, runs } = recordingTool('safe', anything);
    const other = recordingTool('other', anything);
    ctx.tools.register(tool);
    ctx.tools.register(other.tool);
    const refused: string[] = [];
    const attack = (exec: ToolExecution): void => {
      for (const [key, value] of Object.entries({ name: 'other', arguments: { evil: 1 }, scopePath: ['x'], id: 'x', callId: 'x', rootCallId: 'x', parentCallId: 'x', signal: AbortSignal.abort(), tool: {} })) {
        expect(Reflect.set(exec, key, value), key).toBe(false);
        expect(Reflect.defineProperty(exec, key, { value }), key).toBe(false);
        if (Object.hasOwn(exec, key)) expect(Reflect.deleteProperty(exec, key), key).toBe(false);
        refused.push(key);
      }
      expect(Object.isFrozen(exec.arguments)).toBe(true);
      expect(Object.isFrozen(exec.scopePath)).toBe(true);
      expect(Object.isFrozen(exec.tool)).toBe(true);
    };
    ctx.on('tools/call', attack);
    ctx.on('tools/pre-execute', (exec, next) => {
      attack(exec);
      return next();
    });
    ctx.tools.guard((exec) => {
      attack(exec);
      return undefined;
    });
    ctx.on('tools/execute', (exec, next) => {
      attack(exec);
      return next();
    });
    ctx.on('tools/post-execute', (exec, _result, next) => {
      attack(exec);
      return next();
    });
    ctx.on('tools/result', attack);
    const result = await ctx.tools.execute({ name: 'safe', arguments: { good: 1 }, callId: 'c1' });
    expect(result).toMatchObject({ isError: false, name: 'safe', callId: 'c1' });
    expect(runs).toEqual([{ good: 1 }]);
    expect(other.runs).toEqual([]);
    expect(refused).toHaveLength(6 * 9);
  });
});

describe('arguments', () => {
  it('are copied and deep-frozen once: the caller keeps its own object, everybody inside sees the same copy [F95]', async () => {
    const { ctx } = setup();
    const { tool, runs } = recordingTool('t', anything);
    ctx.tools.register(tool);
    const seen: unknown[] = [];
    ctx.on('tools/pre-execute', async (exec, next) => {
      seen.push(exec.arguments);
      mine.list.push('changed meanwhile');
      return next();
    });
    ctx.tools.guard((exec) => {
      seen.push(exec.arguments);
      return undefined;
    });
    const mine = { list: ['a'], deep: { n: 1 } };
    await ctx.tools.execute({ name: 't', arguments: mine });
    expect(runs).toEqual([{ list: ['a'], deep: { n: 1 } }]);
    expect(seen.every((each) => each === runs[0])).toBe(true);
    expect(Object.isFrozen((runs[0] as typeof mine).list)).toBe(true);
    expect(Object.isFrozen(mine) || Object.isFrozen(mine.list) || Object.isFrozen(mine.deep)).toBe(false);
    expect(mine.list).toEqual(['a', 'changed meanwhile']);
  });

  it('are {} when there are none [F92]', async () => {
    const { ctx } = setup();
    const { tool, runs } = recordingTool('t', anything);
    ctx.tools.register(tool);
    await ctx.tools.execute({ name: 't' });
    expect(runs).toEqual([{}]);
  });

  class Point {
    x = 1;
  }
  const cycle: Record<string, unknown> = {};
  cycle['loop'] = cycle;
  let deep: unknown = 1;
  for (let i = 0; i < 2_000; i += 1) deep = { deep };

  it.each<[string, unknown, string]>([
    ['an explicit undefined', undefined, ''],
    ['an undefined inside', { a: { b: undefined } }, 'a.b'],
    ['a function', { f: () => 1 }, 'f'],
    ['a Map', { m: new Map() }, 'm'],
    ['a class instance', { list: [new Point()] }, 'list[0]'],
    ['-0', { n: -0 }, 'n'],
    ['Infinity', { n: Infinity }, 'n'],
    ['NaN', { n: NaN }, 'n'],
    ['a bigint', { n: 1n }, 'n'],
    ['a sparse array', { list: [1, , 3] }, 'list'],
    ['a cycle', cycle, 'loop'],
    ['too deep a value', { deep }, 'deep'],
    ['a symbol key', { [Symbol('s')]: 1 }, ''],
    ['a proxy whose every trap throws', throwingProxy(), ''],
  ])('that are no lossless JSON (%s) are INVALID_ARGS naming the path; only post-execute and the observers see the call [F96] [W17] [W18]', async (_what, value, path) => {
    const { ctx } = setup();
    const { tool, runs } = recordingTool('t', anything);
    ctx.tools.register(tool);
    ctx.tools.guard(() => 'no');
    const recorder = recordHooks(ctx);
    const seen: unknown[] = [];
    ctx.on('tools/result', (exec) => { seen.push(exec.arguments); });
    const result = await ctx.tools.execute({ name: 't', arguments: value });
    expect(result).toMatchObject({ isError: true, error: { info: { name: 'ToolArgsError', code: 'INVALID_ARGS', started: false } } });
    expect(textOf(result)).toMatch(/^Error: invalid arguments: /);
    expect(textOf(result)).toContain(path);
    expect(recorder.trace()).toEqual(['tools/call', 'tools/post-execute:enter', 'tools/post-execute:leave', 'tools/result']);
    expect(seen).toEqual([undefined]);
    expect(runs).toEqual([]);
  });

  it('that throw when they are read are INVALID_ARGS with the accessor\'s own message, read once [F97]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    const recorder = recordHooks(ctx);
    let reads = 0;
    const result = await ctx.tools.execute({
      name: 'echo',
      get arguments(): unknown {
        reads += 1;
        throw new Error('the disk is gone');
      },
    });
    expect(codeOf(result)).toBe('INVALID_ARGS');
    expect(textOf(result)).toContain('the disk is gone');
    expect(reads).toBe(1);
    expect(recorder.results()).toEqual([result]);
  });

  it.each<[string, Partial<ToolCallInput>]>([
    ['no JSON', { arguments: { n: NaN } }],
    ['not what the tool takes', { arguments: { message: 5 } }],
    ['malformed text', { argumentsText: '{' }],
  ])('that are wrong (%s) win over a caller that has given up already, and then post-execute has no say [F98] [F212a]', async (_what, input) => {
    const { ctx } = setup();
    ctx.tools.register(aTool({ parameters: { type: 'object', properties: { message: { type: 'string' } } } }));
    const recorder = recordHooks(ctx);
    const result = await ctx.tools.execute({ name: 'echo', ...input, signal: AbortSignal.abort() });
    expect(codeOf(result)).toBe('INVALID_ARGS');
    expect(recorder.trace()).toEqual(['tools/call', 'tools/result']);
  });

  it.each([null, 'text', 7, true, [1]])('must be an object for every tool: %j is INVALID_ARGS before anybody is asked [F99]', async (value) => {
    const { ctx } = setup();
    const { tool, runs } = recordingTool('t', anything);
    ctx.tools.register(tool);
    let asked = 0;
    ctx.on('tools/pre-execute', () => {
      asked += 1;
      return { kind: 'ask' };
    });
    const result = await ctx.tools.execute({ name: 't', arguments: value });
    expect(codeOf(result)).toBe('INVALID_ARGS');
    expect(asked).toBe(0);
    expect(runs).toEqual([]);
  });

  it('are checked before render and presentationMeta could meet them, whatever a wrapper does [W13]', async () => {
    const { ctx } = setup();
    const rendered: unknown[] = [];
    ctx.tools.register(
      aTool({
        parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
        output: {
          schema: {},
          render: (args) => {
            rendered.push(args);
            return [];
          },
          presentationMeta: (args) => {
            rendered.push(args);
            return null;
          },
        },
      }),
    );
    ctx.on('tools/execute', () => ({ isError: false, value: 1 }) as never);
    ctx.on('tools/post-execute', () => ({ kind: 'accept', value: 1 }));
    const result = await ctx.tools.execute({ name: 'echo', arguments: { path: 5 } });
    expect(result.isError).toBe(true);
    expect(rendered).toEqual([]);
  });
});

describe('a hostile or wrong input', () => {
  it.each(['name', 'arguments', 'argumentsText', 'callId', 'signal'])('whose %s throws when read gives a coded result, never a rejection [F100] [W10]', async (key) => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    const recorder = recordHooks(ctx);
    const input = Object.defineProperty({ ...aCall() }, key, { enumerable: true, get: () => { throw new Error(`no ${key} for you`); } });
    const result = await ctx.tools.execute(input);
    expect(codeOf(result)).toBe('INVALID_ARGS');
    expect(textOf(result)).toContain(`no ${key} for you`);
    expect(recorder.results()).toEqual([result]);
  });

  it('that is a proxy whose every trap throws gives a coded result too [F100] [W10]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    expect(codeOf(await ctx.tools.execute(throwingProxy() as never))).toBe('INVALID_ARGS');
    const lies = new Proxy({ name: 'echo' }, { has: () => { throw new Error('has'); } });
    expect(codeOf(await ctx.tools.execute(lies))).toBe('INVALID_ARGS');
  });

  const notASignal = { aborted: false, addEventListener() {}, removeEventListener() {} };
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['text', 'echo'],
    ['no name', { arguments: {} }],
    ['a name that is no string', { name: 7 }],
    ['a callId that is no string', { name: 'echo', callId: 7 }],
    ['a signal that is null', { name: 'echo', signal: null }],
    ['a signal that only looks like one', { name: 'echo', signal: notASignal }],
    ['a signal that was never constructed', { name: 'echo', signal: Object.create(AbortSignal.prototype) as AbortSignal }],
    ['a signal that is a controller', { name: 'echo', signal: new AbortController() }],
    ['a signal that is a hostile proxy', { name: 'echo', signal: throwingProxy() }],
    ['a text that is no string', { name: 'echo', argumentsText: 7 }],
    ['arguments twice', { name: 'echo', argumentsText: '{}', arguments: {} }],
  ])('that is misuse by the host (%s) rejects with a TypeError before any hook [F100] [W10]', async (_what, input) => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    const recorder = recordHooks(ctx);
    await expect(ctx.tools.execute(input as never)).rejects.toThrow(TypeError);
    await expect(ctx.tools.executeAll([input as never])).rejects.toThrow(TypeError);
    expect(recorder.events).toEqual([]);
  });

  it.each(['', 'constructor', '__proto__', 'toString', 'hasOwnProperty', 'ech o', '\ud800'])('with the name %j is UNKNOWN_TOOL [F100]', async (name) => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    expect(await ctx.tools.execute({ name })).toMatchObject({ error: { info: { name: 'ToolNotFoundError', code: 'UNKNOWN_TOOL', started: false } } });
  });
});

describe('the tool that a call runs', () => {
  it('has its finalizer captured at registration: later changes of the definition do not reach it [F101]', async () => {
    const { ctx } = setup();
    const definition = {
      ...aTool(),
      finalizeContent(this: unknown): [{ type: 'text'; text: string }] {
        expect(this).toBe(definition);
        return [{ type: 'text', text: 'registered' }];
      },
    };
    ctx.tools.register(definition);
    const result = await ctx.tools.execute({
      name: 'echo',
      get arguments() {
        definition.finalizeContent = () => [{ type: 'text', text: 'swapped' }];
        return {};
      },
    });
    expect(textOf(result)).toBe('registered');
  });
});

describe('argument text', () => {
  const run = async (parameters: object, argumentsText: string): Promise<{ result: ToolExecutionResult; runs: unknown[] }> => {
    const { ctx } = setup();
    const { tool, runs } = recordingTool('t', parameters);
    ctx.tools.register(tool);
    const recorder = recordHooks(ctx);
    ctx.on('tools/pre-execute', () => ({ kind: 'ask' }));
    ctx.provide('approval', { request: async () => ({ kind: 'allowed-once' }) });
    const result = await ctx.tools.execute({ name: 't', argumentsText });
    expect(recorder.results()).toEqual([result]);
    if (codeOf(result) === 'INVALID_ARGS') expect(recorder.trace()).not.toContain('tools/pre-execute:enter');
    return { result, runs };
  };
  const needsId = { type: 'object', properties: { id: { type: ['integer', 'string'] } }, required: ['id'] };

  it.each(['', '  \n'])('of white space only (%j) means no arguments [H055]', async (text) => {
    const { result, runs } = await run(anything, text);
    expect(codeOf(result)).toBe('ok');
    expect(runs).toEqual([{}]);
  });

  it('that is empty still has to satisfy the tool [H055]', async () => {
    const { result, runs } = await run(needsId, '');
    expect(codeOf(result)).toBe('INVALID_ARGS');
    expect(textOf(result)).toContain('id');
    expect(runs).toEqual([]);
  });

  it.each(['{"path":"a.md","content":"# Report\\nfirst ha', '{"path":"b.md","content":"x"'])('that was cut off (%j) is never repaired, and the failure says that it is incomplete [H057]', async (text) => {
    const { result, runs } = await run(anything, text);
    expect(codeOf(result)).toBe('INVALID_ARGS');
    expect(textOf(result)).toMatch(/incomplete/i);
    expect(runs).toEqual([]);
  });

  it.each(['500', '', '5x', 'NaN', true, null, 1.5, '1e3'])('is not coerced: %j for an integer is INVALID_ARGS naming the argument [H059]', async (limit) => {
    const { result, runs } = await run({ type: 'object', properties: { limit: { type: 'integer' } }, required: ['limit'] }, JSON.stringify({ limit }));
    expect(codeOf(result)).toBe('INVALID_ARGS');
    expect(textOf(result)).toContain('limit');
    expect(runs).toEqual([]);
  });

  it('with an integer that would lose digits is refused with its path, in text as in a nested place [H063]', async () => {
    const { result, runs } = await run(needsId, '{"id":7300000000000000123}');
    expect(codeOf(result)).toBe('INVALID_ARGS');
    expect(textOf(result)).toContain('id');
    expect(runs).toEqual([]);
    expect(textOf((await run(anything, '{"a":[{"b":-9007199254740993}]}')).result)).toContain('a[0].b');
  });

  it.each([['"7300000000000000123"', '7300000000000000123'], ['9007199254740991', 9007199254740991]])('with %s keeps it as it is [H063]', async (text, value) => {
    const { runs } = await run(needsId, `{"id":${text}}`);
    expect(runs).toEqual([{ id: value }]);
  });

  it.each(['null', '[]', '"x"', '7', 'true'])('that is %s is INVALID_ARGS before anybody is asked [H065]', async (text) => {
    const { result, runs } = await run({ type: 'object', properties: {}, required: [] }, text);
    expect(codeOf(result)).toBe('INVALID_ARGS');
    expect(runs).toEqual([]);
  });

  it('with -0 means 0, and with a number beyond all doubles is refused with its path [W17]', async () => {
    const { runs } = await run(anything, '{"n":-0}');
    expect(runs).toEqual([{ n: 0 }]);
    expect(Object.is((runs[0] as { n: number }).n, 0)).toBe(true);
    const { result } = await run(anything, '{"a":{"n":1e999}}');
    expect(result).toMatchObject({ error: { info: { code: 'INVALID_ARGS' } } });
    expect(textOf(result)).toContain('a.n');
  });

  it('with a repeated key is refused, naming it [W17]', async () => {
    const { result, runs } = await run(anything, '{"path":"a","path":"b"}');
    expect(codeOf(result)).toBe('INVALID_ARGS');
    expect(textOf(result)).toContain('path');
    expect(runs).toEqual([]);
  });

  it('is on the execution as it was sent, next to the arguments it means [F92]', async () => {
    const { ctx } = setup();
    ctx.tools.register(aTool());
    const seen: ToolExecution[] = [];
    ctx.on('tools/call', (exec) => { seen.push(exec); });
    await ctx.tools.execute({ name: 'echo', argumentsText: ' {"message" : "hi"}' });
    await ctx.tools.execute({ name: 'echo', argumentsText: '{oops' });
    expect(seen[0]).toMatchObject({ argumentsText: ' {"message" : "hi"}', arguments: { message: 'hi' } });
    expect(seen[1]).toMatchObject({ argumentsText: '{oops', arguments: undefined });
  });
});
