import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Scenario } from './program/scenario.ts';
import { aProgram, type Run, type Size } from './pty.ts';

let program: Awaited<ReturnType<typeof aProgram>>;
const runs: Run[] = [];
/** Each test starts a process; on a busy machine that takes its time. */
const patience = { timeout: 30_000 };

beforeAll(async () => {
  program = await aProgram();
}, 60_000);
afterAll(() => {
  program.remove();
});
afterEach(() => {
  for (const run of runs.splice(0)) run.kill();
});

function start(scenario: Scenario, size?: Size): Run {
  const run = program.start(scenario, size);
  runs.push(run);
  return run;
}

const HARMFUL = ['\u202e', '\u202c', '\u200b', '\u2066', '\u2069', '\u2028', '\ufeff', '\u{e0041}'];
const bash = (command: string, more: Partial<Scenario['ask'][number]> = {}): Scenario['ask'][number] => ({ tool: 'bash', args: { command }, ...more });

/** Pages through everything; rows joined where they were broken. */
async function readThrough(run: Run): Promise<string> {
  run.type('v');
  await run.untilSeen('v close');
  const rows: string[] = [];
  for (;;) {
    const mark = run.screen().find((row) => row.startsWith('── ')) ?? '';
    const [first, last, all] = (/(\d+)-(\d+) of (\d+)/.exec(mark) ?? []).slice(1).map(Number) as [number, number, number];
    const at = run.screen().findIndex((row) => row.startsWith('── '));
    rows.splice(first - 1, last - first + 1, ...run.screen().slice(at - (last - first + 1), at));
    if (last === all) return rows.join('\n').replace(/\n(?:┆ |[+ -]┆)/g, '');
    run.type(' ');
    await run.until(() => run.sees('── ') && !run.sees(mark) && run.sees('v close'), `the page after ${mark}`);
  }
}

describe('a question on a terminal', patience, () => {
  it('shows the tool, the reason and the arguments, and lets exactly these run on a y', async () => {
    const run = start({ ask: [bash('make', { reason: 'it builds', scope: 'planner' })] });
    await run.untilAsked('bash');
    for (const piece of ['scope: planner', 'why: it builds', 'command: "make"']) expect(run.sees(piece)).toBe(true);
    run.type('y');
    const report = await run.report();
    expect(report).toMatchObject({ decisions: { c1: { decision: 'allow' } }, bodyArguments: [{ command: 'make' }], unhandled: [] });
    expect(run.history()).toContain('bash: allowed once');
  });

  it('leaves the terminal as it found it: mode, cursor, listeners', async () => {
    const run = start({ ask: [bash('x')] });
    await run.untilAsked('bash');
    expect(run.transcript).toContain('\x1b[?25l');
    run.type('n');
    const report = await run.report();
    expect(report).toMatchObject({ isRaw: false, listeners: { stdin: 0, stdout: 0 } });
    expect(Object.keys(report.listeners)).toEqual(['stdin', 'stdout']);
    expect(run.transcript.lastIndexOf('\x1b[?25h')).toBeGreaterThan(run.transcript.lastIndexOf('\x1b[?25l'));
  });

  it('sends the model what the person typed with a no, edited on the way', async () => {
    const run = start({ ask: [bash('x')] });
    await run.untilAsked('bash');
    run.type('m');
    await run.untilSeen('Say no and why');
    for (const key of ['u', 's', 'e', ' ', 'b', 'x', '\x7f', '.', 't', 's', ' ', 'ü']) run.type(key);
    await run.untilSeen('use b.ts ü');
    run.type('\r');
    const { decisions } = await run.report();
    expect(decisions['c1']).toMatchObject({ decision: 'deny', code: 'APPROVAL_REJECTED', message: expect.stringContaining('use b.ts ü') });
  });

  it('takes a pasted message as one, line breaks as spaces', async () => {
    const run = start({ ask: [bash('x')] });
    await run.untilAsked('bash');
    run.type('m');
    await run.untilSeen('Say no and why');
    run.type('use b.ts\r\nand test it');
    await run.untilSeen('use b.ts and test it');
    run.type('\r');
    expect((await run.report()).decisions['c1']?.message).toContain('use b.ts and test it');
  });

  it('never interleaves questions that come at once', async () => {
    const run = start({ ask: [bash('first'), bash('second')], concurrent: true });
    await run.untilAsked('bash');
    expect(run.sees('first')).toBe(true);
    expect(run.sees('(1 more waiting)')).toBe(true);
    expect(run.sees('second')).toBe(false);
    run.type('y');
    await run.until(() => run.sees('"second"') && run.sees('y once'));
    run.type('n');
    const { decisions } = await run.report();
    expect([decisions['c1']?.decision, decisions['c2']?.decision]).toEqual(['allow', 'deny']);
  });

  it('keeps everything in sight on 40 columns, and again after the window has changed', async () => {
    const run = start({ ask: [bash('echo line\n'.repeat(60))], rules: true }, { columns: 80 });
    await run.untilAsked('bash');
    run.resize(40, 20);
    await run.until(() => run.sees('s always, this session\n') && run.sees('v view all'), 'the narrow question');
    const rows = run.screen();
    expect(rows.filter((row) => row.startsWith('? Allow bash?'))).toHaveLength(1);
    expect(rows.every((row) => row.length <= 40)).toBe(true);
    expect(run.sees('more lines')).toBe(true);
    run.type('n');
    await run.report();
  });

  it('withdraws the question when its time is over', async () => {
    const run = start({ ask: [bash('x')], approval: { timeoutMs: 600 } });
    await run.untilAsked('bash');
    const report = await run.report();
    expect(report.decisions['c1']).toMatchObject({ decision: 'deny', code: 'APPROVAL_REJECTED' });
    expect(report).toMatchObject({ isRaw: false, listeners: { stdin: 0, stdout: 0 }, unhandled: [] });
    expect(run.history()).toContain('bash: withdrawn');
  });

  it('gives the terminal back when it is unmounted while a question is open', async () => {
    const run = start({ ask: [bash('x')], unmounts: true });
    await run.untilAsked('bash');
    process.kill(run.pty.pid, 'SIGUSR2');
    const report = await run.report();
    expect(report.decisions['c1']).toMatchObject({ decision: 'deny', code: 'APPROVAL_CANCELLED' });
    expect(report).toMatchObject({ isRaw: false, listeners: { stdin: 0, stdout: 0 }, unhandled: [] });
  });
});

describe('consent', patience, () => {
  it('is not what was typed before the question was drawn [H097]', async () => {
    const run = start({ ask: [bash('deploy')], waits: true });
    await run.untilSeen('READY');
    run.type('y\r\ny\r\n1\r\n');
    // The terminal echoes what it has taken in.
    await run.untilSeen('1\n');
    process.kill(run.pty.pid, 'SIGUSR2');
    await run.untilAsked('bash');
    // A whole second without a decision, as the screen shows it.
    const until = performance.now() + 1_000;
    await run.until(() => performance.now() > until || run.sees('allowed'));
    expect(run.sees('y once')).toBe(true);
    run.type('n\r');
    expect((await run.report()).decisions).toMatchObject({ c1: { decision: 'deny', code: 'APPROVAL_REJECTED' } });
  });

  it('is not an Enter or a key that was typed ahead of the second question', async () => {
    const run = start({ ask: [bash('first'), bash('second')] });
    await run.untilAsked('bash');
    run.type('y');
    await run.until(() => run.transcript.includes('allowed once'));
    run.type('\ry');
    await run.until(() => run.sees('"second"') && run.sees('y once'));
    run.type('n');
    expect((await run.report()).decisions).toMatchObject({ c1: { decision: 'allow' }, c2: { decision: 'deny' } });
  });

  it('is not pasted text', async () => {
    const run = start({ ask: [bash('deploy')] });
    await run.untilAsked('bash');
    run.type('yes, please');
    await run.untilSeen('Several keys came at once');
    run.type('n');
    expect((await run.report()).decisions).toMatchObject({ c1: { decision: 'deny' } });
  });

  it.each([
    ['Ctrl-C', '\x03'],
    ['Ctrl-D', '\x04'],
    ['Escape', '\x1b'],
  ])('is not %s: that cancels, and the process lives [H095]', async (_name, key) => {
    const run = start({ ask: [bash('x'), bash('y')] });
    await run.untilAsked('bash');
    run.type(key);
    await run.until(() => run.sees('"y"') && run.sees('y once'));
    run.type('n');
    const report = await run.report();
    expect(report.decisions).toMatchObject({ c1: { decision: 'deny', code: 'APPROVAL_CANCELLED' }, c2: { decision: 'deny', code: 'APPROVAL_REJECTED' } });
    expect(report).toMatchObject({ isRaw: false, unhandled: [] });
  });

  it('is not a terminal that goes away: cancelled, and unavailable from then on; the process lives [H095]', async () => {
    const run = start({ ask: [bash('x'), bash('y')] });
    await run.untilAsked('bash');
    process.kill(run.pty.pid, 'SIGHUP');
    const report = await run.report();
    expect(report.decisions).toMatchObject({ c1: { decision: 'deny', code: 'APPROVAL_CANCELLED' }, c2: { decision: 'deny', code: 'APPROVAL_UNAVAILABLE' } });
    expect(report).toMatchObject({ isRaw: false, unhandled: [] });
  });

  it('is not the end of a closed terminal [H095]', async () => {
    const run = start({ ask: [bash('x'), bash('y')] });
    await run.untilAsked('bash');
    run.close();
    const report = await run.report();
    expect(report.decisions).toMatchObject({ c1: { decision: 'deny', code: 'APPROVAL_CANCELLED' }, c2: { decision: 'deny', code: 'APPROVAL_UNAVAILABLE' } });
    expect(report.unhandled).toEqual([]);
  });
});

describe('"always"', patience, () => {
  it('shows the exact rule first, and answers the identical question that waits; a different one is asked [H107]', async () => {
    const fetch = (url: string) => ({ tool: 'fetch', args: { url } });
    const run = start({
      ask: [fetch('https://docs.example/a'), fetch('https://docs.example/a'), fetch('https://other.example/')],
      concurrent: true,
      rules: true,
    });
    await run.untilAsked('fetch');
    run.type('s');
    await run.untilSeen('y agree and allow');
    expect(run.screen().join('').replaceAll('┆ ', '')).toContain('allow tool "fetch" with exactly these arguments: {"url":"https://docs.example/a"}');
    run.type('y');
    await run.until(() => run.sees('other.example') && run.sees('y once'));
    run.type('n\r');
    const report = await run.report();
    expect(report.decisions).toMatchObject({ c1: { decision: 'allow' }, c2: { decision: 'allow' }, c3: { decision: 'deny' } });
    expect(run.history().filter((row) => row.startsWith('fetch: '))).toHaveLength(2);
    expect(report.outcomes[0]?.outcome).toEqual({
      kind: 'allowed-always',
      rule: { tool: 'fetch', when: { '': { equals: { url: 'https://docs.example/a' } } }, decision: 'allow', remember: 'session' },
    });
  });
});

describe('what the model sends', patience, () => {
  const command = 'rm \u202etxt.elif\u202c -rf /\u200b\u2066home\u2069\u2028# safe\ufeff\u{e0041}';

  it.each<[string, Record<string, string>]>([
    ['with colours', {}],
    ['without', { NO_COLOR: '1' }],
    ['on a dumb terminal', { TERM: 'dumb' }],
  ])('is drawn with everything unseen made visible, %s, in every field [H099]', async (_surface, env) => {
    const hostile = '\x1b]0;owned\x07\x1b[2J\u202e';
    const run = start(
      {
        ask: [
          {
            tool: 'bash',
            args: { command, [`key${hostile}`]: [hostile] },
            reason: `why${hostile}`,
            scope: `scope${hostile}`,
            view: { card: 'terminal', title: `title${hostile}`, description: hostile, cwd: hostile },
          },
        ],
      },
      { env, rows: 50 },
    );
    await run.untilAsked('bash');
    const shown = run.screen().join('').replaceAll('┆ ', '');
    for (const piece of ['\\u{202e}txt.elif', '\\u{2028}# safe', 'key\\x1b]0;owned\\x07', 'why\\x1b', 'scope\\x1b', 'title\\x1b', '\\u{e0041}']) expect(shown).toContain(piece);
    run.type('n\r');
    expect((await run.report()).decisions).toMatchObject({ c1: { decision: 'deny' } });
    for (const character of HARMFUL) expect(run.transcript).not.toContain(character);
    expect(run.transcript).not.toContain('\x1b]0;');
    expect(run.transcript).not.toContain('\x1b[2J');
    if (env['TERM'] === 'dumb') expect(run.transcript.slice(run.transcript.indexOf('READY'))).not.toContain('\x1b');
    if (env['NO_COLOR'] !== undefined) expect(run.transcript.split('\x1b').filter((part) => /^\[[1-9][0-9]*m/.test(part))).toEqual([]);
  });

  it('can be read to its end, all fields of it, before it runs [H071]', async () => {
    const args = { to: 'user@example.com', body: `${'L'.repeat(30_000)}TAIL-52`, bcc: 'second@example.com' };
    const run = start({ ask: [{ tool: 'send', args }] }, { rows: 60 });
    await run.untilAsked('send');
    for (const piece of ['user@example.com', 'second@example.com', 'more characters', 'v shows the rest']) expect(run.sees(piece)).toBe(true);
    const all = await readThrough(run);
    for (const [key, value] of Object.entries(args)) expect(all.includes(value), key).toBe(true);
    run.type('y');
    const report = await run.report();
    expect(report).toMatchObject({ decisions: { c1: { decision: 'allow' } }, bodyArguments: [args] });
  });

  it('leaves the keys in sight and is drawn within a second, however long it is [H109]', async () => {
    const run = start({ ask: [bash(`${'echo line\n'.repeat(500)}rm -rf TAIL-56\n`), { tool: 'write', args: { path: 'a', content: 'x'.repeat(100_000) } }] });
    await run.untilAsked('bash');
    expect(run.sees('more lines')).toBe(true);
    run.type('v');
    await run.untilSeen('v close');
    run.type('G');
    await run.until(() => run.sees('rm -rf TAIL-56') && run.sees('y once') && run.sees('v close'), 'the end, with the keys');
    run.type('n');
    const began = performance.now();
    await run.untilAsked('write');
    // With the time that the machine takes to run two processes.
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(run.sees('more characters')).toBe(true);
    run.type('n\r');
    expect((await run.report()).decisions).toMatchObject({ c1: { decision: 'deny' }, c2: { decision: 'deny' } });
  });
});

describe('standard input that is no terminal', patience, () => {
  it('is not read: unavailable within a second, with a reason that names the terminal [H093]', async () => {
    const run = start({ ask: [bash('make')] }, { hasSilentInput: true });
    const report = await run.report();
    expect(report.decisions['c1']).toMatchObject({ decision: 'deny', code: 'APPROVAL_UNAVAILABLE', message: expect.stringContaining('terminal') });
    expect(report.outcomes[0]!.afterMs).toBeLessThan(1_000);
    expect(report).toMatchObject({ bytesRead: 0, listeners: { stdin: 0 }, unhandled: [] });
  });
});

describe('a dumb terminal', patience, () => {
  it('is asked line by line: the message is typed, corrected and sent', async () => {
    const run = start({ ask: [bash('x'), bash('y')] }, { env: { TERM: 'dumb' } });
    await run.untilAsked('bash');
    run.type('m');
    await run.untilSeen('Say no and why');
    for (const key of ['n', 'o', 'x', '\x7f', '!']) run.type(key);
    await run.untilSeen('> no!');
    run.type('\r');
    await run.until(() => run.sees('"y"') && run.screen().filter((row) => row.includes('y once')).length > 0);
    await run.until(() => run.history().filter((row) => row.includes('command: "y"')).length === 1);
    run.type('y');
    const { decisions } = await run.report();
    expect(decisions).toMatchObject({ c1: { decision: 'deny', message: expect.stringContaining('no!') }, c2: { decision: 'allow' } });
  });
});
