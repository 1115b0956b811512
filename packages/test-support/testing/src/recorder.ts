import type { Context, ToolExecution, ToolExecutionResult } from '@sluice/core-tools';

export type RecordedPhase = 'enter' | 'leave' | 'throw' | 'event';

export interface RecordedEvent {
  readonly hook: string;
  /** `enter` and `leave` (or `throw`) around what lies inside a waterfall; `event` for a notification. */
  readonly phase: RecordedPhase;
  /** Absent for `tools/change`, which belongs to no call. */
  readonly callId?: string;
  /** Milliseconds since recording began. */
  readonly atMs: number;
  /** What the waterfall answered or threw, or what the notification carried besides the call. */
  readonly detail?: unknown;
}

export interface HookRecorder {
  /** Oldest first; grows as hooks run. */
  readonly events: readonly RecordedEvent[];
  /** `hook:phase` of one call (of all, without `callId`), in order; `event` is left out. Easy to compare in a test. */
  trace(callId?: string): string[];
  /** What `tools/result` carried, in order. */
  results(): ToolExecutionResult[];
  /** Forgets what was recorded so far. */
  clear(): void;
  /** Stops recording; what was recorded stays. */
  dispose(): void;
}

/**
 * Listens on every hook of the pipeline and changes nothing. It goes outside of everything mounted so far (only what is
 * prepended later goes further out), so it sees what comes out of the plugins in a context.
 */
export function recordHooks(ctx: Context): HookRecorder {
  const events: RecordedEvent[] = [];
  const began = performance.now();
  const record = (hook: string, phase: RecordedPhase, callId: string | undefined, detail?: unknown): void => {
    const call = callId === undefined ? {} : { callId };
    events.push({ hook, phase, ...call, atMs: performance.now() - began, ...(detail === undefined ? {} : { detail }) });
  };
  const around = async <T>(hook: string, { callId }: ToolExecution, inside: () => Promise<T>): Promise<T> => {
    record(hook, 'enter', callId);
    try {
      const answer = await inside();
      record(hook, 'leave', callId, answer);
      return answer;
    } catch (error) {
      record(hook, 'throw', callId, error);
      throw error;
    }
  };

  const outermost = { prepend: true };
  const disposers = [
    ctx.on('tools/call', (exec) => { record('tools/call', 'event', exec.callId); }, outermost),
    ctx.on('tools/pre-execute', (exec, next) => around('tools/pre-execute', exec, next), outermost),
    ctx.on('tools/execute', (exec, next) => around('tools/execute', exec, () => next()), outermost),
    ctx.on('tools/post-execute', (exec, _result, next) => around('tools/post-execute', exec, next), outermost),
    ctx.on('tools/result', (exec, result) => { record('tools/result', 'event', exec.callId, result); }, outermost),
    ctx.on('tools/progress', (exec, progress) => { record('tools/progress', 'event', exec.callId, progress); }, outermost),
    ctx.on('tools/late', (late) => { record('tools/late', 'event', late.callId, late); }, outermost),
    ctx.on('tools/hold', (hold) => { record('tools/hold', 'event', hold.callId, hold); }, outermost),
    ctx.on('tools/change', (change) => { record('tools/change', 'event', undefined, change); }, outermost),
  ];
  return {
    events,
    trace: (callId) =>
      events
        .filter((event) => callId === undefined || event.callId === callId)
        .map(({ hook, phase }) => (phase === 'event' ? hook : `${hook}:${phase}`)),
    results: () => events.filter(({ hook }) => hook === 'tools/result').map(({ detail }) => detail as ToolExecutionResult),
    clear: () => {
      events.length = 0;
    },
    dispose: () => {
      for (const dispose of disposers) dispose();
    },
  };
}
