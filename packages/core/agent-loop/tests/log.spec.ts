import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSession, readSession, type SessionMessage } from '@sluice/core-session';
import { systemPrompt } from '@sluice/core-system-prompt';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { promptOf } from '../src/prompt.ts';
import { scriptedModel, type ScriptedReply } from '../src/scripted.ts';
import { assertPaired, aWorld, calls, outcomes, tool, types } from './support.ts';

function aFile(): string {
  const path = mkdtempSync(join(tmpdir(), 'agent-'));
  onTestFinished(() => { rmSync(path, { recursive: true, force: true }); });
  return join(path, 'log.jsonl');
}

describe('what the model sees', () => {
  it('is what the log says, at every request, whatever it asked for', async () => {
    const reply = fc.oneof(
      fc.record({ text: fc.string(), reasoning: fc.string(), calls: fc.array(fc.record({ name: fc.constantFrom('ok', 'fails', 'defers', 'unknown'), argumentsText: fc.constantFrom('', '{}', '{"a":1}', 'nonsense') }), { maxLength: 4 }) }),
      fc.constant('just words'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(reply, { minLength: 1, maxLength: 6 }), async (script) => {
        const world = aWorld({
          script: [...script, 'end'] as ScriptedReply[],
          tools: [tool('ok'), tool('fails', () => { throw new Error('no'); }), tool('defers', (_args, exec) => { exec.deferContext({ source: 'd', content: [{ type: 'text', text: 'c' }] }); return 1; })],
        });
        const { agent, model, run } = world;
        const derived: (readonly SessionMessage[])[] = [];
        agent.ctx.on('agent/request', (_info, next) => { derived.push(agent.session.deriveMessages()); return next(); });
        while (model.requests.length <= script.length && (await run()).reason !== 'model-error');
        expect(model.requests.map(({ prompt }) => prompt)).toEqual(derived.map((messages) => promptOf('', messages, 'v3')));
        assertPaired(agent);
        await world.host.dispose();
      }),
      { numRuns: 30 },
    );
  });

  it('includes the prompt, written once and again when it changes', async () => {
    const { agent, model, run } = aWorld({ script: [calls('a'), 'x', 'y'], tools: [tool('a')], instructions: 'You are terse.' });
    await run();
    agent.ctx.tools.register(tool('b'));
    await run();
    const prompts = agent.session.events.flatMap((event) => (event.type === 'prompt/set' ? [[event.data.system, event.data.tools.map(({ name }) => name)]] : []));
    expect(prompts).toEqual([['You are terse.', ['a']], ['You are terse.', ['a', 'b']]]);
    expect(model.requests.map(({ tools }) => tools?.length)).toEqual([1, 1, 2]);
    expect(model.requests[0]).toMatchObject({ prompt: [{ role: 'system', content: 'You are terse.' }, {}], tools: [{ type: 'function', name: 'a', description: expect.any(String) as string, inputSchema: { type: 'object' } }] });
  });

  it('includes the prompt service, when there is one', async () => {
    const { host, agent, model, run } = aWorld({ script: ['x', 'y'], tools: [tool('b'), tool('a')], instructions: 'First.' });
    await run();
    host.ctx.plugin(systemPrompt);
    agent.ctx.systemPrompt.section({ name: 's', text: '{{second}}' });
    await run();
    expect(model.requests.map(({ prompt, tools = [] }) => [prompt[0], tools.map((each) => (each as { name: string }).name)])).toEqual([
      [{ role: 'system', content: 'First.' }, ['b', 'a']],
      [{ role: 'system', content: 'First.\n\n{{second}}' }, ['a', 'b']],
    ]);
  });

  it('includes the description of programs without that service', async () => {
    const { agent, model, run } = aWorld({ script: ['x'], tools: [tool('read')] });
    agent.ctx.provide('codeRuntime', { language: 'typescript', isolation: 'none', run: () => Promise.resolve({ logs: [] }) });
    agent.ctx.tools.presentAs('code');
    await run();
    const [request] = model.requests;
    expect((request?.prompt[0] as { content: string }).content).toMatch(/only tool you can call directly is `run_code`[^]*read/);
    expect(request?.tools).toMatchObject([{ name: 'run_code' }]);
  });

  it('is what a listener on agent/request made of it, and the log says that it was', async () => {
    const { agent, model, run } = aWorld({ script: ['x', 'y'], tools: [tool('a')], settings: { temperature: 0 } });
    agent.ctx.on('agent/request', async ({ turn }, next) => {
      const request = await next();
      return turn === 1 ? request : { ...request, system: 'Short.', messages: request.messages.slice(-1), tools: [], settings: { ...request.settings, maxOutputTokens: 5 } };
    });
    await run('one');
    await run('two');
    expect(model.requests[1]).toMatchObject({ temperature: 0, maxOutputTokens: 5, prompt: [{ role: 'system', content: 'Short.' }, { role: 'user', content: [{ text: 'two' }] }] });
    expect(model.requests[1]).not.toHaveProperty('tools');
    const changed = agent.session.events.filter(({ type }) => type === 'agent/request-changed');
    expect(changed.map(({ data }) => data)).toEqual([{ turn: 2, step: 1, messages: [{ role: 'user', content: [{ type: 'text', text: 'two' }] }] }]);
    expect(agent.session.prompt).toEqual({ system: 'Short.', tools: [] });
    expect(agent.session.deriveMessages()).toHaveLength(4);
  });
});

describe('a conversation in a file', () => {
  it('goes on in another process where it stopped', async () => {
    const file = aFile();
    const first = aWorld({ script: [calls('a'), 'one'], tools: [tool('a')], session: { file, id: 'talk' } });
    await first.run('first');
    const told = first.agent.session.deriveMessages();
    await first.host.dispose();
    const second = aWorld({ script: ['two'], session: { file } });
    expect([second.agent.session.id, second.agent.session.deriveMessages()]).toEqual(['talk', told]);
    expect(await second.run('second')).toMatchObject({ turn: 2, text: 'two' });
    expect(second.model.requests[0]?.prompt).toHaveLength(told.length + 1);
  });

  it('goes on after a crash at any event, with every call answered and nothing called cancelled', async () => {
    const file = aFile();
    const first = aWorld({ script: [calls('a', 'b', 'a'), calls('b'), 'one'], tools: [tool('a'), tool('b')], session: { file } });
    await first.run('first');
    await first.host.dispose();
    const lines = readFileSync(file, 'utf8').split('\n').filter((line) => line !== '');
    for (let kept = 1; kept <= lines.length; kept += 1) {
      writeFileSync(file, `${lines.slice(0, kept).join('\n')}\n{"seq":${kept},"torn`);
      const next = aWorld({ script: ['on'], session: { file } });
      expect(outcomes(next.agent).every((each) => /:(ok|OUTCOME_UNKNOWN|NOT_STARTED)$/.test(each)), `kept ${kept}`).toBe(true);
      expect((await next.run('go on')).reason).toBe('done');
      assertPaired(next.agent);
      await next.host.dispose();
    }
  });

  it('is on the disk when a body begins that may change something, and when the turn is over', async () => {
    const file = aFile();
    const inBody: string[][] = [];
    const { run } = aWorld({ script: [calls('a', 'a'), 'x'], tools: [tool('a', () => inBody.push(types(readSession(file).events)))], session: { file } });
    await run();
    expect(inBody.map((each) => each.at(-1))).toEqual(['tool/call', 'tool/call']);
    expect(types(readSession(file).events).at(-1)).toBe('turn/end');
  });

  it('that cannot be kept any more ends the turn, and says so', async () => {
    const file = aFile();
    const session = openSession({ file });
    const { run } = aWorld({ script: [calls('a'), 'x'], tools: [tool('a', () => void session.close())], session });
    expect(await run()).toMatchObject({ reason: 'failed', cause: { code: 'SESSION_CLOSED' } });
    await session.close();
  });

  it('has the end of the turn that a disposal broke off', async () => {
    const file = aFile();
    const { agent, run } = aWorld({ script: [calls('a', 'a')], tools: [tool('a', (_args, exec) => new Promise((resolve) => { exec.signal.addEventListener('abort', () => { setImmediate(resolve, 1); }); }))], session: { file } });
    const ended = run();
    while (!types(agent.session.events).includes('tool/call')) await new Promise((resolve) => { setImmediate(resolve); });
    await agent.dispose();
    expect((await ended).reason).toBe('aborted');
    expect(types(readSession(file).events).slice(-5)).toEqual(['tool/call', 'tool/result', 'tool/call', 'tool/result', 'turn/end']);
  });

  it('stays open when the agent goes, if it was open before', async () => {
    const session = openSession();
    const { agent, run } = aWorld({ session });
    await run();
    await agent.dispose();
    expect(agent.session).toBe(session);
    expect(session.append('user/message', { content: [{ type: 'text', text: 'x' }] }).seq).toBe(6);
  });

  it('that is no log creates no agent', () => {
    const file = aFile();
    writeFileSync(file, 'hello\n');
    const { host } = aWorld();
    expect(() => host.ctx.agents.create({ name: 'b', model: scriptedModel([]), session: { file } })).toThrow(expect.objectContaining({ code: 'SESSION_NOT_A_LOG' }) as Error);
  });
});
