import { CodeRunFailed } from './code-mode/code-run-failed.ts';
import { checkContent } from './content.ts';
import { disown } from './disown.ts';
import { codes, isCoreCode } from './errors.ts';
import { markedAsError, type FailureParts } from './outcome.ts';
import { isToolError } from './tool-error.ts';

/** UTF-16 code units of a thrown message that reach the model. A stack of nested causes can run to megabytes. */
export const MAX_MESSAGE_CHARS = 4_000;

/** A message for any thrown value, bounded, never a stack. Never throws, whatever the value does. */
export function thrownMessage(thrown: unknown): string {
  try {
    if (typeof thrown === 'object' && thrown !== null) {
      const message = (thrown as { message?: unknown }).message;
      if (typeof message === 'string') return bounded(message === '' ? className(thrown) : message);
    }
    return bounded(String(thrown));
  } catch {
    return '<unprintable thrown value>';
  }
}

/** The failure for whatever a body threw. A foreign string `code` survives as `causeCode`. */
export function failureOfThrown(thrown: unknown): FailureParts {
  const message = thrownMessage(thrown);
  disown(thrown);
  try {
    if (thrown instanceof CodeRunFailed) return ofCodeRun(thrown);
    if (isToolError(thrown)) return ofToolError(thrown, message);
    if (typeof thrown !== 'object' || thrown === null) return { code: codes.TOOL_FAILED, message };
    const { code, retryable } = thrown as { code?: unknown; retryable?: unknown };
    return {
      code: codes.TOOL_FAILED,
      message,
      name: className(thrown),
      causeCode: typeof code === 'string' && code !== '' ? bounded(code, 200) : undefined,
      retryable: retryable === true,
    };
  } catch {
    return { code: codes.TOOL_FAILED, message };
  }
}

/** Characters of what a failed program printed. */
const MAX_LOG_CHARS = 20_000;

function ofCodeRun({ kind, message, logs }: CodeRunFailed): FailureParts {
  const parts = {
    code: codes.CODE_RUN_FAILED,
    message: bounded(message),
    causeCode: kind,
    hint: kind === 'unavailable' ? undefined : 'Calls that the program made before may have had effects.',
  };
  if (logs.length === 0) return parts;
  const text = `Error: ${parts.message}\n${String(parts.hint)}\nIt had printed:\n${bounded(logs.join('\n'), MAX_LOG_CHARS)}`;
  return { ...parts, content: Object.freeze([Object.freeze({ type: 'text', text } as const)]) };
}

function ofToolError(error: { code?: unknown; hint?: unknown; content?: unknown; retryable?: unknown }, message: string): FailureParts {
  const own = typeof error.code === 'string' && error.code !== '' ? bounded(error.code, 200) : undefined;
  // A body cannot pass its failure off as a policy's or a caller's.
  const code = own === undefined || isCoreCode(own) ? codes.TOOL_FAILED : own;
  const content = error.content === undefined ? undefined : checkContent(error.content);
  return {
    code,
    message,
    name: 'ToolError',
    hint: typeof error.hint === 'string' ? bounded(error.hint) : undefined,
    causeCode: own === undefined || own === code ? undefined : own,
    retryable: error.retryable === true,
    content: content?.ok === true && content.content.length > 0 ? markedAsError(content.content, message) : undefined,
  };
}

/** Whether a body under an aborted signal gave up because of it: it rejects with the reason or with an AbortError. */
export function isAbortOf(thrown: unknown, signal: AbortSignal): boolean {
  if (thrown === signal.reason) return true;
  try {
    return typeof thrown === 'object' && thrown !== null && (thrown as { name?: unknown }).name === 'AbortError';
  } catch {
    return false;
  }
}

/** Cuts at `max` code units, not inside a surrogate pair, and says so. */
export function bounded(text: string, max = MAX_MESSAGE_CHARS): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  const cut = last >= 0xd800 && last <= 0xdbff ? max - 1 : max;
  return `${text.slice(0, cut)}… (${String(text.length - cut)} more characters)`;
}

function className(value: object): string {
  const name = (value as { name?: unknown }).name;
  return typeof name === 'string' && name !== '' ? bounded(name, 100) : 'Error';
}
