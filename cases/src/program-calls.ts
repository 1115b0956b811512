import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { listOf, recordOf, type Case, type JsonRecord, wordOf } from './case.ts';
import { providers } from './code-case.ts';
import { watchingHost } from './host-watch.ts';
import { classes } from './pipeline-expectations.ts';
import { buildWorld, type World } from './pipeline-world.ts';

/** Calls of a pipeline case that are programs. */
export function programCalls(input: Case): readonly JsonRecord[] {
  return listOf(input['invoke']).filter(({ tool }) => tool === 'run_code');
}

/** Makes those calls, in real time and on every provider, in the world that the case describes. */
export async function runProgramCalls(input: Case): Promise<void> {
  for (const call of programCalls(input)) {
    const expected = listOf(recordOf(input['expect'])['results']).filter((result) => result['call'] === call['call_id']);
    for (const provider of providers) {
      await watchingHost(async (watch) => {
        const world = buildWorld(input);
        try {
          world.ctx.plugin(provider, { spares: 0 });
          const result = await callProgram(world, call);
          for (const each of expected) expectProgram(each, result, world, `${wordOf(call['call_id'])} on ${provider.name}`);
        } finally {
          await world.dispose();
        }
        deepStrictEqual(watch.unhandledRejections, []);
      });
    }
  }
}

type Result = Awaited<ReturnType<World['ctx']['tools']['execute']>>;

async function callProgram(world: World, call: JsonRecord): Promise<Result> {
  const agent = call['agent'];
  const scope = agent === undefined ? world.ctx.scope('programs') : world.agents.get(wordOf(agent));
  if (scope === undefined) throw new TypeError(`no such agent: ${wordOf(agent)}`);
  scope.tools.presentAs('both');
  const controller = new AbortController();
  // Counted from when a body has begun: how long a thread takes to start is not what the case is about.
  const watching = call['abort_at_ms'] === undefined ? undefined : setInterval(() => {
    if (world.runs.length === 0) return;
    clearInterval(watching);
    setTimeout(() => { controller.abort(new Error('the caller gave up')); }, Number(call['abort_at_ms']));
  }, 5);
  const code = wordOf(recordOf(call['args'])['program']);
  const result = await scope.tools.execute({ name: 'run_code', arguments: { code, description: 'a case' }, signal: controller.signal });
  clearInterval(watching);
  return result;
}

function expectProgram(expected: JsonRecord, result: Result, world: World, what: string): void {
  for (const [word, value] of Object.entries(expected)) {
    switch (word) {
      case 'call':
        break;
      case 'outcome':
        strictEqual(result.isError ? 'failure' : 'success', value, `outcome of ${what}`);
        break;
      case 'class':
        strictEqual(result.isError ? classes[result.error.info.code] : undefined, value, `class of ${what}`);
        break;
      case 'body_signal_aborted':
        ok(world.runs.length > 0, `${what}: no body ran`);
        for (const { abortReason } of world.runs) strictEqual(abortReason !== undefined, value, `signals of ${what}`);
        break;
      case 'body_runs_of':
        for (const [tool, count] of Object.entries(recordOf(value))) strictEqual(world.runs.filter((run) => run.tool === tool).length, count, `runs of ${tool} by ${what}`);
        break;
      default:
        throw new TypeError(`what is expected of a program cannot be ${word}`);
    }
  }
}
