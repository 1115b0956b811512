import { answeredElsewhere, approval, approvals, type ApprovalOutcome } from '@sluice/approval';
import { createContext, tools, type Context } from '@sluice/core-tools';
import { aCall, aLogger, aTool } from '@sluice/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { approvalCli } from '../src/index.ts';
import { FakeTerminal } from './fake-terminal.ts';

const opened: Context[] = [];

afterEach(async () => {
  for (const ctx of opened.splice(0)) {
    await ctx.dispose();
    expect(ctx.inspect().counts).toMatchObject({ plugins: 0, listeners: 0, services: 0, running: 0 });
  }
});

/** A context in which everything is asked, at this terminal. */
function aBed(terminal = new FakeTerminal()) {
  const log = aLogger();
  const ctx = createContext({ logger: log });
  opened.push(ctx);
  ctx.plugin(tools);
  ctx.plugin(approval);
  const handle = ctx.plugin(approvalCli, { input: terminal.input, output: terminal.output });
  ctx.tools.register(aTool());
  ctx.on('tools/pre-execute', () => ({ kind: 'ask' }));
  const outcomes: ApprovalOutcome[] = [];
  ctx.on('approval/decided', (_request, outcome) => outcomes.push(outcome));
  return { ctx, terminal, handle, outcomes, log };
}

/** Provided as any other package would. */
function someRules(ctx: Context, rules: object): void {
  (ctx.provide as unknown as (name: string, service: object) => void)('rules', rules);
}

describe('without a terminal', () => {
  it('is unavailable at once, reads nothing; whoever runs the program is told once what to do, and the model is not [H093]', async () => {
    const { ctx, terminal, log } = aBed(new FakeTerminal({ isTTY: false }));
    const result = await ctx.tools.execute(aCall());
    expect(result).toMatchObject({ error: { info: { code: 'APPROVAL_UNAVAILABLE' }, message: expect.stringContaining('standard input is not a terminal') } });
    expect(JSON.stringify(result)).not.toMatch(/answerer|decide by rules|approval\/request/);
    await ctx.tools.execute(aCall());
    expect(log.entries.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([expect.stringMatching(/run it in a terminal, mount another answerer/)]);
    expect(terminal.leftovers()).toEqual({ listeners: [], isRaw: false, isFlowing: null });
    expect(terminal.written).toBe('');
  });

  it('is unavailable when there is nothing to draw on', async () => {
    const [keyboard, file] = [new FakeTerminal(), new FakeTerminal({ isTTY: false })];
    const { ctx } = aBed(Object.assign(new FakeTerminal(), { input: keyboard.input, output: file.output }));
    expect(await ctx.tools.execute(aCall())).toMatchObject({ error: { info: { code: 'APPROVAL_UNAVAILABLE' } } });
  });

  it('leaves the question to answerers mounted after it', async () => {
    const { ctx } = aBed(new FakeTerminal({ isTTY: false }));
    ctx.on('approval/request', () => ({ kind: 'allowed-once' }));
    expect(await ctx.tools.execute(aCall())).toMatchObject({ isError: false });
  });
});

describe('the terminal', () => {
  it('is left as it was found: mode, flow, listeners', async () => {
    const { ctx, terminal } = aBed();
    for (const [isRaw, isFlowing] of [[true, true], [false, false]] as const) {
      terminal.input.setRawMode(isRaw);
      if (isFlowing) terminal.input.resume();
      else terminal.input.pause();
      const drawn = terminal.until('y once');
      const call = ctx.tools.execute(aCall());
      await drawn;
      expect(terminal.leftovers()).toMatchObject({ isRaw: true, isFlowing: true });
      terminal.type('n');
      await call;
      expect(terminal.leftovers()).toEqual({ listeners: [], isRaw, isFlowing });
    }
  });

  it('is taken by one question at a time, also when several are mounted on it in several scopes', async () => {
    const terminal = new FakeTerminal();
    const ctx = createContext({ logger: aLogger() });
    opened.push(ctx);
    ctx.plugin(tools);
    ctx.plugin(approval);
    ctx.on('tools/pre-execute', () => ({ kind: 'ask' }));
    ctx.tools.register(aTool());
    const scopes = ['a', 'b'].map((name) => ctx.scope(name));
    for (const scope of scopes) scope.plugin(approvalCli, { input: terminal.input, output: terminal.output });
    const first = terminal.until('y once');
    const calls = scopes.map((scope) => scope.tools.execute(aCall()));
    await first;
    expect([terminal.written.includes('scope: a'), terminal.written.includes('scope: b')]).toEqual([true, false]);
    const second = terminal.until('scope: b');
    terminal.type('n');
    await second;
    terminal.type('n');
    await Promise.all(calls);
  });

  it('that hangs up cancels this question and makes later ones unavailable', async () => {
    const { ctx, terminal, outcomes } = aBed();
    const drawn = terminal.until('y once');
    const call = ctx.tools.execute(aCall());
    await drawn;
    terminal.hangUp();
    await call;
    await ctx.tools.execute(aCall());
    expect(outcomes.map(({ kind }) => kind)).toEqual(['cancelled', 'unavailable']);
  });

  it('that refuses to change its mode is one that is gone', async () => {
    const { ctx, terminal, outcomes } = aBed();
    terminal.input.setRawMode = () => {
      throw new Error('EIO');
    };
    await ctx.tools.execute(aCall());
    expect(outcomes.map(({ kind }) => kind)).toEqual(['cancelled']);
  });
});

describe('a question that ends without a key', () => {
  it('is withdrawn when its caller gives up, before it is drawn and after', async () => {
    const { ctx, terminal, outcomes } = aBed();
    for (const isDrawn of [false, true]) {
      const controller = new AbortController();
      const drawn = terminal.until('y once');
      const call = ctx.tools.execute(aCall({ signal: controller.signal }));
      if (isDrawn) await drawn;
      else await vi.waitFor(() => expect(terminal.input.isRaw).toBe(true));
      controller.abort();
      expect(await call).toMatchObject({ error: { info: { code: 'ABORTED_BEFORE_DISPATCH' } } });
      await vi.waitFor(() => expect(terminal.leftovers()).toMatchObject({ listeners: [], isRaw: false }));
    }
    expect(outcomes.map(({ kind }) => kind)).toEqual(['cancelled', 'cancelled']);
  });

  it('is cancelled when the plugin is unmounted, and the terminal is given back', async () => {
    const { ctx, terminal, handle, outcomes } = aBed();
    const drawn = terminal.until('y once');
    const call = ctx.tools.execute(aCall());
    await drawn;
    await handle.dispose();
    await call;
    expect(outcomes).toEqual([{ kind: 'cancelled' }]);
    expect(terminal.leftovers()).toMatchObject({ listeners: [], isRaw: false });
  });

  it('is withdrawn when somebody answers it elsewhere', async () => {
    const { ctx, terminal } = aBed();
    ctx.on('approval/request', answeredElsewhere);
    const drawn = terminal.until('y once');
    const call = ctx.tools.execute(aCall());
    await drawn;
    const withdrawn = terminal.until('echo: withdrawn');
    const [open] = approvals(ctx).pending();
    approvals(ctx).answer(open!.id, { kind: 'allowed-once' });
    await withdrawn;
    expect(await call).toMatchObject({ isError: false });
  });
});

describe('"always"', () => {
  const press = async (terminal: FakeTerminal, ctx: Context, keys: readonly string[]): Promise<void> => {
    const drawn = terminal.until('y once');
    const call = ctx.tools.execute(aCall());
    await drawn;
    for (const key of keys) terminal.type(key);
    await call;
  };

  it('is the rule that the rules make, in the words that they use, with what was agreed to', async () => {
    const { ctx, terminal, outcomes } = aBed();
    const ruleFor = vi.fn((call: { toolName: string }) => ({ tool: call.toolName, when: { message: { equals: 'hello' } }, decision: 'deny', remember: 'user' }));
    someRules(ctx, { ruleFor, describeRule: () => 'in \x1b[2Jwords of their own' });
    const worded = terminal.until('in \\x1b[2Jwords of their own');
    await press(terminal, ctx, ['p', 'y']);
    await worded;
    expect(outcomes).toEqual([{ kind: 'allowed-always', rule: { tool: 'echo', when: { message: { equals: 'hello' } }, decision: 'allow', remember: 'project' } }]);
  });

  it('is for exactly these arguments when the rules make none', async () => {
    const { ctx, terminal, outcomes } = aBed();
    someRules(ctx, { ruleFor: () => { throw new Error('no'); }, describeRule: () => '' });
    await press(terminal, ctx, ['s', 'y']);
    expect(outcomes).toEqual([
      { kind: 'allowed-always', rule: { tool: 'echo', when: { '': { equals: { message: 'hello' } } }, decision: 'allow', remember: 'session' } },
    ]);
  });

  it.each([
    ['nobody remembers', undefined],
    ['it would change nothing', { explain: () => ({ decision: 'ask', rememberable: false }) }],
    ['the rules cannot say', { explain: () => { throw new Error('broken'); } }],
  ])('is not on offer where %s', async (_why, rules) => {
    const { ctx, terminal, outcomes } = aBed();
    if (rules !== undefined) someRules(ctx, rules);
    await press(terminal, ctx, ['s', 'p', 'n']);
    expect(outcomes).toEqual([{ kind: 'rejected' }]);
    expect(terminal.written).not.toContain('always, this');
  });
});

describe('a question that cannot be drawn', () => {
  it('is a denial, and the terminal is given back', async () => {
    const { ctx, terminal, outcomes } = aBed();
    const rows = vi.fn(() => 24).mockImplementationOnce(() => {
      throw new Error('no window');
    });
    Object.defineProperty(terminal.output, 'rows', { get: rows });
    await ctx.tools.execute(aCall());
    expect(outcomes.map(({ kind }) => kind)).toEqual(['unavailable']);
    expect(terminal.leftovers()).toMatchObject({ listeners: [], isRaw: false });
  });
});
