import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { aHost, aTool } from '@sluice/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentLoop, contextOf, type Agent } from '../src/index.ts';
import { scriptedModel } from '../src/scripted.ts';
import { assertPaired, aWorld, calls, collect, tool } from './support.ts';

/** Calls in batches of `width`, each with its agent and number, and then the end. */
function talker(who: string, total: number, width: number): ReturnType<typeof scriptedModel> {
  return scriptedModel((_request, index) => {
    const numbers = Array.from({ length: Math.min(width, total - index * width) }, (_each, at) => index * width + at);
    return numbers.length === 0 ? `end of ${who}` : { calls: numbers.map((n) => ({ name: 'mark', callId: `${n}`, arguments: { who, n } })) };
  });
}

async function everybody(ctx: ReturnType<typeof aHost>['ctx'], agents: number, total: number, width: number): Promise<void> {
  const all: Agent[] = [];
  for (let index = 0; index < agents; index += 1) {
    const who = `agent-${index}`;
    const agent = ctx.agents.create({ name: who, model: talker(who, total, width), maxSteps: total + 1 });
    agent.ctx.on('tools/pre-execute', (exec, next) => ((exec.arguments as { who: string }).who === who ? next() : { kind: 'deny', reason: 'cross-talk' }));
    all.push(agent);
  }
  const ends = await Promise.all(all.map((agent) => agent.run('go').ended));
  all.forEach((agent, index) => {
    const who = `agent-${index}`;
    expect(ends[index]).toMatchObject({ reason: 'done', text: `end of ${who}`, toolCalls: total });
    const results = agent.session.events.flatMap((event) => (event.type === 'tool/result' ? [event.data] : []));
    expect(results.map(({ callId, isError, content }) => [callId, isError, content])).toEqual(
      Array.from({ length: total }, (_each, n) => [`${n}`, false, [{ type: 'text', text: `${who}:${n}` }]]),
    );
    expect(agent.session.events.map(({ seq }) => seq)).toEqual(agent.session.events.map((_event, at) => at + 1));
    assertPaired(agent);
  });
  for (const agent of all) await agent.dispose();
}

const mark = aTool({
  name: 'mark',
  isConcurrencySafe: ({ n }: { n: number }) => n % 3 > 0,
  output: { schema: { type: 'string' }, render: (_args, value: string) => [{ type: 'text', text: value }] },
  async execute(args) {
    const { who, n } = args as { who: string; n: number };
    if (n % 2 === 0) await Promise.resolve();
    return `${who}:${n}`;
  },
});

describe('many agents in one process', { timeout: 60_000 }, () => {
  it('do not hear each other, whatever their number and batches', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 12 }), fc.integer({ min: 1, max: 5 }), async (agents, total, width) => {
        await using host = aHost();
        host.ctx.plugin(agentLoop);
        host.ctx.tools.register(mark);
        await everybody(host.ctx, agents, total, width);
      }),
      { numRuns: 25 },
    );
  });

  it('make 100 calls each, 100 of them at once, and leave no memory behind', async () => {
    setFlagsFromString('--expose_gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    await using host = aHost();
    host.ctx.plugin(agentLoop);
    host.ctx.tools.register(mark);
    const before = host.ctx.inspect().counts;
    const heap = async (): Promise<number> => {
      await new Promise((resolve) => { setImmediate(resolve); });
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    await everybody(host.ctx, 100, 100, 10);
    const once = await heap();
    for (let round = 0; round < 2; round += 1) await everybody(host.ctx, 100, 100, 10);
    const grown = (await heap()) - once;
    expect(host.ctx.inspect().counts).toEqual(before);
    // 20,000 calls; one of them alone leaves about 2 kB in a log.
    expect(grown).toBeLessThan(5_000_000);
  });
});

describe('a sub-agent', () => {
  const delegate = (script: Parameters<typeof scriptedModel>[0], seen: Agent[] = []) =>
    tool('delegate', async (_args, exec) => {
      const agent = (contextOf(exec.scopePath) as NonNullable<ReturnType<typeof contextOf>>).agents.create({ name: `sub-${exec.id}`, model: scriptedModel(script) });
      seen.push(agent);
      try {
        return (await agent.run('do it', { signal: exec.signal }).ended).text;
      } finally {
        await agent.dispose();
      }
    });

  it('is held by every gate of its parent, and not by those of others', async () => {
    const seen: Agent[] = [];
    const { host, agent, run } = aWorld({ script: [calls('delegate', 'shell'), 'done'], tools: [delegate([calls('shell', 'read'), 'it is done'], seen), tool('shell'), tool('read')] });
    agent.ctx.tools.guard(({ name }) => (name === 'shell' ? 'no shell here' : undefined));
    host.ctx.scope('stranger').tools.guard(() => 'nothing at all');
    await run();
    const results = seen[0]?.session.events.flatMap((event) => (event.type === 'tool/result' ? [event.data.error?.code ?? 'ok'] : []));
    expect(results).toEqual(['DENIED', 'ok']);
    expect(seen[0]?.ctx.scopePath).toEqual(['agent', expect.stringMatching(/^sub-/)]);
    const said = agent.session.deriveMessages().flatMap((message) => (message.role === 'tool' ? [message.content] : []));
    expect(said[0]).toEqual([{ type: 'text', text: '"it is done"' }]);
  });

  it('has a log of its own: nothing of it is in its parent\'s conversation', async () => {
    const seen: Agent[] = [];
    const { agent, run } = aWorld({ script: [calls('delegate'), 'done'], tools: [delegate([calls('read'), 'x'], seen), tool('read')] });
    const events = collect(agent.run('go'));
    await events;
    expect(agent.session.events.map(({ type }) => type)).toEqual(['turn/start', 'user/message', 'prompt/set', 'assistant/message', 'tool/call', 'tool/result', 'assistant/message', 'turn/end']);
    expect((await events).filter(({ type }) => type === 'tool-call')).toHaveLength(1);
    expect(seen[0]?.session.events).toHaveLength(8);
    expect(run).toBeTypeOf('function');
  });

  it('ends with its parent\'s call', async () => {
    const seen: Agent[] = [];
    const controller = new AbortController();
    const { agent, run } = aWorld({ script: [calls('delegate')], tools: [delegate([{ text: 'thinking', until: new Promise(() => undefined) }], seen)] });
    const ended = run('go', controller.signal);
    await new Promise((resolve) => { setImmediate(resolve); });
    controller.abort();
    expect((await ended).reason).toBe('aborted');
    expect(seen[0]?.session.events.at(-1)).toMatchObject({ type: 'turn/end', data: { reason: 'aborted' } });
    assertPaired(agent);
  });
});
