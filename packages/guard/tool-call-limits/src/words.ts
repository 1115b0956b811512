import { codes, type ToolExecution, type ToolFailure } from '@sluice/core-tools';
import type { Excess } from './meter.ts';

export const NAME = 'tool-call-limits';

/** What is used up and when it comes back, for the model. */
export function denialOf(subject: string, excess: Excess): string {
  const used = `call limit reached: ${subject} may be called ${times(excess.calls)}`;
  const advice = 'Nothing ran. Work with what you have, or finish.';
  switch (excess.kind) {
    case 'turn':
      return `${used} per turn. It resets when the next turn begins, not before. ${advice}`;
    case 'run':
      return `${used} per run. It does not reset before this run ends. ${advice}`;
    case 'window': {
      const { ms, resetsInMs } = excess;
      const when = resetsInMs === undefined ? `${duration(ms)} after the calls that still wait have begun` : `in ${duration(resetsInMs)}`;
      return `${used} in ${duration(ms)}. It resets ${when}. Nothing ran.`;
    }
  }
}

/** The same words when the budget was used up between the guard and the body. Reads like core's own denial. */
export function refusal(exec: ToolExecution, message: string): ToolFailure {
  return failure(exec, codes.DENIED, 'ToolDeniedError', message);
}

export function deadlock(exec: ToolExecution): ToolFailure {
  const message = `tool "${exec.name}" is at its limit of calls running at once, held by calls that wait for this one's callers`;
  return failure(exec, codes.TOOL_BUSY, 'ToolBusyError', `${message}. Nothing ran. Try again when those have ended.`);
}

function failure({ callId, name }: ToolExecution, code: string, className: string, message: string): ToolFailure {
  const info = { name: className, code, started: false, listener: NAME };
  return { isError: true, callId, name, error: { message, info }, content: [{ type: 'text', text: `Error: ${message}` }] };
}

function times(calls: number): string {
  if (calls === 0) return 'not at all';
  return calls === 1 ? 'once' : `${calls} times`;
}

/** Rounded up, so that whoever waits that long has waited long enough. */
function duration(ms: number): string {
  if (ms < 1_000) return `${Math.ceil(ms)} ms`;
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}
