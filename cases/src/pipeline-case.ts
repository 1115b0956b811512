import type { ToolCallInput, ToolExecutionResult } from '@sluice/core-tools';
import { vi } from 'vitest';
import { listOf, recordOf, type Case, type JsonRecord, wordOf } from './case.ts';
import { settle, turn } from './clock.ts';
import { watchingHost, type HostWatch } from './host-watch.ts';
import { expectPipeline } from './pipeline-expectations.ts';
import { buildWorld, type World } from './pipeline-world.ts';

/** One call of a case, made. */
export interface Made {
  readonly id: string;
  readonly tool: string;
  /** Absent for a call of a tool whose registration was refused. */
  readonly result: ToolExecutionResult | undefined;
  readonly endedMs: number;
  /** When its signal aborted; absent when it did not. */
  readonly abortedMs: number | undefined;
}

/** Everything that happened. */
export interface Run {
  readonly world: World;
  readonly made: readonly Made[];
  readonly tookMs: number;
  readonly timersLeft: number;
  readonly host: HostWatch;
}

/** Builds, calls, watches and compares. Fake time; ends with real time again. */
export async function runPipelineCase(input: Case, skipped: readonly string[], alsoExpect?: (run: Run) => void): Promise<void> {
  vi.useFakeTimers();
  try {
    await watchingHost(async (host) => {
      const world = buildWorld(input);
      try {
        const calls = listOf(input['invoke']).filter(({ call_id: id }) => !skipped.includes(`invoke.${wordOf(id)}`));
        const beganMs = performance.now();
        const made = await settle(input['schedule'] === 'scheduler' ? callTogether(input, world, calls) : callInTurn(input, world, calls));
        const tookMs = performance.now() - beganMs;
        const timersLeft = vi.getTimerCount();
        await vi.advanceTimersByTimeAsync(Number(recordOf(input['expect'])['observe_for_ms'] ?? 0));
        await turn();
        const run = { world, made, tookMs, timersLeft, host };
        expectPipeline(input, skipped, run);
        alsoExpect?.(run);
      } finally {
        await settle(world.dispose());
      }
    });
  } finally {
    vi.useRealTimers();
  }
}

async function callInTurn(input: Case, world: World, calls: readonly JsonRecord[]): Promise<Made[]> {
  const made: Made[] = [];
  for (const call of calls) {
    const id = wordOf(call['call_id']);
    const tool = wordOf(call['tool']);
    const abort = abortAt(call['abort_at_ms'] ?? recordOf(input['abort'])['at_ms']);
    const scope = call['agent'] === undefined ? world.ctx : world.agents.get(wordOf(call['agent']));
    if (scope === undefined) throw new TypeError(`no such agent: ${wordOf(call['agent'])}`);
    const result = world.refused.has(tool) ? undefined : await scope.tools.execute({ ...inputOf(call), ...abort.signal });
    abort.clear();
    made.push({ id, tool, result, endedMs: performance.now(), abortedMs: abort.abortedMs() });
  }
  return made;
}

async function callTogether(input: Case, world: World, calls: readonly JsonRecord[]): Promise<Made[]> {
  const abort = abortAt(recordOf(input['abort'])['at_ms']);
  const ended: number[] = [];
  const results = await world.ctx.tools.executeAll(calls.map(inputOf), {
    ...abort.signal,
    onResult: () => ended.push(performance.now()),
  });
  abort.clear();
  return results.map((result, i) => {
    const tool = wordOf(calls[i]?.['tool']);
    return { id: result.callId, tool, result, endedMs: ended[i] ?? NaN, abortedMs: abort.abortedMs() };
  });
}

function inputOf(call: JsonRecord): ToolCallInput {
  const args = call['raw_args'] === undefined ? { arguments: call['args'] } : { argumentsText: wordOf(call['raw_args']) };
  return { name: wordOf(call['tool']), callId: wordOf(call['call_id']), ...args };
}

function abortAt(ms: JsonRecord[string] | undefined): { signal: { signal?: AbortSignal }; abortedMs(): number | undefined; clear(): void } {
  if (ms === undefined) return { signal: {}, abortedMs: () => undefined, clear: () => undefined };
  const controller = new AbortController();
  let at: number | undefined;
  const timer = setTimeout(() => {
    at = performance.now();
    controller.abort(new Error('the caller gave up'));
  }, Number(ms));
  return { signal: { signal: controller.signal }, abortedMs: () => at, clear: () => { clearTimeout(timer); } };
}
