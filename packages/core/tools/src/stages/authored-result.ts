import { snapshotJson, type JsonValue } from '@sluice/core-schema';
import type { Call } from '../call.ts';
import { checkContent, checkContexts } from '../content.ts';
import { fail } from '../outcome.ts';
import { unknownTool } from '../rejection.ts';
import { bounded } from '../thrown.ts';
import { answerRecord, Nonsense } from '../waterfall.ts';
import type { AdditionalContext, ToolExecutionResult } from '../types.ts';
import { validateOutput } from './validate-output.ts';

/**
 * What a wrapper answered, as a result of this call. The very object that an attempt gave is trusted; everything else, a
 * copy or another call's result included, is made anew under this call's tool: identity, "started" and the turn's conclusion
 * are never a wrapper's to say.
 *
 * @throws Nonsense when it is no result at all
 */
export function authoredResult(call: Call, answer: unknown): ToolExecutionResult {
  for (let { attempt } = call; attempt !== undefined; attempt = attempt.previous) {
    if (attempt.result === answer) return answer as ToolExecutionResult;
  }
  if (call.authored?.includes(answer as ToolExecutionResult) === true) return answer as ToolExecutionResult;
  const record = answerRecord(answer, 'a tool result');
  const contexts = checkContexts(record['additionalContexts']);
  if (!contexts.ok) throw new Nonsense(`its result has malformed contexts: ${contexts.problem}`);
  const result =
    record['isError'] === true ? failure(call, record, contexts.contexts) : success(call, record, contexts.contexts);
  (call.authored ??= []).push(result);
  return result;
}

function success(call: Call, record: Readonly<Record<string, unknown>>, contexts: readonly AdditionalContext[]): ToolExecutionResult {
  if (record['isError'] !== false) throw new Nonsense('its result has no isError, true or false');
  if (call.tool === undefined || !call.isRegistered) return fail(call, { ...unknownTool(call.exec.name, call), contexts });
  return validateOutput(call, call.tool, record['value'], { contexts, concludesTurn: false });
}

function failure(call: Call, record: Readonly<Record<string, unknown>>, contexts: readonly AdditionalContext[]): ToolExecutionResult {
  const snapshot = snapshotJson(record['error']);
  const error = snapshot.ok ? asRecord(snapshot.value) : undefined;
  const info = asRecord(error?.['info']);
  const message = error?.['message'];
  const code = info?.['code'];
  if (typeof message !== 'string' || typeof code !== 'string' || code === '') {
    throw new Nonsense('its failure needs error { message, info: { name, code } }');
  }
  const content = record['content'] === undefined ? undefined : checkContent(record['content']);
  if (content?.ok === false) throw new Nonsense(`its failure has malformed content: ${content.problem}`);
  const meta = record['meta'] === undefined ? undefined : snapshotJson(record['meta']);
  if (meta?.ok === false) throw new Nonsense('its failure has a meta that is no JSON');
  return fail(call, {
    code,
    message: bounded(message),
    name: text(info?.['name']),
    hint: text(error?.['hint']),
    causeCode: text(info?.['causeCode']),
    listener: text(info?.['listener']),
    attempts: number(info?.['attempts']),
    limitMs: number(info?.['limitMs']),
    retryable: info?.['retryable'] === true,
    content: content?.content,
    meta: meta?.value,
    contexts,
  });
}

function asRecord(value: JsonValue | undefined): Readonly<Record<string, JsonValue | undefined>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, JsonValue | undefined>>)
    : undefined;
}

function number(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? bounded(value) : undefined;
}
