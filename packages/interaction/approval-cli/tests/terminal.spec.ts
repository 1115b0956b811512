import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Scenario } from './program/scenario.ts';
import { aProgram, type Run, type Size } from './pty.ts';

let program: Awaited<ReturnType<typeof aProgram>>;
const runs: Run[] = [];

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

describe('a question on a terminal', () => {
  it('shows the tool and its arguments, and lets the call run on y', async () => {
    const run = start({ ask: [{ tool: 'bash', args: { command: 'make' }, reason: 'it builds' }] });
    await run.untilAsked('bash');
    console.log(run.screen().join('\n'));
    run.type('y');
    const report = await run.report();
    console.log(run.history().join('\n'), report);
    expect(report.decisions).toEqual({ c1: { decision: 'allow' } });
  }, 30_000);
});
