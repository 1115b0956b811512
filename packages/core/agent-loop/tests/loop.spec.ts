import { describe, expect, it } from 'vitest';
import { describePlugin } from '@sluice/testing';
import { agentLoop } from '../src/index.ts';
import { scriptedModel } from '../src/scripted.ts';
import { assertPaired, aWorld, calls, collect, outcomes, tool, types } from './support.ts';

describePlugin(() => agentLoop, {
  proof: async (ctx) => {
    const agent = ctx.agents.create({ name: 'agent', model: scriptedModel(['hello']) });
    expect((await agent.run('hi').ended).text).toBe('hello');
    await agent.dispose();
  },
});

describe('a turn', () => {
  it('asks the model until it makes no more calls, and shows it every result', async () => {
    const { agent, model, run } = aWorld({ script: [calls('read', 'read'), { text: 'Both read.' }], tools: [tool('read', () => 'content')] });
    expect(await run('Read twice.')).toEqual({ turn: 1, reason: 'done', text: 'Both read.', steps: 2, toolCalls: 2, usage: { inputTokens: 200, outputTokens: 20 } });
    expect(types(agent.session.events)).toEqual([
      'turn/start', 'user/message', 'prompt/set', 'assistant/message', 'tool/call', 'tool/result', 'tool/call', 'tool/result', 'assistant/message', 'turn/end',
    ]);
    expect(model.requests[1]?.prompt).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Read twice.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'call-1', toolName: 'read', input: {} },
          { type: 'tool-call', toolCallId: 'call-2', toolName: 'read', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'call-1', toolName: 'read', output: { type: 'text', value: '"content"' } },
          { type: 'tool-result', toolCallId: 'call-2', toolName: 'read', output: { type: 'text', value: '"content"' } },
        ],
      },
    ]);
    expect(outcomes(agent)).toEqual(['call-1:ok', 'call-2:ok']);
  });

  it('tells what happens as it happens', async () => {
    const { agent } = aWorld({
      script: [{ reasoning: 'hm', text: 'I read.', calls: [{ name: 'read', argumentsText: '' }] }, 'Done.'],
      tools: [tool('read', (_args, exec) => { exec.progress({ message: 'half' }); return 1; })],
    });
    const events = await collect(agent.run('go'));
    expect(events.map(({ type }) => type)).toEqual([
      'turn-start', 'message', 'step-start', 'reasoning', 'text', 'reply', 'tool-call', 'tool-progress', 'tool-result', 'step-end',
      'step-start', 'text', 'reply', 'step-end', 'turn-end',
    ]);
    expect(events.at(-1)).toMatchObject({ result: { reason: 'done', text: 'Done.' } });
  });
});

it('leaves calls and results paired', async () => {
  const { agent, run } = aWorld({ script: [calls('a', 'nothing', 'a'), 'x'], tools: [tool('a')] });
  await run();
  assertPaired(agent);
  expect(outcomes(agent)).toEqual(['call-1:ok', 'call-2:UNKNOWN_TOOL', 'call-3:ok']);
});
