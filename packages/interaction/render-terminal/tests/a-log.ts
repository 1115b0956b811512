import type { ToolCallView, ToolResultView } from '@sluice/core-tools';
import { renderSession, type LoggedEvent, type Presenter, type RenderOptions } from '../src/index.ts';

/** Events with positions, from types and data. */
export function aLog(...entries: readonly (readonly [type: string, data: object])[]): LoggedEvent[] {
  return entries.map(([type, data], index) => ({ seq: index + 1, type, data }));
}

export const text = (words: string) => [{ type: 'text', text: words }];

/** A presenter that has these cards, whatever it is asked about. */
export function presenting(pending: unknown, completed?: unknown): Presenter {
  return { present: (_call: unknown, result?: unknown) => (result === undefined ? pending : completed) as ToolCallView & ToolResultView };
}

interface DrawnCall extends RenderOptions {
  readonly pending?: unknown;
  readonly completed?: unknown;
  readonly content?: string;
  readonly error?: string;
  readonly argumentsText?: string;
}

/** The rows of one call; without `content` it has no result. */
export function drawCall({ pending, completed, content, error, argumentsText = '{}', ...options }: DrawnCall): string[] {
  const call = ['tool/call', { callId: 'a', name: 'do_it', argumentsText }] as const;
  const failure = error === undefined ? {} : { error: { name: 'ToolError', code: error } };
  const result = ['tool/result', { callId: 'a', callSeq: 1, name: 'do_it', content: text(content ?? ''), isError: error !== undefined, ...failure }] as const;
  const tools = pending === undefined ? {} : { tools: presenting(pending, completed) };
  return renderSession(content === undefined ? aLog(call) : aLog(call, result), { ...tools, ...options }).split('\n');
}
