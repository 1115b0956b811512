// An agent with agents of its own. Notice:
// 1. The guard is mounted in the lead's scope, once, and says nothing of assistants. It holds for them all the same.
// 2. The lead's log has two calls and two answers. What assistants say to themselves is in their own logs.
// 3. Both run at the same time, because the tool says that it may; their answers come back in the order of the calls.
import assert from 'node:assert/strict';
import { agentLoop } from '@sluice/core-agent-loop';
import { createContext, defineTool, tools } from '@sluice/core-tools';
import { delegate } from './delegate.mjs';
import { assistant, lead as leadModel } from './models.mjs';

const text = { schema: { type: 'string' }, render: (_args, value) => [{ type: 'text', text: value }] };
const facts = { wall: 'The wall is 400 m long.', depth: 'It is 9 m deep.' };
const calls = [];

const ctx = createContext();
try {
  ctx.plugin(tools);
  ctx.plugin(agentLoop);
  ctx.tools.register(
    defineTool({
      name: 'look_up',
      description: 'Looks a word up.',
      parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
      output: text,
      annotations: { readOnlyHint: true },
      execute: ({ word }) => facts[word] ?? 'Nothing is known of it.',
    }),
  );
  ctx.tools.register(
    defineTool({
      name: 'write',
      description: 'Writes a note.',
      parameters: { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] },
      output: text,
      execute: () => assert.fail('nobody here may write'),
    }),
  );
  ctx.tools.register(delegate(assistant));

  const agent = ctx.agents.create({ name: 'lead', model: leadModel });
  agent.ctx.tools.guard((exec) => (exec.tool?.annotations?.readOnlyHint === true || exec.name === 'delegate' ? undefined : 'this agent only reads'));
  agent.ctx.on('tools/result', ({ scopePath, name }, result) => {
    calls.push(`${scopePath.join('/')} ${name}: ${result.isError ? result.error.info.code : 'ok'}`);
    console.log(`${'  '.repeat(scopePath.length - 1)}${scopePath.at(-1)} ${name}: ${result.content.map((block) => block.text).join(' ')}`);
  });

  const { text: answer, reason } = await agent.run('How big is the harbour?').ended;
  console.log(`\n${answer}`);

  assert.equal(reason, 'done');
  assert.equal(answer, 'The wall is 400 m long, and the harbour 9 m deep.');
  assert.deepEqual(calls.filter((call) => call.includes(' write')), ['lead/assistant-call-1 write: DENIED', 'lead/assistant-call-2 write: DENIED']);
  assert.equal(calls.filter((call) => call.includes(' look_up')).length, 2);
  const results = agent.session.events.filter(({ type }) => type === 'tool/result');
  assert.deepEqual(results.map(({ data }) => data.content[0].text), ['400 m', '9 m']);
} finally {
  await ctx.dispose();
}
