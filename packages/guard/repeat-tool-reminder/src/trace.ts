import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue, type ToolExecution, type ToolExecutionResult } from '@sluice/core-tools';
import type { Trace } from './call-history.ts';

/** Longer texts are kept as their hash, so that a history holds no megabytes; UTF-16 code units. */
const MAX_KEPT_CHARS = 256;

/** Undefined for a call that its tool exempts, and for one whose arguments were no JSON at all. */
export function traceOf(exec: ToolExecution, result: ToolExecutionResult): (Trace & { readonly argumentsText: string }) | undefined {
  if (exec.arguments === undefined) return undefined;
  const argumentsText = canonicalJson(exec.arguments);
  const key = keyOf(exec, argumentsText);
  if (key === undefined) return undefined;
  return {
    identity: compact(`${exec.name}\n${key}`),
    toolName: exec.name,
    errorText: result.isError ? compact(result.error.message) : undefined,
    argumentsText,
  };
}

/** The tool's own key, if it gives one: advice is no reason for a call to fail, so a key that cannot be made counts as not given. */
function keyOf({ tool, arguments: args }: ToolExecution, argumentsText: string): string | undefined {
  if (tool?.repeatKey === undefined) return argumentsText;
  try {
    const key: unknown = tool.repeatKey(args as JsonValue);
    if (key === undefined || typeof key === 'string') return key;
    // An asynchronous one, perhaps; its rejection would have nowhere to go.
    if (key instanceof Promise) key.catch(() => undefined);
    return argumentsText;
  } catch {
    return argumentsText;
  }
}

function compact(text: string): string {
  return text.length <= MAX_KEPT_CHARS ? text : createHash('sha256').update(text).digest('base64');
}
