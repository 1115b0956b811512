import type { Call } from '../call.ts';
import { codes } from '../errors.ts';
import { aborted, fail } from '../outcome.ts';
import { ended, type Ended } from '../pipeline-state.ts';

/** A policy that is mounted but not ready never means yes. */
export function gateClosed(call: Call): Ended | undefined {
  const gates = call.ctx.closedGates();
  if (gates.length === 0) return undefined;
  const names = gates.map((name) => `"${name}"`).join(', ');
  return ended(
    fail(call, {
      code: codes.PIPELINE_FAILED,
      message: `the policy ${names} is not ready, so nothing may run`,
      hint: 'Nothing ran. This is not about the arguments; try again later.',
      listener: gates[0],
    }),
  );
}

/** Why a call that policy let through so far goes no further: a gate is closed by now, or its caller gave up. */
export function overtaken(call: Call): Ended | undefined {
  return gateClosed(call) ?? (call.isAborted ? ended(aborted(call)) : undefined);
}
