import type { Call } from '../call.ts';
import type { ToolExecutionResult } from '../types.ts';

/** Tells every observer, each on its own, exactly once; nothing they do changes the result. */
export function publish(call: Call, result: ToolExecutionResult): ToolExecutionResult {
  call.finish();
  call.ctx.emit('tools/result', call.exec, result);
  if (!call.isOutlived) call.engine.live.delete(call);
  return result;
}
