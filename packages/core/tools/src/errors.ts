/**
 * Every code core can put into `error.info.code`. The value equals the name.
 *
 * | code | meaning |
 * | --- | --- |
 * | `INVALID_ARGS` | arguments are no JSON, too large, or do not match the tool's parameters |
 * | `UNKNOWN_TOOL` | no such tool in this scope, or it went away before dispatch |
 * | `DENIED` | a pre-execute listener or guard said no (it may give its own code instead) |
 * | `APPROVAL_REJECTED` `APPROVAL_CANCELLED` `APPROVAL_UNAVAILABLE` | a person said no, the question was withdrawn, nobody could be asked |
 * | `ABORTED_BEFORE_DISPATCH` | aborted before any attempt entered the body |
 * | `ABORTED` | aborted after the body was entered |
 * | `TOOL_TIMEOUT` | a deadline passed (raised by the timeout policy) |
 * | `TOOL_FAILED` | the body threw |
 * | `TOOL_BUSY` | a lock or barrier is held by a body that outlived its call, or waiting would deadlock |
 * | `INVALID_TOOL_OUTPUT` | the value is no JSON, does not match `output.schema`, or could not be rendered |
 * | `BLOCKED` | a post-execute listener blocked the result |
 * | `CODE_RUN_FAILED` | a code-mode program failed |
 * | `PIPELINE_FAILED` | a listener, guard, wrapper or the approval service threw or answered nonsense, or a gate is not ready |
 */
export const codes = Object.freeze({
  INVALID_ARGS: 'INVALID_ARGS',
  UNKNOWN_TOOL: 'UNKNOWN_TOOL',
  DENIED: 'DENIED',
  APPROVAL_REJECTED: 'APPROVAL_REJECTED',
  APPROVAL_CANCELLED: 'APPROVAL_CANCELLED',
  APPROVAL_UNAVAILABLE: 'APPROVAL_UNAVAILABLE',
  ABORTED_BEFORE_DISPATCH: 'ABORTED_BEFORE_DISPATCH',
  ABORTED: 'ABORTED',
  TOOL_TIMEOUT: 'TOOL_TIMEOUT',
  TOOL_FAILED: 'TOOL_FAILED',
  TOOL_BUSY: 'TOOL_BUSY',
  INVALID_TOOL_OUTPUT: 'INVALID_TOOL_OUTPUT',
  BLOCKED: 'BLOCKED',
  CODE_RUN_FAILED: 'CODE_RUN_FAILED',
  PIPELINE_FAILED: 'PIPELINE_FAILED',
});

export type CoreCode = keyof typeof codes;

export function isCoreCode(code: string): code is CoreCode {
  return Object.hasOwn(codes, code);
}
