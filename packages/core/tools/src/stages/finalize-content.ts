import type { Call } from '../call.ts';
import { checkContent } from '../content.ts';
import { codes } from '../errors.ts';
import { replaceByFailure, withContent } from '../outcome.ts';
import { thrownMessage } from '../thrown.ts';
import type { ToolExecutionResult } from '../types.ts';

/** The tool's own last word on content, once, for every outcome. If it fails, unfinished content must not be seen: it may redact. */
export function finalizeContent(call: Call, result: ToolExecutionResult): ToolExecutionResult {
  const finalize = call.tool?.finalizeContent;
  if (finalize === undefined) return result;
  const failed = (problem: string): ToolExecutionResult =>
    replaceByFailure(call, result, {
      code: codes.INVALID_TOOL_OUTPUT,
      message: `finalizeContent of tool "${call.exec.name}" ${problem}`,
    });
  try {
    const blocks = finalize(call.exec, result);
    if (blocks === undefined) return result;
    const checked = checkContent(blocks);
    return checked.ok ? withContent(result, checked.content) : failed(`gave no content: ${checked.problem}`);
  } catch (error) {
    return failed(`failed: ${thrownMessage(error)}`);
  }
}
