import type { JsonValue, ToolExecutionResult } from '@sluice/core-tools';
import { expect } from 'vitest';
import { listOf, recordOf, type Case, type JsonRecord, wordOf } from './case.ts';
import { expectBytes } from './fs-expectations.ts';
import type { Made, Run } from './pipeline-case.ts';

/** The neutral word for what our codes say. */
export const classes: Readonly<Record<string, string>> = {
  INVALID_ARGS: 'invalid-args',
  UNKNOWN_TOOL: 'unknown-tool',
  DENIED: 'denied',
  APPROVAL_REJECTED: 'denied',
  APPROVAL_UNAVAILABLE: 'approval-unavailable',
  APPROVAL_CANCELLED: 'unanswered',
  TOOL_TIMEOUT: 'timeout',
  ABORTED: 'aborted',
  ABORTED_BEFORE_DISPATCH: 'aborted',
};

/** Compares everything that the case expects, and what every case implies. */
export function expectPipeline(input: Case, skipped: readonly string[], run: Run): void {
  expectImplied(input, skipped, run);
  const { made, world, host } = run;
  for (const [word, value] of Object.entries(recordOf(input['expect']))) {
    if (skipped.includes(`expect.${word}`)) continue;
    switch (word) {
      case 'results':
        for (const result of listOf(value)) {
          if (!skipped.includes(`invoke.${wordOf(result['call'])}`)) expectResult(result, callNamed(made, result['call']), run);
        }
        break;
      case 'results_all':
      case 'each':
        for (const call of made) expectResult(recordOf(value), call, run);
        break;
      case 'must_refuse':
        expect(value).toSatisfy((names: string[]) => names.every((name) => world.refused.has(name)), 'registrations to be refused');
        break;
      case 'result_ids_in_order':
        expect(made.map(({ id }) => id)).toEqual(value);
        break;
      case 'result_events_per_call':
        for (const { id } of made) expect(eventsOf(run, 'tools/result', id), `results of ${id}`).toBe(value);
        break;
      case 'values_match_args':
        for (const { id, result } of made) expect(valueOf(result), `value of ${id}`).toEqual(argsOf(input, id));
        break;
      case 'asks':
        expect(world.asked()).toBe(value);
        break;
      case 'listed':
        for (const [agent, names] of Object.entries(recordOf(value))) {
          const listed = world.agents.get(agent)?.tools.schemas().map(({ name }) => name) ?? [];
          expect([...listed].sort(), `tools of ${agent}`).toEqual([...(names as string[])].sort());
        }
        break;
      case 'files':
        for (const [path, file] of Object.entries(recordOf(value))) expectBytes(run.world.files.files()[path], recordOf(file), path, undefined, []);
        break;
      case 'host_checks':
        expect(value).toEqual(['Object.prototype has no new keys']);
        expect(host.newPrototypeKeys()).toEqual([]);
        break;
      case 'observer_saw_failure':
        expect(world.observed.map(({ isError }) => isError)).toEqual(made.map(() => value));
        break;
      case 'other_observers_ran':
        expect(world.observed.length === made.length).toBe(value);
        break;
      case 'unhandled_rejections':
        expect(host.unhandledRejections).toHaveLength(Number(value));
        break;
      case 'process_warnings':
        expect(host.warnings).toHaveLength(Number(value));
        break;
      case 'process_exits_within_ms':
        // Nothing keeps a process alive but timers here.
        expect(run.timersLeft, 'timers left').toBe(0);
        break;
      case 'total_ms_max':
        expect(run.tookMs).toBeLessThanOrEqual(Number(value));
        break;
      case 'throws':
        // It would have thrown before we came here.
        expect(value).toBe(false);
        break;
      case 'observe_for_ms':
        break;
      default:
        throw new TypeError(`no such expectation: ${word}`);
    }
  }
}

/** Exactly one result per call that was made, told once if the call entered; no unhandled rejection. */
function expectImplied(input: Case, skipped: readonly string[], run: Run): void {
  const ids = listOf(input['invoke']).map(({ call_id: id }) => wordOf(id));
  expect(run.made.map(({ id }) => id).sort()).toEqual(ids.filter((id) => !skipped.includes(`invoke.${id}`)).sort());
  for (const { id, tool, result } of run.made) {
    expect(result === undefined, `${id} has a result unless "${tool}" was refused`).toBe(run.world.refused.has(tool));
    expect(eventsOf(run, 'tools/result', id), `results told of ${id}`).toBe(eventsOf(run, 'tools/call', id));
  }
  expect(run.host.unhandledRejections).toEqual([]);
}

function expectResult(expected: JsonRecord, call: Made, run: Run): void {
  const { id, result } = call;
  const runs = run.world.runs.filter(({ callId }) => callId === id);
  for (const [word, value] of Object.entries(expected)) {
    const what = `${word} of ${id}`;
    switch (word) {
      case 'call':
        break;
      case 'one_of':
        expectOneOf(listOf(value), call, run);
        break;
      case 'registration':
        expect(run.world.refused.has(call.tool) ? 'refused' : 'accepted', what).toBe(value);
        break;
      case 'outcome':
        if (value !== 'any') expect(result?.isError === true ? 'failure' : 'success', what).toBe(value);
        expect(result, what).toBeDefined();
        break;
      case 'class':
        expect(result?.isError === true ? (classes[result.error.info.code] ?? 'tool-error') : 'none', what).toBe(value);
        break;
      case 'started':
        expect(result?.isError === true ? result.error.info.started : undefined, what).toBe(value);
        break;
      case 'mentions':
        for (const piece of value as string[]) expect(textOf(result), what).toContain(piece);
        break;
      case 'body_runs':
        expect(runs, what).toHaveLength(Number(value));
        break;
      case 'body_args':
        expect(runs.map(({ args }) => args), what).toEqual([value]);
        break;
      case 'body_sees_digits':
        expect(runs.map(({ args }) => JSON.stringify(args)).join(), what).toContain(wordOf(value));
        break;
      case 'body_signal_aborted':
        expect(runs.every(({ abortReason }) => abortReason !== undefined) && runs.length > 0, what).toBe(value);
        break;
      case 'within_ms_of_abort':
        expect(call.endedMs - (call.abortedMs ?? NaN), what).toBeLessThanOrEqual(Number(value));
        break;
      default:
        throw new TypeError(`no such expectation of a result: ${word}`);
    }
  }
}

function expectOneOf(alternatives: readonly JsonRecord[], call: Made, run: Run): void {
  const failures: unknown[] = [];
  for (const alternative of alternatives) {
    try {
      expectResult(alternative, call, run);
      return;
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `${call.id} is as none of its alternatives say`);
}

function callNamed(made: readonly Made[], id: JsonValue | undefined): Made {
  const call = made.find((each) => each.id === id);
  if (call === undefined) throw new TypeError(`no such call: ${wordOf(id)}`);
  return call;
}

function argsOf(input: Case, id: string): JsonValue | undefined {
  return listOf(input['invoke']).find(({ call_id: callId }) => callId === id)?.['args'];
}

function valueOf(result: ToolExecutionResult | undefined): unknown {
  return result?.isError === false ? result.value : result;
}

function textOf(result: ToolExecutionResult | undefined): string {
  return (result?.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

function eventsOf({ world }: Run, hook: string, callId: string): number {
  return world.seen.events.filter((event) => event.hook === hook && event.callId === callId).length;
}
