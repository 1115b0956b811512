import type { JsonValue } from '@sluice/core-schema';
import { codes, type CoreCode } from './errors.ts';
import type { ContentBlock } from './blocks.ts';
import type { AdditionalContext, ToolErrorInfo, ToolExecutionResult, ToolFailure, ToolSuccess } from './types.ts';

/** The call as results name it. What it says of its body is read when a failure is made. */
export interface Subject {
  readonly exec: { readonly callId: string; readonly name: string };
  readonly started: boolean;
  readonly isOutlived?: boolean;
}

export interface FailureParts {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Error class; the code's own by default. */
  readonly name?: string | undefined;
  readonly causeCode?: string | undefined;
  readonly listener?: string | undefined;
  readonly attempts?: number | undefined;
  readonly limitMs?: number | undefined;
  readonly retryable?: boolean | undefined;
  /** Checked and frozen. Default: one text block made of message and hint. */
  readonly content?: readonly ContentBlock[] | undefined;
  readonly meta?: JsonValue | undefined;
  readonly contexts?: readonly AdditionalContext[] | undefined;
  readonly stillRunning?: boolean | undefined;
}

/** Source of the names that dsh has too: dsh core/tools, statement table P. */
const classNames: Readonly<Record<CoreCode, string>> = {
  INVALID_ARGS: 'ToolArgsError',
  UNKNOWN_TOOL: 'ToolNotFoundError',
  DENIED: 'ToolDeniedError',
  APPROVAL_REJECTED: 'ToolDeniedError',
  APPROVAL_CANCELLED: 'ToolDeniedError',
  APPROVAL_UNAVAILABLE: 'ToolDeniedError',
  ABORTED_BEFORE_DISPATCH: 'AbortError',
  ABORTED: 'AbortError',
  TOOL_TIMEOUT: 'ToolTimeoutError',
  TOOL_FAILED: 'ToolError',
  TOOL_BUSY: 'ToolBusyError',
  INVALID_TOOL_OUTPUT: 'ToolOutputError',
  BLOCKED: 'ToolBlockedError',
  CODE_RUN_FAILED: 'CodeRunFailedError',
  PIPELINE_FAILED: 'PipelineError',
};

/** Says that effects may have happened, on a success that policy or cancellation turned into a failure. */
export const RAN_HINT = 'The tool ran: its effects may have happened. Check before trying again.';
/** The body came to its end although its signal was aborted. */
export const FINISHED_HINT = 'The tool ran to its end, though told to stop: its effects have happened. Check before trying again.';
/** The body ended because its signal was aborted. */
export const STOPPED_HINT = 'It was told to stop: part of its effects may have happened. Check before trying again.';

export function succeed(
  subject: Subject,
  value: JsonValue,
  content: readonly ContentBlock[],
  meta: JsonValue | undefined,
  contexts: readonly AdditionalContext[],
  concludesTurn: boolean,
): ToolSuccess {
  const { callId, name } = subject.exec;
  const result: { -readonly [K in keyof ToolSuccess]: ToolSuccess[K] } = { isError: false, callId, name, value, content };
  if (meta !== undefined) result.meta = meta;
  if (contexts.length > 0) result.additionalContexts = frozenList(contexts);
  if (concludesTurn) result.concludesTurn = true;
  return Object.freeze(result);
}

export function fail(subject: Subject, parts: FailureParts): ToolFailure {
  const { callId, name } = subject.exec;
  const info: { -readonly [K in keyof ToolErrorInfo]: ToolErrorInfo[K] } = {
    name: parts.name ?? (classNames as Readonly<Record<string, string>>)[parts.code] ?? 'ToolError',
    code: parts.code,
    started: subject.started,
  };
  if (parts.causeCode !== undefined) info.causeCode = parts.causeCode;
  if (parts.attempts !== undefined) info.attempts = parts.attempts;
  if (parts.limitMs !== undefined) info.limitMs = parts.limitMs;
  if (parts.listener !== undefined) info.listener = parts.listener;
  if (parts.retryable === true) info.retryable = true;
  Object.freeze(info);
  const error: ToolFailure['error'] =
    parts.hint === undefined ? { message: parts.message, info } : { message: parts.message, hint: parts.hint, info };
  const result: { -readonly [K in keyof ToolFailure]: ToolFailure[K] } = {
    isError: true,
    callId,
    name,
    error: Object.freeze(error),
    content: parts.content ?? errorContent(parts.message, parts.hint),
  };
  if (parts.meta !== undefined) result.meta = parts.meta;
  if (parts.contexts !== undefined && parts.contexts.length > 0) result.additionalContexts = frozenList(parts.contexts);
  if (parts.stillRunning === true || subject.isOutlived === true) result.stillRunning = true;
  return Object.freeze(result);
}

/** What a failure keeps when another takes its place: code and contexts. */
export function replaceByFailure(subject: Subject, old: ToolExecutionResult, parts: FailureParts): ToolFailure {
  return fail(subject, {
    contexts: old.additionalContexts,
    stillRunning: old.isError ? old.stillRunning : undefined,
    ...parts,
    hint: parts.hint ?? (old.isError || !subject.started ? undefined : RAN_HINT),
    causeCode: parts.causeCode ?? (old.isError ? old.error.info.code : undefined),
  });
}

/** `ABORTED` once a body was entered, else `ABORTED_BEFORE_DISPATCH`. */
export function aborted(subject: Subject, contexts?: readonly AdditionalContext[], hint = RAN_HINT): ToolFailure {
  return subject.started
    ? fail(subject, { code: codes.ABORTED, message: 'tool call aborted', hint, contexts })
    : fail(subject, { code: codes.ABORTED_BEFORE_DISPATCH, message: 'tool call aborted before dispatch', contexts });
}

/** `result` with other content; everything else stays. */
export function withContent<T extends ToolExecutionResult>(result: T, content: readonly ContentBlock[]): T {
  return Object.freeze<T>({ ...result, content });
}

export function withContexts<T extends ToolExecutionResult>(result: T, added: readonly AdditionalContext[]): T {
  if (added.length === 0) return result;
  return Object.freeze<T>({ ...result, additionalContexts: Object.freeze([...(result.additionalContexts ?? []), ...added]) });
}

/** How every model-facing failure reads, except block feedback and content a tool supplied. */
export function errorContent(message: string, hint?: string): readonly ContentBlock[] {
  const text = hint === undefined ? `Error: ${message}` : `Error: ${message}\n${hint}`;
  return Object.freeze([Object.freeze({ type: 'text', text } as const)]);
}

/** Marks content that a failing tool supplied, so that a provider without an error flag still shows a failure. */
export function markedAsError(content: readonly ContentBlock[], message: string): readonly ContentBlock[] {
  const [first, ...rest] = content;
  if (first?.type !== 'text') return Object.freeze([...errorContent(message), ...content]);
  if (first.text.startsWith('Error: ')) return content;
  return Object.freeze([Object.freeze({ ...first, text: `Error: ${first.text}` }), ...rest]);
}

function frozenList<T>(list: readonly T[]): readonly T[] {
  return Object.isFrozen(list) ? list : Object.freeze([...list]);
}
