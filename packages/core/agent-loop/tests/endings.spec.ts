import { aGate } from '@sluice/testing';
import { createContext } from '@sluice/core-context';
import { tools } from '@sluice/core-tools';
import { describe, expect, it } from 'vitest';
import { agentLoop, type LanguageModel, type TurnResult } from '../src/index.ts';
import { scriptedModel, type ScriptedReply } from '../src/scripted.ts';
import { assertPaired, aWorld, calls, collect, outcomes, tool, types } from './support.ts';

describe('a model that does not finish', () => {
  it.each<[string, ScriptedReply, string, string]>([
    ['its stream fails', { text: 'I will', calls: [{ name: 'a' }], error: new Error('connection reset') }, 'model-error', 'connection reset'],
    ['its stream fails with something else than an error', { text: 'I will', calls: [{ name: 'a' }], error: 'gone' }, 'model-error', 'gone'],
    ['its stream ends without an end', { text: 'I will', calls: [{ name: 'a' }], isCut: true }, 'model-error', 'ended before'],
    ['it reports an error at the end', { text: 'I will', calls: [{ name: 'a' }], finishReason: 'error' }, 'model-error', 'reported'],
    ['it may say no more', { text: 'I will', calls: [{ name: 'a' }], finishReason: 'length' }, 'length', 'cut off'],
    ['it must say no more', { text: 'I will', calls: [{ name: 'a' }], finishReason: 'content-filter' }, 'content-filter', 'withheld'],
  ])('has none of its calls made; its words are kept, and the log can be gone on with: %s [S227]', async (_name, reply, reason, message) => {
    let ran = 0;
    const { agent, model, run } = aWorld({ script: [reply, 'again'], tools: [tool('a', () => (ran += 1))] });
    const ended = await run();
    expect(ended).toMatchObject({ reason, steps: 1, toolCalls: 0, text: 'I will' });
    expect(ended.message).toContain(message);
    expect(ran).toBe(0);
    expect(agent.session.deriveMessages()[1]).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'I will' }] });
    expect(agent.session.events.find(({ type }) => type === 'assistant/message')?.data).toMatchObject({ interrupted: true });
    expect((await run('on')).text).toBe('again');
    expect(model.requests[1]?.prompt).toHaveLength(3);
  });

  it.each([
    ['refuses', () => Promise.reject(new Error('no key'))],
    ['throws', () => { throw new Error('no key'); }],
  ])('ends the turn, with the cause, when it %s', async (_name, doStream) => {
    const { agent, run } = aWorld({ model: { ...scriptedModel([]), doStream: doStream } });
    expect(await run()).toMatchObject({ reason: 'model-error', message: 'no key', cause: { message: 'no key' } });
    expect(types(agent.session.events).at(-1)).toBe('turn/end');
  });

  it.each([
    ['a call without a name', { type: 'tool-call', toolCallId: 'c', input: '{}' }, /toolName is undefined/],
    ['arguments that are no text', { type: 'tool-call', toolCallId: 'c', toolName: 'a', input: {} }, /input is object/],
    ['an error part', { type: 'error', error: new Error('overloaded') }, /overloaded/],
  ])('has nothing made of %s', async (_name, part, message) => {
    const stream = new ReadableStream({ start(controller) { controller.enqueue({ type: 'tool-call', toolCallId: 'b', toolName: 'a', input: '{}' }); controller.enqueue(part); } });
    const { agent, run } = aWorld({ model: { ...scriptedModel([]), doStream: () => Promise.resolve({ stream }) }, tools: [tool('a')] });
    expect(await run()).toMatchObject({ reason: 'model-error', message: expect.stringMatching(message) as string });
    expect(outcomes(agent)).toEqual([]);
  });

  it('has a reply that was complete when the stream failed taken as it is', async () => {
    const parts = [{ type: 'tool-call', toolCallId: 'c', toolName: 'a', input: '{}' }, { type: 'finish', finishReason: 'tool-calls', usage: {} }];
    const stream = new ReadableStream({ pull(controller) { const part = parts.shift(); if (part === undefined) controller.error(new Error('late')); else controller.enqueue(part); } });
    const { agent, run } = aWorld({ model: { ...scriptedModel([]), doStream: () => Promise.resolve({ stream }) }, tools: [tool('a')], maxSteps: 1 });
    expect((await run()).reason).toBe('max-steps');
    expect(outcomes(agent)).toEqual(['c:ok']);
  });

  it('is not waited for after an abort, whether it answers, streams or ignores the signal', async () => {
    const never = new Promise<never>(() => undefined);
    const cancelled: unknown[] = [];
    const silent = new ReadableStream({ pull: () => never, cancel: (reason) => { cancelled.push(reason); } });
    for (const doStream of [() => never, () => Promise.resolve({ stream: silent })]) {
      const controller = new AbortController();
      const { agent, run } = aWorld({ model: { ...scriptedModel([]), doStream: doStream } });
      const ended = run('go', controller.signal);
      await new Promise((resolve) => { setImmediate(resolve); });
      controller.abort('enough');
      expect(await ended).toMatchObject({ reason: 'aborted', steps: 1 });
      expect(types(agent.session.events)).toEqual(['turn/start', 'user/message', 'prompt/set', 'turn/end']);
    }
    expect(cancelled).toEqual(['enough']);
  });

  it('has what it had said until an abort kept', async () => {
    const controller = new AbortController();
    const { agent } = aWorld({ script: [{ text: 'Once upon', until: new Promise(() => undefined) }] });
    const run = agent.run('go', { signal: controller.signal });
    for await (const event of run) if (event.type === 'text') controller.abort();
    expect(await run.ended).toMatchObject({ reason: 'aborted', text: expect.stringMatching(/^Once/) as string });
    expect(agent.session.deriveMessages().at(-1)).toMatchObject({ role: 'assistant', content: [{ text: expect.stringMatching(/^Once/) as string }] });
  });
});

describe('budgets', () => {
  it('end the turn after the steps that it may take, with every call answered', async () => {
    const { agent, model, run } = aWorld({ script: () => calls('a'), tools: [tool('a')], maxSteps: 3 });
    expect(await run()).toMatchObject({ reason: 'max-steps', steps: 3, toolCalls: 3, message: 'the 3 steps of one turn are used up' });
    expect(model.requests).toHaveLength(3);
    assertPaired(agent);
    expect(agent.session.events.at(-1)).toMatchObject({ type: 'turn/end', data: { reason: 'max-steps', message: 'the 3 steps of one turn are used up' } });
    expect(await run()).toMatchObject({ reason: 'max-steps', steps: 3 });
  });

  it('end the turn after the calls that it may make; those over it have a result that says so', async () => {
    let ran = 0;
    const { agent, run } = aWorld({ script: () => calls('a', 'a', 'a'), tools: [tool('a', () => (ran += 1))], maxToolCalls: 4 });
    expect(await run()).toMatchObject({ reason: 'max-tool-calls', steps: 2, toolCalls: 4 });
    expect(ran).toBe(4);
    expect(outcomes(agent).map((each) => each.split(':')[1])).toEqual(['ok', 'ok', 'ok', 'ok', 'CALL_BUDGET', 'CALL_BUDGET']);
    assertPaired(agent);
    expect(await run()).toMatchObject({ toolCalls: 4 });
  });

  it('come from the plugin unless an agent has its own', async () => {
    const { host, run } = aWorld({ script: () => calls('a'), tools: [tool('a')], config: { maxSteps: 2 } });
    expect(await run()).toMatchObject({ steps: 2 });
    const other = host.ctx.agents.create({ name: 'other', model: scriptedModel(() => calls('a')), maxSteps: 1 });
    expect(await other.run('go').ended).toMatchObject({ steps: 1 });
  });
});

describe('a person who speaks meanwhile', () => {
  it('is heard before the next request, after the results [S234]', async () => {
    const { agent, model, run } = aWorld({ script: [calls('a'), 'yes'], tools: [tool('a', () => { agent.steer('wait'); return 1; })] });
    await run();
    expect(model.requests[1]?.prompt.slice(2)).toMatchObject([{ role: 'tool' }, { role: 'user', content: [{ text: 'wait' }] }]);
    expect(agent.session.events.filter(({ type }) => type === 'user/message')).toHaveLength(2);
  });

  it('keeps a turn open that would have ended, by itself or by a tool [R223]', async () => {
    for (const script of [['bye', 'still here'], [calls('end'), 'still here']] as ScriptedReply[][]) {
      const { agent, model, run } = aWorld({ script, tools: [tool('end', (_args, exec) => { exec.concludeTurn(); return 1; })] });
      agent.ctx.on('agent/step-result', ({ step }) => { if (step === 1) agent.steer('one more thing'); });
      expect(await run()).toMatchObject({ reason: 'done', steps: 2, text: 'still here' });
      expect(model.requests).toHaveLength(2);
    }
  });

  it('on the last step does not make a turn that is done one that ran out of steps', async () => {
    const { agent, model, run } = aWorld({ script: ['bye', 'yes?'], maxSteps: 1 });
    agent.ctx.on('agent/step-result', ({ turn }) => { if (turn === 1) agent.steer('wait'); });
    expect(await run()).toMatchObject({ reason: 'done', text: 'bye' });
    await run('now');
    expect(model.requests[1]?.prompt.slice(2)).toMatchObject([{ content: [{ text: 'wait' }] }, { content: [{ text: 'now' }] }]);
  });

  it('is heard in the next turn when this one is over, or none runs', async () => {
    const { agent, model, run } = aWorld({ script: [calls('a'), 'ok'], tools: [tool('a', () => { agent.steer('too late'); return 1; })], maxSteps: 1 });
    agent.steer('early');
    await run('first');
    await run('second');
    const said = (index: number): unknown[] => (model.requests[index]?.prompt ?? []).flatMap((message) => ('role' in message && message.role === 'user' ? [(message as { content?: { text: string }[] }).content?.[0]?.text] : []));
    expect([said(0), said(1)]).toEqual([['early', 'first'], ['early', 'first', 'too late', 'second']]);
  });
});

describe('listeners', () => {
  it('on agent/pre-step see what has joined since the step before, may add to it and may stop [X299]', async () => {
    const { agent, model, run } = aWorld({ script: [calls('a'), 'no'], tools: [tool('a', (_args, exec) => { exec.deferContext({ source: 'a', content: [{ type: 'text', text: 'ctx' }] }); return 1; })] });
    const seen: unknown[] = [];
    agent.ctx.on('agent/pre-step', async ({ step, incoming, scopePath }, next) => {
      seen.push([step, scopePath, incoming.map(({ role, source }) => source ?? role)]);
      await next();
      return step === 1 ? { kind: 'continue', additionalContexts: [{ source: 'clock', content: [{ type: 'text', text: 'noon' }] }] } : { kind: 'stop', reason: 'enough' };
    });
    expect(await run()).toMatchObject({ reason: 'stopped', message: 'enough', steps: 2 });
    expect(seen).toEqual([[1, ['agent'], ['user']], [2, ['agent'], ['clock', 'tool', 'a']]]);
    expect(model.requests.map(({ prompt }) => prompt.length)).toEqual([2]);
    expect(agent.session.deriveMessages()[1]).toEqual({ role: 'user', source: 'clock', content: [{ type: 'text', text: 'noon' }] });
  });

  it.each([
    ['agent/pre-step', 'throws', () => { throw new Error('broken policy'); }, /broken policy/],
    ['agent/pre-step', 'answers nothing', () => undefined, /must answer/],
    ['agent/pre-step', 'answers something else', () => ({ kind: 'maybe' }), /must answer/],
    ['agent/pre-step', 'adds what no model can read', () => ({ kind: 'continue', additionalContexts: [{ source: 'x', content: 'words' }] }), /content/],
    ['agent/request', 'throws', () => { throw new Error('broken policy'); }, /broken policy/],
    ['agent/request', 'answers no request', () => ({ system: 'x' }), /must answer/],
  ])('on %s that %s end the turn before the model is asked', async (hook, _what, listener, message) => {
    const { agent, model, run } = aWorld({ script: ['hello'] });
    const off = agent.ctx.on(hook as 'agent/request', listener as never);
    expect(await run()).toMatchObject({ reason: 'failed', message: expect.stringMatching(message) as string });
    expect([model.requests.length, types(agent.session.events).at(-1)]).toEqual([0, 'turn/end']);
    off();
    expect((await run()).text).toBe('hello');
  });

  it('on agent/step-result see the reply and every result; what they throw changes nothing', async () => {
    const { host, agent, run } = aWorld({ script: [calls('a', 'a'), 'done'], tools: [tool('a')] });
    const seen: unknown[] = [];
    agent.ctx.on('agent/step-result', () => { throw new Error('no'); });
    agent.ctx.on('agent/step-result', ({ turn, step, finishReason, results, scopePath }) => seen.push([turn, step, finishReason, results.length, scopePath.join()]));
    expect((await run()).reason).toBe('done');
    expect(seen).toEqual([[1, 1, 'tool-calls', 2, 'agent'], [1, 2, 'stop', 0, 'agent']]);
    expect(host.log.entries.length).toBeGreaterThan(0);
  });
});

describe('an agent', () => {
  it('runs one turn at a time', async () => {
    const gate = aGate();
    const { agent, run } = aWorld({ script: [{ text: 'x', until: gate.opened }, 'y'] });
    const first = run();
    expect(agent.isRunning).toBe(true);
    expect(() => agent.run('again')).toThrow(expect.objectContaining({ code: 'AGENT_BUSY' }) as Error);
    gate.open();
    await first;
    expect([agent.isRunning, (await run()).text]).toEqual([false, 'y']);
  });

  it('stops when nobody watches any more', async () => {
    const { agent } = aWorld({ script: [{ text: 'a long story', until: new Promise(() => undefined) }] });
    const run = agent.run('go');
    for await (const event of run) if (event.type === 'text') break;
    expect((await run.ended).reason).toBe('aborted');
    expect(agent.isRunning).toBe(false);
  });

  it('tells its events also to who comes late, once the turn is over', async () => {
    const { agent } = aWorld();
    const run = agent.run('go');
    await run.ended;
    expect((await collect(run)).at(-1)?.type).toBe('turn-end');
  });

  it('ends its turn when it is disposed, with its log whole, and begins none afterwards', async () => {
    const { agent } = aWorld({
      script: [calls('a', 'a')],
      tools: [tool('a', (_args, exec) => new Promise((resolve) => { exec.signal.addEventListener('abort', () => { resolve(1); }); }))],
    });
    const run = agent.run('go');
    for await (const event of run) if (event.type === 'tool-call') break;
    await agent.dispose();
    expect((await run.ended).reason).toBe('aborted');
    assertPaired(agent);
    expect(types(agent.session.events).at(-1)).toBe('turn/end');
    expect(() => agent.run('go')).toThrow(expect.objectContaining({ code: 'AGENT_DISPOSED' }) as Error);
  });

  it('leaves its name free again', async () => {
    const { host, agent, model } = aWorld();
    expect(() => host.ctx.agents.create({ name: 'agent', model })).toThrow(expect.objectContaining({ code: 'SCOPE_DUPLICATE' }) as Error);
    await agent.dispose();
    expect(host.ctx.agents.create({ name: 'agent', model }).name).toBe('agent');
  });

  it('survives that the tools go away within a turn', async () => {
    const ctx = createContext({ logger: { debug() {}, info() {}, warn() {}, error() {} } });
    const handle = ctx.plugin(tools);
    ctx.plugin(agentLoop);
    const agent = ctx.agents.create({ name: 'agent', model: scriptedModel([calls('a')]) });
    agent.ctx.on('session/event', ({ type }) => { if (type === 'assistant/message') void handle.dispose(); });
    const ended: TurnResult = await agent.run('go').ended;
    expect(ended.reason).toBe('failed');
    assertPaired(agent);
    expect(outcomes(agent)).toEqual(['call-1:NOT_STARTED']);
    await ctx.dispose();
  });

  it.each([
    ['no name', { name: '' }],
    ['no model', { model: undefined }],
    ['a model of another specification', { model: { ...scriptedModel([]), specificationVersion: 'v1' } }],
    ['no steps', { maxSteps: 0 }],
    ['half a call at a time', { maxParallelToolCalls: 0.5 }],
    ['instructions that are no text', { instructions: 1 }],
  ])('is not created with %s, and its name stays free', (_name, wrong) => {
    const { host } = aWorld();
    const options = { name: 'b', model: scriptedModel([]) as LanguageModel };
    expect(() => host.ctx.agents.create({ ...options, ...wrong } as never)).toThrow(TypeError);
    expect(host.ctx.agents.create(options).name).toBe('b');
  });

  it.each([[''.split('')], [undefined], [[{ type: 'text' }]], ['words', 'no signal']])('refuses a message that is none: %j', (input, signal?: unknown) => {
    const { agent } = aWorld();
    expect(() => agent.run(input as never, (signal === undefined ? {} : { signal }) as never)).toThrow(TypeError);
    if (signal === undefined) expect(() => agent.steer(input as never)).toThrow(TypeError);
    expect(agent.session.events).toEqual([]);
  });
});
