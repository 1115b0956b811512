import type { ToolExecutionResult } from '@sluice/core-tools';

/** What the command's exit code says. */
export const exitCodes = Object.freeze({
  ok: 0,
  /** The tool ran and failed, or its result was withheld. */
  failed: 1,
  /** The command line, the deployment or the call's arguments are wrong: nothing ran. */
  usage: 2,
  /** A rule, a guard or a person said no, or policy could not be asked: nothing ran. */
  denied: 3,
  /** Aborted, or out of time. */
  aborted: 4,
  /** Ended with Ctrl-C. */
  interrupted: 130,
});

const BY_CODE: Readonly<Record<string, number>> = {
  INVALID_ARGS: exitCodes.usage,
  UNKNOWN_TOOL: exitCodes.usage,
  ABORTED: exitCodes.aborted,
  ABORTED_BEFORE_DISPATCH: exitCodes.aborted,
  TOOL_TIMEOUT: exitCodes.aborted,
  TOOL_BUSY: exitCodes.failed,
};

/** A failure before any body began is a refusal, whatever code a policy gave it. */
export function exitCodeOf(result: ToolExecutionResult): number {
  if (!result.isError) return exitCodes.ok;
  const { code, started } = result.error.info;
  return BY_CODE[code] ?? (started ? exitCodes.failed : exitCodes.denied);
}
