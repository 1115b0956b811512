import { approval } from '@sluice/approval';
import { createContext, tools, type ApprovalOutcome, type Context } from '@sluice/core-tools';
import { aGate, aTool } from '@sluice/testing';
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { renderTerminal } from '../src/index.ts';
import { Glass, Paper } from './paper.ts';

let ctx: Context;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  ctx = createContext();
  ctx.plugin(tools);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  await ctx.dispose();
});

/** A tool that says where it is, waits, and then is done. */
function slow(name = 'slow') {
  const gate = aGate();
  ctx.tools.register(
    aTool({
      name,
      parameters: { type: 'object' },
      execute: async (_args, exec) => {
        exec.progress({ message: 'half-way\x1b[2J', completed: 1, total: 2 });
        await gate.opened;
        return 'done';
      },
    }),
  );
  return gate;
}

describe('on a terminal', () => {
  it('shows what is going on, and replaces it by what came of it', async () => {
    const output = new Glass(40);
    ctx.plugin(renderTerminal, { output });
    const gate = slow();
    const call = ctx.tools.execute({ name: 'slow' });
    await vi.advanceTimersByTimeAsync(50);
    expect(await output.screen()).toEqual(['… slow', '│   1 of 2: half-way\\x1b[2J']);
    gate.open();
    await call;
    expect(await output.screen()).toEqual(['✓ slow', '│   "done"']);
  });

  it('draws no more often than there is something to see', async () => {
    const output = new Glass(40);
    ctx.plugin(renderTerminal, { output });
    ctx.tools.register(aTool({ name: 'busy', parameters: { type: 'object' }, execute: (_args, exec) => {
      for (let i = 0; i < 1_000; i += 1) exec.progress({ completed: i });
      return 1;
    } }));
    await ctx.tools.execute({ name: 'busy' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(output.written.length).toBeLessThan(200);
  });

  it('keeps what is going on within the height', async () => {
    const output = new Glass(40, 4);
    ctx.plugin(renderTerminal, { output });
    const gates = Array.from({ length: 9 }, (_, index) => slow(`slow_${index}`));
    const calls = gates.map((_, index) => ctx.tools.execute({ name: `slow_${index}` }));
    await vi.advanceTimersByTimeAsync(50);
    expect(await output.screen()).toEqual(['… slow_0', '│   1 of 2: half-way\\x1b[2J', '… slow_1']);
    for (const gate of gates) gate.open();
    await Promise.all(calls);
    expect(await output.screen()).toEqual(gates.flatMap((_, index) => [`✓ slow_${index}`, '│   "done"']));
  });

  it('leaves the terminal to whoever asks a person, and tells of the question first', async () => {
    const output = new Glass(40);
    ctx.plugin(approval);
    ctx.plugin(renderTerminal, { output });
    ctx.tools.guard(({ name }) => (name === 'asked' ? { ask: 'it matters' } : undefined));
    ctx.tools.register(aTool({ name: 'asked', parameters: { type: 'object' } }));
    ctx.tools.register(aTool({ name: 'other', parameters: { type: 'object' } }));
    let answer!: (outcome: ApprovalOutcome) => void;
    const waiting = new Promise<ApprovalOutcome>((resolve) => { answer = resolve; });
    ctx.on('approval/request', () => waiting);
    const asked = ctx.tools.execute({ name: 'asked' });
    await vi.advanceTimersByTimeAsync(50);
    expect(await output.screen()).toEqual(['? allow asked? it matters']);
    const before = output.written;
    await ctx.tools.execute({ name: 'other' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(output.written).toBe(before);
    answer({ kind: 'rejected', feedback: 'not now' });
    await asked;
    expect(await output.screen()).toEqual([
      '? allow asked? it matters', '✓ other', '│   {}', '= rejected: not now',
      '✗ asked', '│   APPROVAL_REJECTED', '│   Error: the user rejected tool', '│   "asked": not now',
    ]);
  });

  it('leaves nothing half-drawn when it became narrower', async () => {
    const output = new Glass(60);
    ctx.plugin(renderTerminal, { output });
    const gate = slow('a_rather_long_name_of_a_tool_for_a_narrow_terminal');
    const call = ctx.tools.execute({ name: 'a_rather_long_name_of_a_tool_for_a_narrow_terminal' });
    await vi.advanceTimersByTimeAsync(50);
    await output.screen();
    output.resize(30);
    gate.open();
    await call;
    expect(await output.screen()).toEqual(['✓ a_rather_long_name_of_a_tool', '┆ _for_a_narrow_terminal', '│   "done"']);
  });

  it('leaves what was going on when it is unmounted', async () => {
    const output = new Glass(40);
    const handle = ctx.plugin(renderTerminal, { output });
    const gate = slow();
    const call = ctx.tools.execute({ name: 'slow' });
    await handle.dispose();
    gate.open();
    await call;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await output.screen()).toEqual(['… slow', '│   1 of 2: half-way\\x1b[2J']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([['NO_COLOR', '1', false], ['NO_COLOR', '', true]])('with %s=%j, painted: %j', async (name, value, isPainted) => {
    vi.stubEnv('TERM', 'xterm');
    vi.stubEnv(name, value);
    const output = new Glass(40);
    ctx.plugin(renderTerminal, { output });
    ctx.tools.register(aTool({ parameters: { type: 'object' } }));
    await ctx.tools.execute({ name: 'echo' });
    expect(output.written.includes('\x1b[1m')).toBe(isPainted);
  });

  it('a dumb terminal gets plain lines', async () => {
    vi.stubEnv('TERM', 'dumb');
    const output = new Glass(40);
    ctx.plugin(renderTerminal, { output });
    const gate = slow();
    const call = ctx.tools.execute({ name: 'slow' });
    await vi.advanceTimersByTimeAsync(50);
    gate.open();
    await call;
    expect(output.written).toBe('✓ slow\n│   "done"\n');
  });
});

describe('without a terminal', () => {
  it('writes plain lines, each once, also while a person is asked', async () => {
    const output = new Paper();
    ctx.plugin(approval);
    ctx.plugin(renderTerminal, { output });
    ctx.tools.guard(() => ({ ask: 'it matters' }));
    ctx.tools.register(aTool({ parameters: { type: 'object' } }));
    ctx.on('approval/request', () => {
      expect(output.text).toBe('? allow echo? it matters\n');
      return Promise.resolve({ kind: 'allowed-always', rule: { tool: 'echo', decision: 'allow', remember: 'session' } });
    });
    await ctx.tools.execute({ name: 'echo' });
    expect(output.lines).toEqual([
      '? allow echo? it matters',
      '= allowed, always: {"tool":"echo","decision":"allow","remember":"session"}',
      '✓ echo',
      '│   {}',
    ]);
  });

  it('an output that fails harms no call, and no process', async () => {
    class Broken extends EventEmitter {
      write(): never {
        this.emit('error', new Error('EPIPE'));
        throw new Error('EPIPE');
      }
    }
    const output = new Broken();
    const handle = ctx.plugin(renderTerminal, { output });
    ctx.tools.register(aTool({ parameters: { type: 'object' } }));
    expect(await ctx.tools.execute({ name: 'echo' })).toMatchObject({ isError: false });
    await handle.dispose();
    expect(output.listenerCount('error')).toBe(0);
  });
});

describe('calls of bodies', () => {
  it('stand below the call that made them; the reminders of a result come after it', async () => {
    const output = new Paper();
    ctx.plugin(renderTerminal, { output });
    ctx.tools.register(aTool({ name: 'inner', parameters: { type: 'object' } }));
    ctx.tools.register(aTool({ name: 'outer', parameters: { type: 'object' }, execute: async (_args, exec) => {
      exec.deferContext({ source: 'outer', content: [{ type: 'text', text: 'Mind the gap.' }] });
      await exec.executeAll([{ name: 'inner', arguments: { n: 1 } }, { name: 'missing' }]);
      return 'both made';
    } }));
    await ctx.tools.execute({ name: 'outer' });
    expect(output.lines).toEqual([
      '✓ outer', '│ ✓ inner {"n":1}', '│ │   {"n":1}', '│ ✗ missing', '│ │   UNKNOWN_TOOL',
      '│ │   Error: unknown tool "missing"', '│ │   Use one of the tools you were given.', '│   "both made"', '! outer: Mind the gap.',
    ]);
  });

  it('scopes that speak in turn are named', async () => {
    const output = new Paper();
    ctx.plugin(renderTerminal, { output });
    ctx.tools.register(aTool({ parameters: { type: 'object' } }));
    await ctx.scope('one').tools.execute({ name: 'echo' });
    await ctx.scope('two').tools.execute({ name: 'echo' });
    await ctx.tools.execute({ name: 'echo' });
    expect(output.lines).toEqual(['✓ echo', '│   {}', '── two', '✓ echo', '│   {}', '── root', '✓ echo', '│   {}']);
  });
});
