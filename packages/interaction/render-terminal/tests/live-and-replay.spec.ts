import { approval } from '@sluice/approval';
import { agentLoop } from '@sluice/core-agent-loop';
import { scriptedModel } from '@sluice/core-agent-loop/scripted';
import { createContext, tools, type CodeRuntime, type Context, type JsonValue } from '@sluice/core-tools';
import { aTool } from '@sluice/testing';
import { afterEach, expect, it } from 'vitest';
import { renderSession, renderTerminal } from '../src/index.ts';
import { Glass, Paper } from './paper.ts';

const contexts: Context[] = [];
afterEach(async () => {
  for (const ctx of contexts.splice(0)) await ctx.dispose();
});

type Call = (args: JsonValue) => Promise<JsonValue>;

/** Runs no program at all: makes the two calls that the test is about. */
const runtime: CodeRuntime = {
  language: 'typescript',
  isolation: 'worker',
  async run({ bindings }) {
    const { read, edit } = bindings[0]?.functions as Record<string, Call>;
    await Promise.all([read?.({ path: 'a.ts' }), edit?.({ path: 'b.ts' })]);
    return { value: 'two calls made', logs: ['working'] };
  },
};

function aWorld(): Context {
  const ctx = createContext();
  contexts.push(ctx);
  ctx.plugin(tools);
  ctx.plugin(approval);
  ctx.plugin(agentLoop);
  ctx.provide('codeRuntime', runtime);
  const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
  ctx.tools.register(
    aTool({
      name: 'read',
      parameters: path,
      isConcurrencySafe: () => true,
      output: { schema: {}, render: () => [{ type: 'text', text: 'one\ntwo' }] },
      execute: async ({ path: file }, exec) => {
        exec.progress({ message: `reading ${JSON.stringify(file)}`, completed: 1, total: 2 });
        await Promise.resolve();
        return file ?? null;
      },
      presentCall: (args: { path: string }) => ({ card: 'locations', title: `Read ${args.path}`, locations: [{ path: args.path }] }),
    }),
  );
  ctx.tools.register(
    aTool({
      name: 'edit',
      parameters: path,
      output: { schema: {}, render: () => [{ type: 'text', text: 'edited' }], presentationMeta: () => ({ was: 'hello\n' }) },
      execute: () => 'edited',
      presentCall: (args: { path: string }) => ({ card: 'diff', title: `Edit ${args.path}`, diffs: [{ path: args.path, oldText: 'hello\n', newText: 'good morning\n' }] }),
      presentResult: (args: { path: string }, { meta, isError }) =>
        isError || meta === undefined ? undefined : { card: 'diff', diffs: [{ path: args.path, oldText: (meta as { was: string }).was, newText: 'good morning\n' }] },
    }),
  );
  ctx.tools.guard(({ name }) => (name === 'edit' ? { ask: 'it changes a file' } : undefined));
  ctx.on('approval/request', () => Promise.resolve({ kind: 'allowed-once' }));
  ctx.on('tools/post-execute', async (exec, _result, next) => {
    const decision = await next();
    if (exec.name !== 'read') return decision;
    return { ...decision, additionalContexts: [{ source: 'reminder', content: [{ type: 'text', text: 'You have read that.' }] }] };
  });
  return ctx;
}

const script = [
  {
    reasoning: 'Look first.',
    text: 'I will look.',
    calls: [
      { name: 'read', arguments: { path: 'a.ts' } },
      { name: 'edit', arguments: { path: 'a.ts' } },
      { name: 'read', argumentsText: '{"path"' },
      { name: 'nobody', arguments: {} },
    ],
  },
  { calls: [{ name: 'run_code', arguments: { code: 'await tools.read();\nreturn 1;', description: 'Read and edit' } }] },
  'All done.',
];

const DRAWN = `\
> Tidy up.
~ Look first.
  I will look.
✓ Read a.ts
│   one
│   two
? allow Edit a.ts? it changes a file
= allowed, this once
✓ Edit a.ts
│   @ line 1
│   - hello
│   + good morning
✗ read
│   {"path"
│   INVALID_ARGS
│   Error: invalid arguments: arguments is incomplete JSON:
│   the text is cut off at position 7 inside "path"
│   Nothing ran. Correct the arguments and call again.
✗ nobody
│   UNKNOWN_TOOL
│   Error: unknown tool "nobody"
│   Use one of the tools you were given.
! reminder: You have read that.
! reminder: You have read that.
? allow Edit b.ts? it changes a file
= allowed, this once
✓ Read and edit
│   await tools.read();
│   return 1;
│ ✓ Read a.ts
│ │   one
│ │   two
│ ✓ Edit b.ts
│ │   edited
│   working
│   two calls made
! reminder: You have read that.
  All done.`.split('\n');

async function aTurn(ctx: Context) {
  const agent = ctx.agents.create({ name: 'planner', model: scriptedModel(script) });
  agent.ctx.tools.presentAs('both');
  const { reason } = await agent.run('Tidy up.').ended;
  return { agent, reason };
}

it('draws a session live exactly as a replay of its log draws it', async () => {
  const ctx = aWorld();
  const output = new Paper();
  ctx.plugin(renderTerminal, { output, width: 60 });
  const { agent, reason } = await aTurn(ctx);
  expect(reason).toBe('done');
  const replay = renderSession(agent.session.events, { width: 60, tools: agent.ctx.tools }).split('\n');
  expect(output.lines).toEqual(replay);
  expect(output.lines).toEqual(DRAWN);
});

it('leaves the same on a terminal, whatever it drew in between', async () => {
  const ctx = aWorld();
  const output = new Glass(60, 12);
  ctx.plugin(renderTerminal, { output, colors: true });
  const { agent } = await aTurn(ctx);
  const replay = renderSession(agent.session.events, { width: 60, tools: agent.ctx.tools }).split('\n');
  expect(await output.screen()).toEqual(replay);
  expect(output.written).toContain('\x1b[J');
});

it('draws a log up to any event: what has no result comes last, as pending', async () => {
  const ctx = aWorld();
  const { agent } = await aTurn(ctx);
  const { events } = agent.session;
  const whole = renderSession(events, { tools: agent.ctx.tools });
  for (let end = 0; end <= events.length; end += 1) {
    const rows = renderSession(events.slice(0, end), { tools: agent.ctx.tools }).split('\n');
    const firstPending = rows.findIndex((row) => /^[…?] /.test(row) && !row.startsWith('? allow'));
    const settled = firstPending < 0 ? rows : rows.slice(0, firstPending);
    expect(whole.startsWith(settled.join('\n'))).toBe(true);
  }
});
