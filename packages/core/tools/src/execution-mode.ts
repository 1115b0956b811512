import type { JsonValue } from '@sluice/core-schema';
import { disown } from './disown.ts';
import type { RegisteredTool } from './registry/registered-tool.ts';
import type { ExecutionMode } from './types.ts';

/**
 * Whether a call may overlap its neighbours in a batch. Only a clear yes counts: exactly `true` from the classifier, or
 * declared locks without a classifier. A throw, a promise or something merely truthy is a no.
 */
export function executionMode(tool: RegisteredTool | undefined, args: JsonValue | undefined): ExecutionMode {
  if (tool === undefined || args === undefined) return 'exclusive';
  if (tool.isConcurrencySafe === undefined) return tool.locks === undefined ? 'exclusive' : 'parallel';
  try {
    const answer: unknown = tool.isConcurrencySafe(args);
    disown(answer);
    return answer === true ? 'parallel' : 'exclusive';
  } catch {
    return 'exclusive';
  }
}
