import type { ApprovalOutcome, ToolExecutionResult } from '@sluice/core-tools';
import { aHost, aTool, describePlugin, type Host } from '@sluice/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openSession, readSession, session, type AnySessionEvent } from '../src/index.ts';
import { os } from '../src/log-file.ts';
import { aFile } from './support.ts';

const opened: Host[] = [];
afterEach(async () => {
  for (const host of opened.splice(0)) await host.dispose();
});

function aScope(config: Parameters<typeof session.apply>[1] | object = {}): { host: Host; agent: Host['ctx'] } {
  const host = aHost();
  opened.push(host);
  const agent = host.ctx.scope('agent');
  agent.plugin(session, config);
  return { host, agent };
}
const types = (events: readonly AnySessionEvent[]): string[] => events.map(({ type }) => type);

describePlugin(() => session, {
  proof: async (ctx) => {
    ctx.tools.register(aTool({ name: 'outer', execute: async (_args, exec) => (await exec.execute({ name: 'inner' })).isError }));
    ctx.tools.register(aTool({ name: 'inner' }));
    await ctx.tools.execute({ name: 'outer' });
    expect(types(ctx.session.events)).toContain('tools/nested-call');
  },
});

describe('a scope with a log', () => {
  it('records calls that bodies make, and leaves a model\'s own calls to the loop', async () => {
    const { agent } = aScope();
    agent.tools.register(aTool({ name: 'outer', execute: async (_args, exec) => (await exec.execute({ name: 'inner', arguments: { a: 1 }, callId: 'n' })).isError }));
    agent.tools.register(aTool({ name: 'inner', execute: () => { throw new Error('no'); } }));
    await agent.tools.execute({ name: 'outer', callId: 'o' });
    expect(agent.session.events.map(({ type, data }) => [type, data])).toEqual([
      ['tools/nested-call', { id: expect.any(String) as string, callId: 'n', parentCallId: 'o', rootCallId: 'o', name: 'inner', arguments: { a: 1 } }],
      ['tools/nested-result', { id: expect.any(String) as string, callId: 'n', rootCallId: 'o', name: 'inner', content: [{ type: 'text', text: 'Error: no' }], isError: true, error: { name: 'Error', code: 'TOOL_FAILED' } }],
    ]);
  });

  it('records the calls of a program as its calls, each once [T303]', async () => {
    const { host, agent } = aScope();
    const child = agent.scope('child');
    child.plugin(session);
    host.ctx.provide('codeRuntime', {
      language: 'typescript',
      isolation: 'none',
      run: async ({ bindings }) => {
        const tools = bindings[0]?.functions ?? {};
        return { value: [await tools['inner']?.({ a: 1 }), await tools['fails']?.({}).catch(() => 'failed')] as never, logs: [] };
      },
    });
    host.ctx.tools.register(aTool({ name: 'inner' }));
    host.ctx.tools.register(aTool({ name: 'fails', execute: () => { throw new Error('no'); } }));
    for (const scope of [agent, child]) {
      scope.tools.presentAs('code');
      await scope.tools.execute({ name: 'run_code', callId: 'p', arguments: { code: '…', description: 'both' } });
    }
    const expected = [
      ['tools/code-dispatch-start', { id: expect.any(String) as string, callId: 'p:code:1', parentCallId: 'p', rootCallId: 'p', name: 'inner', arguments: { a: 1 } }],
      ['tools/code-dispatch', { id: expect.any(String) as string, callId: 'p:code:1', rootCallId: 'p', name: 'inner', content: [{ type: 'text', text: '{"a":1}' }], isError: false }],
      ['tools/code-dispatch-start', { id: expect.any(String) as string, callId: 'p:code:2', parentCallId: 'p', rootCallId: 'p', name: 'fails', arguments: {} }],
      ['tools/code-dispatch', { id: expect.any(String) as string, callId: 'p:code:2', rootCallId: 'p', name: 'fails', content: [{ type: 'text', text: 'Error: no' }], isError: true, error: { name: 'Error', code: 'TOOL_FAILED' } }],
    ];
    for (const scope of [agent, child]) expect(scope.session.events.map(({ type, data }) => [type, data])).toEqual(expected);
  });

  it('leaves what happens in a scope with its own log, or outside, to others', async () => {
    const { host, agent } = aScope();
    const child = agent.scope('child');
    child.plugin(session);
    const plain = agent.scope('plain');
    host.ctx.tools.register(aTool({ name: 'outer', execute: async (_args, exec) => (await exec.execute({ name: 'inner' })).isError }));
    host.ctx.tools.register(aTool({ name: 'inner' }));
    await child.tools.execute({ name: 'outer' });
    await host.ctx.tools.execute({ name: 'outer' });
    expect([agent.session.events.length, child.session.events.length]).toEqual([0, 2]);
    await plain.tools.execute({ name: 'outer' });
    expect([agent.session.events.length, child.session.events.length]).toEqual([2, 2]);
  });

  it('records questions about its calls and what came of them', async () => {
    const { host, agent } = aScope();
    host.ctx.provide('approval', {
      bind: (caller) => ({
        request(request) {
          const outcome: ApprovalOutcome = { kind: 'rejected', feedback: 'not today' };
          caller.emit('approval/asked', request);
          caller.emit('approval/asked', { ...request, scope: 'elsewhere' });
          caller.emit('approval/decided', request, outcome);
          return Promise.resolve(outcome);
        },
      }),
    });
    agent.tools.register(aTool());
    agent.on('tools/pre-execute', () => ({ kind: 'ask', reason: 'sure?' }));
    await agent.tools.execute({ name: 'echo', callId: 'c' });
    expect(agent.session.events.map(({ type, data }) => [type, data])).toEqual([
      ['approval/asked', { id: expect.any(String) as string, callId: 'c', toolName: 'echo', reason: 'sure?' }],
      ['approval/decided', { id: expect.any(String) as string, callId: 'c', outcome: { kind: 'rejected', feedback: 'not today' } }],
    ]);
  });

  it('has the log on the disk before a body that may change something, and does not wait for one that reads', async () => {
    const file = aFile();
    const { agent } = aScope({ file });
    const kept: Record<string, number> = {};
    for (const [name, readOnlyHint] of [['write', undefined], ['read', true]] as const) {
      agent.tools.register(aTool({ name, ...(readOnlyHint === undefined ? {} : { annotations: { readOnlyHint } }), execute: () => { kept[name] = readSession(file).events.length; return null; } }));
    }
    const fsync = vi.spyOn(os, 'fsync');
    agent.session.append('turn/start', { turn: 1 });
    await agent.tools.execute({ name: 'write' });
    expect([kept['write'], fsync.mock.calls.length]).toEqual([1, 1]);
    agent.session.append('turn/end', { turn: 1, reason: 'done' });
    await agent.tools.execute({ name: 'read' });
    expect(fsync).toHaveBeenCalledTimes(1);
  });

  it('runs no body that may change something once the log cannot be kept', async () => {
    const { agent } = aScope({ file: aFile() });
    const ran: string[] = [];
    for (const name of ['write', 'read']) agent.tools.register(aTool({ name, annotations: { readOnlyHint: name === 'read' }, execute: () => ran.push(name) }));
    vi.spyOn(os, 'fsync').mockRejectedValueOnce(Object.assign(new Error('disk'), { code: 'EIO' }));
    agent.session.append('turn/start', { turn: 1 });
    const results: ToolExecutionResult[] = [await agent.tools.execute({ name: 'write' }), await agent.tools.execute({ name: 'write' }), await agent.tools.execute({ name: 'read' })];
    expect(results.map((result) => (result.isError ? result.error.info : 'ok'))).toMatchObject([
      { code: 'PIPELINE_FAILED', started: false, listener: 'core-session' },
      { code: 'PIPELINE_FAILED', started: false },
      'ok',
    ]);
    expect(ran).toEqual(['read']);
    // The scope's end reports it as well; this one has been seen.
    await expect(agent.dispose()).rejects.toThrow();
  });

  it('tells listeners of the scope of each event', () => {
    const { host, agent } = aScope();
    const seen: unknown[] = [];
    host.ctx.scope('sibling').on('session/event', () => seen.push('no'));
    agent.on('session/event', (event, log) => seen.push(event.type, log === agent.session));
    agent.on('session/event', () => { throw new Error('no'); });
    agent.session.append('turn/start', { turn: 1 });
    expect(seen).toEqual(['turn/start', true]);
    expect(host.log.messages('error').length + host.log.messages('warn').length).toBe(1);
  });

  it('gives its file up at its end, and not one that was open before', async () => {
    const file = aFile();
    const first = aScope({ file });
    first.agent.session.append('turn/start', { turn: 1 });
    await first.agent.dispose();
    const log = openSession({ file });
    const second = aScope({ session: log });
    expect(second.agent.session).toBe(log);
    await second.agent.dispose();
    expect(log.append('turn/end', { turn: 1, reason: 'done' }).seq).toBe(2);
    await log.close();
  });
});
