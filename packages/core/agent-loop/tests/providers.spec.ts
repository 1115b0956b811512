import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider';
import type { LanguageModelV2, LanguageModelV2CallOptions } from '@ai-sdk/provider-v2';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it, vi } from 'vitest';
import type { LanguageModel } from '../src/index.ts';
import { loadModel } from '../src/load-model.ts';
import { promptOf, toolsOf } from '../src/prompt.ts';
import { scriptedModel } from '../src/scripted.ts';
import { assertPaired, aWorld, outcomes, tool } from './support.ts';

describe('a language model of the AI SDK', () => {
  it('is one here, of either specification', () => {
    expectTypeOf<LanguageModelV2>().toExtend<LanguageModel>();
    expectTypeOf<LanguageModelV3>().toExtend<LanguageModel>();
    expectTypeOf(createOpenAICompatible({ name: 'x', baseURL: 'http://localhost' })('m')).toExtend<LanguageModel>();
    // @ts-expect-error -- no model at all
    expectTypeOf<{ generate(): string }>().toExtend<LanguageModel>();
    expect(createOpenAICompatible({ name: 'x', baseURL: 'http://localhost' })('m').specificationVersion).toBe('v3');
  });

  it.each(['v2', 'v3', 'v4'] as const)('streams what the loop understands: %s', async (specificationVersion) => {
    const { agent, run } = aWorld({ model: scriptedModel([{ reasoning: 'hm', text: 'I read.', calls: [{ name: 'a' }] }, 'Done.'], { specificationVersion }), tools: [tool('a')] });
    expect(await run()).toMatchObject({ reason: 'done', text: 'Done.', usage: { inputTokens: 200, outputTokens: 20 } });
    expect(agent.session.deriveMessages()[1]).toMatchObject({ content: [{ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'I read.' }, { type: 'tool-call', name: 'a' }] });
  });

  it('is asked in its own words, media included', () => {
    const content = [{ type: 'text', text: 'see' }, { type: 'image', data: 'aGk=', mimeType: 'image/png' }, { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' }, { type: 'resource_link', uri: 'file:///a', name: 'a' }] as const;
    const messages = [
      { role: 'user', content },
      { role: 'assistant', content: [{ type: 'reasoning', text: 'hm', providerOptions: { p: { signature: 's' } } }, { type: 'tool-call', callId: 'c', name: 'a', argumentsText: '{"x":1}' }] },
      { role: 'tool', callId: 'c', name: 'a', content, isError: false },
      { role: 'tool', callId: 'd', name: 'a', content: content.slice(0, 1), isError: true },
      { role: 'tool', callId: 'e', name: 'a', content: [], isError: false },
    ] as const;
    const v3: LanguageModelV3CallOptions['prompt'] = promptOf('system', messages, 'v3') as never;
    const v2: LanguageModelV2CallOptions['prompt'] = promptOf('system', messages, 'v2') as never;
    expect(v3).toEqual([
      { role: 'system', content: 'system' },
      { role: 'user', content: [{ type: 'text', text: 'see' }, { type: 'file', data: 'aGk=', mediaType: 'image/png' }, { type: 'file', data: 'aGk=', mediaType: 'audio/wav' }, { type: 'text', text: '[a](file:///a)' }] },
      { role: 'assistant', content: [{ type: 'reasoning', text: 'hm', providerOptions: { p: { signature: 's' } } }, { type: 'tool-call', toolCallId: 'c', toolName: 'a', input: { x: 1 } }] },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c', toolName: 'a', output: { type: 'content', value: [{ type: 'text', text: 'see' }, { type: 'image-data', data: 'aGk=', mediaType: 'image/png' }, { type: 'file-data', data: 'aGk=', mediaType: 'audio/wav' }, { type: 'text', text: '[a](file:///a)' }] } },
          { type: 'tool-result', toolCallId: 'd', toolName: 'a', output: { type: 'error-text', value: 'see' } },
          { type: 'tool-result', toolCallId: 'e', toolName: 'a', output: { type: 'text', value: '' } },
        ],
      },
    ]);
    expect(JSON.stringify(v2)).toBe(JSON.stringify(v3).replace('image-data', 'media').replace('file-data', 'media'));
    const v4 = JSON.parse(JSON.stringify(promptOf('system', messages, 'v4'))) as { content: { content?: unknown; output?: { value: unknown } }[] }[];
    const files = [{ type: 'file', data: { type: 'data', data: 'aGk=' }, mediaType: 'image/png' }, { type: 'file', data: { type: 'data', data: 'aGk=' }, mediaType: 'audio/wav' }];
    expect(v4[1]?.content.slice(1, 3)).toEqual(files);
    expect((v4[3]?.content[0]?.output?.value as unknown[]).slice(1, 3)).toEqual(files);
    expect(toolsOf([{ name: 'a', description: 'd', parameters: { type: 'object' } }])).toEqual([{ type: 'function', name: 'a', description: 'd', inputSchema: { type: 'object' } }]);
  });

  it('may run tools by itself, say things with a signature, and send files: all of it goes back to it, none of it runs here', async () => {
    const parts = [
      { type: 'reasoning-start', id: 'r', providerMetadata: { p: { a: undefined, b: 1 } } }, { type: 'reasoning-delta', id: 'r', delta: 'hm' }, { type: 'reasoning-end', id: 'r', providerMetadata: { p: { signature: 's' } } },
      { type: 'tool-call', toolCallId: 'w', toolName: 'web', input: '{}', providerExecuted: true }, { type: 'tool-result', toolCallId: 'w', toolName: 'web', result: { hits: 2, at: new Date(0) } },
      { type: 'file', mediaType: 'image/png', data: new Uint8Array([104, 105]) }, { type: 'source', id: 's' }, { type: 'raw', rawValue: {} },
      { type: 'text-start', id: 't' }, { type: 'text-end', id: 't' }, { type: 'text-delta', id: 't', delta: 'two ' }, { type: 'text-delta', id: 't', delta: 'hits' },
      { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage: { inputTokens: { total: undefined }, outputTokens: { total: 3 } } },
    ];
    const model = scriptedModel(['next']);
    let asked = 0;
    const { agent, run } = aWorld({ model: { ...model, doStream: (options) => ((asked += 1) === 1 ? Promise.resolve({ stream: ReadableStream.from(parts) as never }) : model.doStream(options)) } });
    expect(await run()).toMatchObject({ reason: 'done', text: 'two hits', toolCalls: 0, usage: { inputTokens: 0, outputTokens: 3 } });
    await run();
    expect(outcomes(agent)).toEqual([]);
    expect(model.requests[0]?.prompt[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', providerOptions: { p: { signature: 's' } } },
        { type: 'tool-call', toolCallId: 'w', toolName: 'web', input: {}, providerExecuted: true },
        { type: 'tool-result', toolCallId: 'w', toolName: 'web', output: { type: 'json', value: { hits: 2, at: '1970-01-01T00:00:00.000Z' } } },
        { type: 'file', data: 'aGk=', mediaType: 'image/png' },
        { type: 'text', text: 'two hits' },
      ],
    });
  });
});

describe('a model of specification v4', () => {
  const parts = [
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([104, 105]) } },
    { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://example.com/a.png') } },
    { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: {} },
  ];
  const streaming = (first: readonly object[]) => {
    const rest = scriptedModel(['next'], { specificationVersion: 'v4' });
    let asked = 0;
    return { ...rest, doStream: (options: Parameters<typeof rest.doStream>[0]) => ((asked += 1) === 1 ? Promise.resolve({ stream: ReadableStream.from(first) as never }) : rest.doStream(options)) };
  };

  it('has the files that it sent back as it sent them', async () => {
    const model = streaming(parts);
    const { run } = aWorld({ model });
    await run();
    await run('again');
    expect(model.requests[0]?.prompt[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'file', data: { type: 'data', data: 'aGk=' }, mediaType: 'image/png' },
        { type: 'file', data: { type: 'url', url: new URL('https://example.com/a.png') }, mediaType: 'image/png' },
      ],
    });
  });

  it('says itself that its stream broke off: none of its calls is made', async () => {
    const { agent, run } = aWorld({ model: streaming([{ type: 'tool-call', toolCallId: 'c', toolName: 'a', input: '{}' }, { type: 'finish', finishReason: { unified: 'interrupted', raw: undefined }, usage: {} }]), tools: [tool('a')] });
    expect(await run()).toMatchObject({ reason: 'model-error', toolCalls: 0 });
    expect(outcomes(agent)).toEqual([]);
  });
});

describe('a provider package that ends every stream in good order', () => {
  it.each([
    ['v2', 'unknown'],
    ['v3', { unified: 'other', raw: undefined }],
    ['v3', undefined],
  ] as const)('has no call made of a reply for whose end it has no reason; words alone are taken as they are: %s, %j', async (specificationVersion, finishReason) => {
    const finish = { type: 'finish', finishReason, usage: {} };
    const said = [{ type: 'text-delta', id: '0', delta: 'words' }];
    const streams = [[...said, { type: 'tool-call', toolCallId: 'c', toolName: 'a', input: '{}' }, finish], [...said, finish]];
    const { agent, run } = aWorld({ model: { ...scriptedModel([], { specificationVersion }), doStream: () => Promise.resolve({ stream: ReadableStream.from(streams.shift() ?? []) as never }) }, tools: [tool('a')] });
    expect(await run()).toMatchObject({ reason: 'model-error', message: expect.stringContaining('without a reason') as string });
    expect(outcomes(agent)).toEqual([]);
    expect(await run()).toMatchObject({ reason: 'done', text: 'words' });
  });

  it('has calls made of a reply that ended for a reason of its own', async () => {
    const { agent, run } = aWorld({ script: [{ calls: [{ name: 'a' }], finishReason: 'other' }, 'x'], tools: [tool('a')] });
    await run();
    expect(outcomes(agent)).toEqual(['call-1:ok']);
  });
});

describe('over real HTTP', () => {
  /** What the server streams for each request, in order; `hang up` breaks the connection, `wait` leaves it open. A number is a status. */
  let replies: (object | 'hang up' | 'wait' | number)[][] = [];
  /** Connections that the client gave up. */
  let abandoned = 0;
  const bodies: { messages: { role: string; content?: unknown; tool_calls?: unknown; tool_call_id?: string }[]; tools?: unknown[] }[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    request.on('data', (data: Buffer) => { text += data.toString(); });
    request.on('end', () => {
      bodies.push(JSON.parse(text) as (typeof bodies)[number]);
      response.on('close', () => { if (!response.writableEnded) abandoned += 1; });
      if (typeof replies[0]?.[0] === 'number') {
        const [status] = replies.shift() as [number];
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message: 'come back later', type: 'busy' } }));
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const piece of replies.shift() ?? []) {
        if (piece === 'wait') return;
        if (piece === 'hang up') { response.flushHeaders(); setImmediate(() => response.destroy()); return; }
        response.write(`data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, finish_reason: null, ...(piece as object) }] })}\n\n`);
      }
      response.end('data: [DONE]\n\n');
    });
  });
  let baseURL = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterAll(() => new Promise<void>((resolve) => { server.close(() => { resolve(); }); server.closeAllConnections(); }));

  const say = (content: string): object => ({ delta: { role: 'assistant', content } });
  const ask = (index: number, id: string, name: string, ...pieces: string[]): object[] =>
    pieces.map((piece, at) => ({ delta: { tool_calls: [{ index, ...(at === 0 ? { id, type: 'function' } : {}), function: { ...(at === 0 ? { name } : {}), arguments: piece } }] } }));
  const end = (finish_reason: string): object => ({ delta: {}, finish_reason });
  const model = (): LanguageModel => createOpenAICompatible({ name: 'stub', baseURL })('m');

  it('makes the calls that a provider streams, and sends it their results', async () => {
    replies = [
      [say('Adding'), ...ask(0, 'c1', 'add', '{"a":', '2,"b"', ':3}'), ...ask(1, 'c2', 'add', '{"a":1}'), end('tool_calls')],
      [say('It is '), say('5.'), end('stop')],
    ];
    bodies.length = 0;
    const add = tool('add', ({ a, b }) => Number(a) + Number(b), { parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] } });
    const { agent, run } = aWorld({ model: model() as never, tools: [add], instructions: 'You reckon.' });
    expect(await run('2 + 3?')).toMatchObject({ reason: 'done', text: 'It is 5.', steps: 2, toolCalls: 2 });
    expect(outcomes(agent)).toEqual(['c1:ok', 'c2:INVALID_ARGS']);
    expect(bodies[0]?.tools).toMatchObject([{ type: 'function', function: { name: 'add' } }]);
    expect(bodies[1]?.messages.map(({ role, tool_call_id }) => tool_call_id ?? role)).toEqual(['system', 'user', 'assistant', 'c1', 'c2']);
    expect(bodies[1]?.messages[3]?.content).toBe('5');
  });

  it.each(['openai-compatible', 'openai.chat'])('drives a whole turn with a model that was loaded by its name: schemas, results and reminders as they were sent: %s', async (kind) => {
    replies = [
      [say('Both '), say('at once.'), ...ask(0, 'c1', 'slow', '{"n":', '1}'), ...ask(1, 'c2', 'quick', '', '{}'), end('tool_calls')],
      [say('Done.'), end('stop')],
    ];
    bodies.length = 0;
    vi.stubEnv('OPENAI_COMPATIBLE_BASE_URL', baseURL);
    const loaded = kind === 'openai.chat' ? createOpenAI({ baseURL, apiKey: 'none' }).chat('m') : await loadModel('openai-compatible:m', { from: import.meta.dirname });
    const parameters = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const order: string[] = [];
    let isQuickDone = (): void => undefined;
    const quickDone = new Promise<void>((resolve) => { isQuickDone = resolve; });
    const slow = tool('slow', async (_args, exec) => {
      await quickDone;
      order.push('slow');
      exec.deferContext({ source: 'reminder', content: [{ type: 'text', text: 'mind the gap' }] });
      return 'slow came first in the reply';
    }, { parameters, isConcurrencySafe: () => true });
    const quick = tool('quick', () => { order.push('quick'); isQuickDone(); return 'quick came first'; }, { isConcurrencySafe: () => true });
    const { agent, run } = aWorld({ model: loaded as never, tools: [slow, quick], instructions: 'Be brief.' });
    expect(await run('go')).toMatchObject({ reason: 'done', text: 'Done.', steps: 2, toolCalls: 2 });
    expect(order).toEqual(['quick', 'slow']);
    expect(bodies[0]?.tools).toMatchObject([{ type: 'function', function: { name: 'slow', parameters } }, { type: 'function', function: { name: 'quick' } }]);
    const sent = bodies[1]?.messages.map(({ role, content, tool_call_id: id }) => [role, id ?? '', JSON.stringify(content)]);
    expect(sent).toEqual([
      ['system', '', '"Be brief."'],
      ['user', '', expect.stringContaining('go')],
      ['assistant', '', expect.stringContaining('Both at once.')],
      ['tool', 'c1', expect.stringContaining('slow came first in the reply')],
      ['tool', 'c2', expect.stringContaining('quick came first')],
      ['user', '', expect.stringContaining('mind the gap')],
    ]);
    expect(bodies[1]?.messages[2]?.tool_calls).toMatchObject([{ id: 'c1', function: { name: 'slow', arguments: '{"n":1}' } }, { id: 'c2', function: { name: 'quick', arguments: '{}' } }]);
    assertPaired(agent);
  });

  it.each([401, 429, 500])('ends a turn that the server refuses, with what it said, and can go on: %i', async (status) => {
    replies = [[status], [say('Here I am.'), end('stop')]];
    const { run } = aWorld({ model: model() as never });
    expect(await run()).toMatchObject({ reason: 'model-error', message: 'come back later' });
    expect((await run('again')).text).toBe('Here I am.');
  });

  it('lets go of the connection when the turn is aborted within a call, and makes none of it', async () => {
    const controller = new AbortController();
    replies = [[say('Adding'), ...ask(0, 'c1', 'add', '{"a":'), 'wait']];
    abandoned = 0;
    const { agent } = aWorld({ model: model() as never, tools: [tool('add')] });
    const run = agent.run('go', { signal: controller.signal });
    for await (const event of run) if (event.type === 'text') controller.abort();
    expect(await run.ended).toMatchObject({ reason: 'aborted', text: 'Adding', toolCalls: 0 });
    expect(outcomes(agent)).toEqual([]);
    await vi.waitFor(() => { expect(abandoned).toBe(1); });
  });

  it('makes none of the calls of a connection that broke within them', async () => {
    replies = [[say('Adding'), ...ask(0, 'c1', 'add', '{"a":2,"b":3}'), ...ask(1, 'c2', 'add', '{"a":'), 'hang up'], [say('Sorry.'), end('stop')]];
    const { agent, run } = aWorld({ model: model() as never, tools: [tool('add')] });
    expect(await run()).toMatchObject({ reason: 'model-error', toolCalls: 0, text: 'Adding' });
    expect(outcomes(agent)).toEqual([]);
    assertPaired(agent);
    expect((await run('again')).text).toBe('Sorry.');
  });

  it.each([
    ['within its arguments', ask(0, 'c1', 'add', '{"a":')],
    ['before its arguments', ask(0, 'c1', 'add', '')],
    ['after a whole one', ask(0, 'c1', 'add', '{"a":2,"b":3}')],
  ])('makes none of the calls of a reply that ends in good order, but without a reason: %s', async (_name, asked) => {
    replies = [[say('Adding'), ...asked]];
    let ran = 0;
    const { agent, run } = aWorld({ model: model() as never, tools: [tool('add', () => (ran += 1))] });
    expect(await run()).toMatchObject({ reason: 'model-error', message: expect.stringMatching(/without a (finish )?reason/) as string });
    expect([ran, outcomes(agent)]).toEqual([0, []]);
  });

  it('shows a provider arguments that are no object inside one', async () => {
    replies = [[...ask(0, 'c1', 'add', '[1,2]'), ...ask(1, 'c2', 'add', 'nonsense'), end('tool_calls')], [say('Sorry.'), end('stop')]];
    bodies.length = 0;
    const { agent, run } = aWorld({ model: model() as never, tools: [tool('add')] });
    await run();
    expect(outcomes(agent)).toEqual(['c1:INVALID_ARGS', 'c2:INVALID_ARGS']);
    expect((bodies[1]?.messages[1]?.tool_calls as { function: { arguments: string } }[]).map((call) => call.function.arguments)).toEqual(['{"invalidArguments":"[1,2]"}', '{"invalidArguments":"nonsense"}']);
  });

  it('stops the request when the turn is aborted', async () => {
    const controller = new AbortController();
    replies = [[say('Once'), ...Array.from({ length: 200 }, () => say(' upon')), end('stop')]];
    const { agent } = aWorld({ model: model() as never });
    const run = agent.run('go', { signal: controller.signal });
    for await (const event of run) if (event.type === 'text') controller.abort();
    expect((await run.ended).reason).toBe('aborted');
  });
});
