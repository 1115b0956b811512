import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { approval } from '@sluice/approval';
import { agentLoop } from '@sluice/core-agent-loop';
import { scriptedModel } from '@sluice/core-agent-loop/scripted';
import { openSession, readSession } from '@sluice/core-session';
import { createContext, tools, type CodeRuntime, type Context, type JsonValue } from '@sluice/core-tools';
import { aTool } from '@sluice/testing';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { renderSession, renderTerminal, sessionRows } from '../src/index.ts';
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

async function aTurn(ctx: Context, session: { file?: string } = {}) {
  const agent = ctx.agents.create({ name: 'planner', model: scriptedModel(script), session });
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

it('leaves nothing of what is going on behind, also when a key that was pressed meanwhile was echoed', async () => {
  const output = new Glass(60, 12);
  const ctx = createContext();
  contexts.push(ctx);
  ctx.plugin(tools);
  ctx.plugin(renderTerminal, { output });
  let end = (): void => undefined;
  ctx.tools.register(aTool({ name: 'wait', execute: () => new Promise((resolve) => { end = () => { resolve('waited'); }; }) }));
  const call = ctx.tools.execute({ name: 'wait', arguments: {} });
  await vi.waitFor(() => { expect(output.written).toContain('… wait'); });
  output.write('^C');
  end();
  await call;
  await vi.waitFor(async () => { expect((await output.screen())[0]).toBe('✓ wait'); });
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

/** A turn that leaves its file, and what was on the screen when it was over. */
async function aFile(): Promise<{ file: string; screen: string; reader: Context; directory: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-replay-'));
  onTestFinished(() => { rmSync(directory, { recursive: true }); });
  const ctx = aWorld();
  const output = new Paper();
  ctx.plugin(renderTerminal, { output, width: 60, colors: true });
  const file = join(directory, 'session.jsonl');
  const { agent } = await aTurn(ctx, { file });
  await agent.dispose();
  const reader = ctx.scope('reader');
  reader.tools.presentAs('both');
  return { file, screen: output.text, reader, directory };
}

it('draws from the file, byte for byte and colours included, what was on the screen', async () => {
  const { file, screen, reader } = await aFile();
  const rows = [...sessionRows(readSession(file).events, { width: 60, colors: true, tools: reader.tools })];
  expect(rows.map((row) => `${row}\n`).join('')).toBe(screen);
});

it('draws from a file that lost its end, however much of it, what is whole of the same screen; it opens, and goes on', { timeout: 60_000 }, async () => {
  const { file, screen, reader, directory } = await aFile();
  const whole = screen.split('\n').slice(0, -1);
  const bytes = readFileSync(file);
  // Every length that the last 2 KB leave, and every thirteenth below.
  for (let length = bytes.length; length >= 0; length -= length > bytes.length - 2_048 ? 1 : 13) {
    const torn = join(directory, 'torn.jsonl');
    writeFileSync(torn, bytes.subarray(0, length));
    const rows = [...sessionRows(readSession(torn).events, { width: 60, colors: true, tools: reader.tools })];
    let same = 0;
    while (same < rows.length && rows[same] === whole[same]) same += 1;
    // What follows has no result in this file: calls that are pending.
    if (same < rows.length) expect(plainly(rows[same] ?? '')).toMatch(/^[…?] /);
    if (length % 97 !== 0 && length !== bytes.length) continue;
    const session = openSession({ file: torn });
    session.repair();
    expect(session.turn.isOpen).toBe(false);
    expect(renderSession(session.events, { width: 60, tools: reader.tools })).not.toMatch(/^… /m);
    await session.close();
  }
});

// eslint-disable-next-line no-control-regex -- the colours
const plainly = (row: string): string => row.replaceAll(/\x1b\[\d*m/g, '');
