// A tool whose body is an agent. It lives in the scope of its call: whatever gates stand around the caller stand around
// it, its signal is the call's, and it ends with it. It cannot delegate further: it does not see this tool.
import { contextOf } from '@sluice/core-agent-loop';
import { defineTool } from '@sluice/core-tools';

export function delegate(modelFor) {
  return defineTool({
    name: 'delegate',
    description: 'Has an assistant look something up. It knows nothing but the task that you give it.',
    parameters: { type: 'object', properties: { task: { type: 'string' } }, required: ['task'], additionalProperties: false },
    output: { schema: { type: 'string' }, render: (_args, answer) => [{ type: 'text', text: answer }] },
    isConcurrencySafe: () => true,
    async execute({ task }, exec) {
      const agent = contextOf(exec.scopePath).agents.create({ name: `assistant-${exec.callId}`, model: modelFor(task), maxSteps: 5 });
      try {
        agent.ctx.tools.restrict({ deny: ['delegate'] });
        const { reason, text } = await agent.run(task, { signal: exec.signal }).ended;
        return reason === 'done' ? text : `The assistant did not finish (${reason}).`;
      } finally {
        await agent.dispose();
      }
    },
  });
}
