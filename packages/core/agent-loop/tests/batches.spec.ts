import { aGate } from '@sluice/testing';
import type { AdditionalContext } from '@sluice/core-tools';
import { describe, expect, it } from 'vitest';
import { assertPaired, aWorld, calls, outcomes, tool, types } from './support.ts';

const safe = { isConcurrencySafe: () => true };
const context = (words: string): AdditionalContext => ({ source: 'test', content: [{ type: 'text', text: words }] });

describe('the calls of a reply', () => {
  it('overlap when they may, with an exclusive one alone in between; results keep their order [S228, S231]', async () => {
    const gates = { a: aGate(), b: aGate() };
    const seen: string[] = [];
    const body = (name: 'a' | 'b') => async (): Promise<string> => {
      seen.push(`${name} begins`);
      await gates[name].opened;
      seen.push(`${name} ends`);
      return name;
    };
    const { agent, run } = aWorld({
      script: [calls('a', 'b', 'x', 'c'), 'done'],
      tools: [tool('a', body('a'), safe), tool('b', body('b'), safe), tool('c', () => seen.push('c'), safe), tool('x', () => seen.push('x'))],
    });
    const ended = run();
    await new Promise((resolve) => { setImmediate(resolve); });
    expect(seen).toEqual(['a begins', 'b begins']);
    gates.b.open();
    await new Promise((resolve) => { setImmediate(resolve); });
    expect(outcomes(agent)).toEqual([]);
    gates.a.open();
    await ended;
    expect(seen).toEqual(['a begins', 'b begins', 'b ends', 'a ends', 'x', 'c']);
    expect(outcomes(agent)).toEqual(['call-1:ok', 'call-2:ok', 'call-3:ok', 'call-4:ok']);
  });

  it.each([1, 3])('run at most %i bodies at a time [S229]', async (maxParallelToolCalls) => {
    let running = 0;
    let most = 0;
    const body = async (): Promise<null> => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => { setImmediate(resolve); });
      running -= 1;
      return null;
    };
    const { run } = aWorld({ script: [calls(...Array.from({ length: 8 }, () => 'a')), 'done'], tools: [tool('a', body, safe)], maxParallelToolCalls });
    await run();
    expect(most).toBe(maxParallelToolCalls);
  });

  it('are in the log before they run, and their results say which call they belong to [S232]', async () => {
    const inBody: string[][] = [];
    const { agent, run } = aWorld({ script: [calls('a', 'a'), 'done'], tools: [tool('a', () => inBody.push(types(agent.session.events)))] });
    await run();
    expect(inBody.map((each) => each.slice(3))).toEqual([
      ['assistant/message', 'tool/call'],
      ['assistant/message', 'tool/call', 'tool/result', 'tool/call'],
    ]);
    for (const event of agent.session.events) {
      if (event.type !== 'tool/result') continue;
      expect(agent.session.events[(event.data.callSeq ?? 0) - 1]).toMatchObject({ type: 'tool/call', data: { callId: event.data.callId, turn: 1, step: 1 } });
    }
  });

  it('are told apart when a model gives two of them one id, and keep that id whatever listeners do [S238]', async () => {
    const seen: unknown[] = [];
    const { agent, run } = aWorld({
      script: [{ calls: [{ name: 'a', callId: 'same', arguments: { n: 1 } }, { name: 'a', callId: 'same', arguments: { n: 2 } }] }, 'done'],
      tools: [tool('a', ({ n }) => seen.push(n))],
    });
    agent.ctx.on('tools/call', (exec) => { try { (exec as { callId: string }).callId = 'other'; } catch { /* frozen */ } });
    await run();
    expect(seen).toEqual([1, 2]);
    const events = agent.session.events.flatMap((event) => (event.type === 'tool/result' ? [[event.data.callId, event.data.callSeq]] : []));
    expect(events).toEqual([['same', 5], ['same', 7]]);
  });

  it.each([
    ['empty text is an empty object', '', { type: 'ok', args: {} }],
    ['a number that JSON has not quite', '{"n":-0}', { type: 'ok', args: { n: 0 } }],
    ['what is no JSON is refused, and shown back as it was', '{"n":', { type: 'INVALID_ARGS' }],
  ])('have their arguments read once: %s [S227]', async (_name, argumentsText, expected) => {
    const seen: unknown[] = [];
    const { agent, model, run } = aWorld({ script: [{ calls: [{ name: 'a', argumentsText }] }, 'done'], tools: [tool('a', (args) => seen.push(args))] });
    await run();
    expect(outcomes(agent)).toEqual([`call-1:${expected.type}`]);
    expect(seen).toEqual('args' in expected ? [expected.args] : []);
    expect(agent.session.events.find(({ type }) => type === 'tool/call')?.data).toMatchObject({ argumentsText });
    if (expected.type !== 'ok') expect(JSON.stringify(model.requests[1]?.prompt[1])).toContain(JSON.stringify(argumentsText));
  });

  it('that a gate denies take their place among the others [S233]', async () => {
    const { agent, run } = aWorld({ script: [calls('a', 'b', 'a'), 'done'], tools: [tool('a'), tool('b')] });
    agent.ctx.tools.guard(({ name }) => (name === 'b' ? 'not b' : undefined));
    await run();
    expect(outcomes(agent)).toEqual(['call-1:ok', 'call-2:DENIED', 'call-3:ok']);
  });

  it('leave the value out of the log, and keep what cards need [S209]', async () => {
    const { agent, run } = aWorld({
      script: [calls('a'), 'done'],
      tools: [tool('a', () => ({ secret: 1 }), { output: { schema: {}, render: () => [{ type: 'text', text: 'shown' }], presentationMeta: () => ({ lines: 3 }) } })],
    });
    await run();
    expect(agent.session.events.find(({ type }) => type === 'tool/result')?.data).toEqual({
      turn: 1, step: 1, callId: 'call-1', callSeq: 5, name: 'a', content: [{ type: 'text', text: 'shown' }], isError: false, meta: { lines: 3 },
    });
  });
});

describe('contexts', () => {
  it('join after all results of their batch, in order of the calls [S234, R216]', async () => {
    const { agent, model, run } = aWorld({
      script: [calls('a', 'b'), 'done'],
      tools: [tool('a', (_args, exec) => { exec.deferContext(context('a1')); exec.deferContext(context('a2')); return 1; }, safe), tool('b', (_args, exec) => { exec.deferContext(context('b1')); return 1; }, safe)],
    });
    await run();
    expect(types(agent.session.events).slice(4, -2)).toEqual(['tool/call', 'tool/call', 'tool/result', 'tool/result', 'context/injected', 'context/injected', 'context/injected']);
    expect(model.requests[1]?.prompt.slice(3)).toEqual(['a1', 'a2', 'b1'].map((words) => ({ role: 'user', content: [{ type: 'text', text: words }] })));
  });

  it('of a turn that was aborted wait in the log for the next one [S236]', async () => {
    const controller = new AbortController();
    const { model, run } = aWorld({
      script: [calls('a'), 'again'],
      tools: [tool('a', (_args, exec) => { exec.deferContext(context('kept')); controller.abort(); return 1; })],
    });
    expect((await run('go', controller.signal)).reason).toBe('aborted');
    await run('on');
    expect(JSON.stringify(model.requests[1]?.prompt.slice(3))).toBe(JSON.stringify([
      { role: 'user', content: [{ type: 'text', text: 'kept' }] },
      { role: 'user', content: [{ type: 'text', text: 'on' }] },
    ]));
  });

  it('do not keep a turn open that a tool concluded; its siblings still run [R222, R223 differs]', async () => {
    const seen: string[] = [];
    const { model, run } = aWorld({
      script: [calls('end', 'a'), 'not asked'],
      tools: [tool('end', (_args, exec) => { exec.concludeTurn(); exec.deferContext(context('later')); return 1; }), tool('a', () => seen.push('a'))],
    });
    expect(await run()).toMatchObject({ reason: 'concluded', steps: 1, toolCalls: 2 });
    expect([seen, model.requests.length]).toEqual([['a'], 1]);
  });

  it('of a call that fails end nothing: a conclusion counts only with a success [R219]', async () => {
    const { run } = aWorld({ script: [calls('end'), 'on'], tools: [tool('end', (_args, exec) => { exec.concludeTurn(); throw new Error('no'); })] });
    expect(await run()).toMatchObject({ reason: 'done', steps: 2 });
  });
});

describe('an abort', () => {
  const names = ['a', 'b', 'c'];

  it('before the turn asks nobody, and leaves a log that can be gone on with [Q212]', async () => {
    const { agent, model, run } = aWorld({ script: ['hello'] });
    expect(await run('go', AbortSignal.abort())).toMatchObject({ reason: 'aborted', steps: 0 });
    expect([model.requests.length, types(agent.session.events)]).toEqual([0, ['turn/start', 'user/message', 'turn/end']]);
    expect((await run('again')).text).toBe('hello');
  });

  it.each([
    ['in the first body, one at a time', {}, ['call-1:ABORTED', 'call-2:ABORTED_BEFORE_DISPATCH', 'call-3:ABORTED_BEFORE_DISPATCH'], 'a'],
    ['in the second body, one at a time', {}, ['call-1:ok', 'call-2:ABORTED', 'call-3:ABORTED_BEFORE_DISPATCH'], 'b'],
    ['in the last body', {}, ['call-1:ok', 'call-2:ok', 'call-3:ABORTED'], 'c'],
    ['while all run', safe, ['call-1:ABORTED', 'call-2:ABORTED', 'call-3:ABORTED'], 'c'],
  ])('leaves one result per call, in order: %s [S235, Q212]', async (_name, more, expected, where) => {
    const controller = new AbortController();
    const settled = async (name: string): Promise<string> => {
      if (name === where) controller.abort(new Error('enough'));
      else if (more === safe) await new Promise((resolve) => { controller.signal.addEventListener('abort', resolve); });
      return name;
    };
    const { agent, model, run } = aWorld({ script: [calls(...names), 'again'], tools: names.map((name) => tool(name, () => settled(name), more)) });
    expect(await run('go', controller.signal)).toMatchObject({ reason: 'aborted', steps: 1 });
    expect(outcomes(agent)).toEqual(expected);
    assertPaired(agent);
    const started = agent.session.events.filter(({ type }) => type === 'tool/call');
    expect(started).toHaveLength(3);
    expect(await run('on')).toMatchObject({ reason: 'done', turn: 2, text: 'again' });
    expect(model.requests).toHaveLength(2);
  });

  it('while a gate decides keeps the denial; what was allowed does not run [Q212d, Q212g]', async () => {
    for (const [decision, expected] of [[{ kind: 'deny', reason: 'no' }, 'DENIED'], [{ kind: 'allow' }, 'ABORTED_BEFORE_DISPATCH']] as const) {
      const controller = new AbortController();
      const { agent, run } = aWorld({ script: [calls('a', 'a')], tools: [tool('a')] });
      agent.ctx.on('tools/pre-execute', () => { controller.abort(); return decision; });
      await run('go', controller.signal);
      expect(outcomes(agent)).toEqual([`call-1:${expected}`, 'call-2:ABORTED_BEFORE_DISPATCH']);
    }
  });

  it('does not hide what a body threw [Q212q]', async () => {
    const controller = new AbortController();
    const { agent, run } = aWorld({ script: [calls('a')], tools: [tool('a', () => { controller.abort(); throw new Error('disk full'); })] });
    await run('go', controller.signal);
    expect(outcomes(agent)).toEqual(['call-1:TOOL_FAILED']);
  });

  it('leaves nothing on the signal', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    let added = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => { listeners += 1; added += 1; addEventListener.apply(signal, args); };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => { listeners -= 1; removeEventListener.apply(signal, args); };
    const { run } = aWorld({ script: [calls('a', 'a'), 'x'], tools: [tool('a')] });
    await run('go', signal);
    expect(added).toBeGreaterThan(0);
    expect(listeners).toBe(0);
  });
});
