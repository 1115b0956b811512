import type { Context, ToolExecution, ToolExecutionResult } from '@sluice/core-tools';

export type RecordedPhase = 'enter' | 'leave' | 'throw' | 'event';

export interface RecordedEvent {
  readonly hook: string;
  /** `enter` and `leave` (or `throw`) around what lies inside a waterfall; `event` for a notification. */
  readonly phase: RecordedPhase;
  readonly callId: string;
  /** Milliseconds since recording began. */
  readonly atMs: number;
  /** What the waterfall answered, or what the notification carried besides the call. */
  readonly detail?: unknown;
}

export interface HookRecorder {
  readonly events: readonly RecordedEvent[];
  /** `hook:phase` of one call, in order; `event` is left out. Easy to compare in a test. */
  trace(callId?: string): string[];
  results(): ToolExecutionResult[];
  clear(): void;
  dispose(): void;
}

/**
 * Listens on every hook of the pipeline, outermost, and changes nothing. Mount it before the plugins of interest to see what
 * goes in and what comes out of them.
 */
export function recordHooks(ctx: Context): HookRecorder {
  const events: RecordedEvent[] = [];
  const began = performance.now();
  const record = (hook: string, phase: RecordedPhase, callId: string, detail?: unknown): void => {
    events.push({ hook, phase, callId, atMs: performance.now() - began, ...(detail === undefined ? {} : { detail }) });
  };
  const around = async <T>(hook: string, exec: ToolExecution, inside: () => Promise<T>): Promise<T> => {
    record(hook, 'enter', exec.callId);
    try {
      const answer = await inside();
      record(hook, 'leave', exec.callId, answer);
      return answer;
    } catch (error) {
      record(hook, 'throw', exec.callId, error);
      throw error;
    }
  };

  const disposers = [
    ctx.on('tools/call', (exec) => { record('tools/call', 'event', exec.callId); }),
    ctx.on('tools/pre-execute', (exec, next) => around('tools/pre-execute', exec, next), { prepend: true }),
    ctx.on('tools/execute', (exec, next) => around('tools/execute', exec, () => next()), { prepend: true }),
    ctx.on('tools/post-execute', (exec, _result, next) => around('tools/post-execute', exec, next), { prepend: true }),
    ctx.on('tools/result', (exec, result) => { record('tools/result', 'event', exec.callId, result); }),
    ctx.on('tools/progress', (exec, progress) => { record('tools/progress', 'event', exec.callId, progress); }),
    ctx.on('tools/late', (late) => { record('tools/late', 'event', late.callId, late); }),
    ctx.on('tools/hold', (hold) => { record('tools/hold', 'event', hold.callId, hold); }),
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
