import type { ToolResultEvent } from './events.ts';
import type { OpenCall } from './transcript.ts';

/** The process ended while the call may have been running. */
const OUTCOME_UNKNOWN = 'OUTCOME_UNKNOWN';
/** The process ended before the call began. */
const NOT_STARTED = 'NOT_STARTED';

/**
 * The result of a call whose real one a crash took along. It says what is known and no more: a call that had begun may have
 * had its effects, whether or not it came to its end.
 */
export function lostResult({ turn, step, callId, name, callSeq }: OpenCall): ToolResultEvent {
  const text =
    callSeq === undefined
      ? 'Error: this call did not start: the program ended before it. Nothing of it ran.'
      : 'Error: the outcome of this call is unknown: the program ended while it was running.\n' +
        'Its effects may have happened, all of them or some. Check before trying again.';
  return {
    turn,
    step,
    callId,
    ...(callSeq === undefined ? {} : { callSeq }),
    name,
    content: [{ type: 'text', text }],
    isError: true,
    error: { name: 'LostResultError', code: callSeq === undefined ? NOT_STARTED : OUTCOME_UNKNOWN },
  };
}
